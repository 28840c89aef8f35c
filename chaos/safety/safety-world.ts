import { randomUUID } from "node:crypto";
import type { ExceptionId } from "@pestle/contract";
import { findPerson, insertPerson } from "../../server/src/db/accounts/people.ts";
import { saveBrands, saveProducts, saveShippingMethods } from "../../server/src/db/catalogue/catalogue-rows.ts";
import { enterStock } from "../../server/src/db/catalogue/stock.ts";
import { type Queryable, sql } from "../../server/src/db/db.ts";
import type { Deps } from "../../server/src/deps.ts";
import { addDays, dateIn } from "../../server/src/domain/values/calendar.ts";
import { randomPatientKey } from "../../server/src/random.ts";
import { brands, shippingMethods } from "../../server/src/seed/cast.ts";
import { createPartnerAccount } from "../../server/src/usecases/accounts/create-partner.ts";
import { addPatients } from "../add-patients.ts";
import { resetClock } from "../reset-clock.ts";
import { type Book, type BookPatient, type Rx, type SeenOrder, TIME_ZONE } from "./safety-book.ts";
import { emailOf, persons, productOf, products, staff, staffNames, written } from "./safety-cast.ts";
import type { Story } from "./safety-commands.ts";

/** An account in which stories are played one after another. */
export type Stage = { account_id: string; begin(story: Story): Promise<Scene>; end(scene: Scene): Promise<void> };
export type Scene = {
  account_id: string;
  book: Book;
  names: PatientNames[];
};
/** What a prescriber's message and a partner's order repeat about a patient. */
type PatientNames = { first_name: string; last_name: string; phone: string; email: string };

const FIRST_PRESCRIPTION = 30_000_000;
const DAY_MS = 24 * 3600 * 1000;
/** More than all stories together need. */
const PLENTY = 100_000_000;

/** The parcels of one story must not concern the clock of the next, so the carrier never reports again. */
const silentCarrier: Deps["carriers"]["sandbox"] = {
  async createLabel({ key }) {
    return {
      tracking_no: `SAFE${key}`,
      tracking_url: null,
      label: { format: "PDF", data: Buffer.from("%PDF-"), zpl: "" },
    };
  },
  voidLabel: async () => "done",
  track: async () => [],
  nextLookAt: () => null,
};

export const withSilentCarrier = (deps: Deps): Deps => ({
  ...deps,
  carriers: { ...deps.carriers, sandbox: silentCarrier },
});

/** Staff with licenses that are valid, lapse, have lapsed or do not exist. */
export async function hireStaff({ db }: Pick<Deps, "db">, begin_ms: number): Promise<void> {
  await db.transaction(async (tx) => {
    // An earlier run on this database began at another time.
    await tx.raw("delete from person where email like '%@campaign.example'");
    for (const name of staffNames) {
      const { role, license } = staff[name];
      await insertPerson(tx, {
        person_id: name,
        email: emailOf(name),
        name,
        role,
        partner_id: null,
        // The campaign never signs in.
        password_hash: "",
        must_change_password: false,
        created_at: new Date(begin_ms),
        license_number: license?.number ?? null,
        license_state: license && "CA",
        license_expires_on: license && dateIn(TIME_ZONE, new Date(begin_ms + license.days_left * DAY_MS)),
        npi: null,
      });
    }
  });
}

export type Employees = Map<string, NonNullable<Awaited<ReturnType<typeof findPerson>>>>;
export async function findStaff({ db }: Pick<Deps, "db">): Promise<Employees> {
  const rows = await Promise.all(staffNames.map((name) => findPerson(db, emailOf(name))));
  return new Map(rows.map((row) => [row!.person_id, row!]));
}

export async function openSafetyStage(deps: Deps, automatic: boolean, begin_ms: number): Promise<Stage> {
  const { db } = deps;
  const { account_id } = await db.transaction(async (tx) => {
    const workflow = automatic ? ("automatic" as const) : ("api_driven" as const);
    const partner = { name: `Partner ${randomUUID()}`, environment: "sandbox" as const, workflow, ncpdp_id: null };
    const account = await createPartnerAccount(tx, partner, deps.now());
    await saveShippingMethods(tx, account.account_id, shippingMethods, deps.now());
    await saveBrands(tx, account.account_id, brands);
    await saveProducts(tx, account.account_id, products, deps.now());
    const entries = products.map(({ sku }) => ({
      sku,
      kind: "counted" as const,
      units: PLENTY,
      order_number: null,
      note: null,
    }));
    await enterStock(tx, account.account_id, entries, deps.now());
    return account;
  });
  return {
    account_id,
    async begin({ person, focus }) {
      const drawn = [0, 1].map((place) => newPatient((person + place) % persons.length, focus, begin_ms));
      await resetClock(db, account_id);
      await addPatients(
        deps,
        account_id,
        drawn.map(({ patient }) => patient),
      );
      const book: Book = {
        begin_ms,
        real_ms: begin_ms,
        ahead_ms: 0,
        patients: drawn.map(
          ({ patient: { patient_id, patient_key }, person }): BookPatient => ({
            patient_id,
            patient_key,
            person,
            facts: [],
          }),
        ),
        prescriptions: drawn.flatMap(({ patient: { prescriptions } }, patient) =>
          focus.map((place, index): Rx => {
            const { days_old, ...rx } = written[place]!;
            const { prescription_id } = prescriptions[index]!;
            return {
              ...rx,
              prescription_id,
              patient,
              written_date: writtenDate(begin_ms, days_old),
              ended: null,
              accepted: true,
              partial_requested: false,
              sender_message_id: `prescription ${prescription_id}`,
            };
          }),
        ),
        orders: [],
      };
      return { account_id, book, names: drawn.map(({ names }) => names) };
    },
    async end({ book }) {
      // A job of the next story would order them.
      await db.run(forgetDue, [account_id, book.patients.map(({ patient_key }) => patient_key)]);
    },
  };
}

const forgetDue = sql<[account_id: string, patient_keys: number[]]>`
update prescription
set order_due_at = null
where account_id = $1 and patient_key = any($2) and order_due_at is not null`;

const writtenDate = (begin_ms: number, days_old: number) => addDays(dateIn(TIME_ZONE, new Date(begin_ms)), -days_old);

let next_prescription = FIRST_PRESCRIPTION;
let next_patient = 0;

function newPatient(place: number, focus: readonly number[], begin_ms: number) {
  const number = next_patient++;
  const names = {
    first_name: "Marisol",
    last_name: `Quill ${number}`,
    phone: `916${2_000_000 + number}`,
    email: `quill${number}@campaign.example`,
  };
  const identity_documents = [
    {
      id: 1,
      type: "DL" as const,
      issuing_country: "US",
      issuing_state: "CA",
      number: `D${number}`,
      expiration_date: "2199-01-01",
    },
  ];
  const prescriptions = focus.map((one) => {
    const { sku, written_qty, refills, days_supply, sig_text, days_old } = written[one]!;
    return {
      prescription_id: next_prescription++,
      product: productOf(sku),
      written_qty,
      refills,
      written: { days_supply, sig_text, written_date: writtenDate(begin_ms, days_old) },
    };
  });
  const person = persons[place]!;
  const record = { ...names, ...person, identity_documents, next_document_id: 2 };
  const patient = { patient_id: `safe-${number}`, patient_key: randomPatientKey(), record, prescriptions };
  return { patient, person, names: names satisfies PatientNames };
}

const ofOrders = sql<
  [account_id: string, patient_keys: number[]],
  Omit<SeenOrder, "open" | "patient_id"> & { patient_key: number; open: ExceptionId[] | null }
>`
select o.order_number, o.patient_key, o.order_status, o.stage, o.filled_by,
  (
    select json_agg(e.exception_id order by e.exception_id)
    from order_exception e
    where e.account_id = o.account_id and e.order_number = o.order_number and e.resolved_at is null) as open,
  (
    select json_agg(json_build_object('item_id', i.item_id, 'sku', i.sku, 'units', i.units,
      'prescription_id', i.prescription_id, 'removed', i.removed_at is not null, 'shipped_at', i.shipped_at)
      order by i.item_id)
    from order_item i
    where i.account_id = o.account_id and i.order_number = o.order_number) as items
from orders o
where o.account_id = $1 and o.patient_key = any($2)
order by o.created_at, o.order_number`;

/** The orders of the story's patients, as stored. */
export async function seeOrders(db: Queryable, { account_id, book }: Scene): Promise<SeenOrder[]> {
  const ids = new Map(book.patients.map(({ patient_key, patient_id }) => [patient_key, patient_id]));
  const rows = await db.rows(ofOrders, [account_id, [...ids.keys()]]);
  return rows.map(({ patient_key, ...row }) => ({
    ...row,
    patient_id: ids.get(patient_key)!,
    open: row.open ?? [],
  }));
}
