import { type DashboardSearch, personFacts, type SearchHit } from "@pestle/contract";
import { listAccounts } from "../../db/accounts/accounts.ts";
import {
  type FoundRow,
  findBy,
  findByLot,
  findByPeople,
  findByProduct,
  findByReference,
  findOfPatients,
  findPeople,
  findUnordered,
  findUnorderedOfPeople,
  type PeopleIndex,
  type PersonKey,
  type ReferenceKey,
} from "../../db/fulfillment/search.ts";
import { referencePlace } from "../../db/orders/orders.ts";
import type { Deps } from "../../deps.ts";
import {
  isAsked,
  type NamedPerson,
  readQuestion,
  type SearchQuestion,
} from "../../domain/fulfillment/search-question.ts";
import { initials } from "../../domain/patients/masked-patient.ts";
import { searchKeys } from "../../domain/patients/patient-record.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { type Looker, writeAudit } from "../operations/write-audit.ts";
import { openReference } from "../orders/read-orders.ts";
import { openRecord, patientIndex, searchIndex } from "../patients/patient-rows.ts";

const MOST_HITS = 50;
/** How many patients of one last name or date of birth a search compares with the rest of the question. */
const MOST_PEOPLE = 500;

/**
 * Searches order numbers, tracking numbers, prescriptions, references, lots, products and patients in all accounts. Every
 * order and patient that it finds is audited.
 */
export async function searchOrders(deps: Deps, by: Looker, text: string, request_id: string): Promise<DashboardSearch> {
  const asked = readQuestion(text);
  if (asked === null) return { hits: [], more: false };
  const { db } = deps;
  const most = MOST_HITS + 1;
  const none = Promise.resolve<FoundRow[]>([]);
  const { order_number, order_prefix, tracking_no, prescription_id, reference, lots, product } = asked;
  const accounts = (await listAccounts(db)).flatMap(({ partner_id, account_id }) =>
    partner_id === null ? [] : account_id,
  );
  const people = await findNamed(deps, accounts, asked.named);
  const named = findOfPatients(db, people.wanted.slice(0, most), most);
  const found = await Promise.all([
    labelled("order_number", order_number === null ? none : findBy(db, "order_number", order_number, most)),
    labelled("tracking_no", tracking_no === null ? none : findBy(db, "tracking_no", tracking_no, most)),
    labelled("prescription_id", prescription_id === null ? none : findBy(db, "prescription_id", prescription_id, most)),
    labelled("prescription_id", prescription_id === null ? none : findUnordered(db, prescription_id)),
    labelled("reference", findByReference(db, referenceKeys(deps, accounts, reference), most)),
    labelled("lot", lots.length === 0 ? none : findByLot(db, lots, most)),
    ...peopleKeys(deps, accounts, asked).flatMap(({ by, column, keys }) => [
      labelled(by, findByPeople(db, column, keys, most)),
      labelled(by, findUnorderedOfPeople(db, column, keys, most)),
    ]),
    labelled("surname", named),
    labelled("birth_date", findBorn(deps, accounts, asked.dob, most)),
    labelled("order_number", order_prefix === null ? none : findBy(db, "order_prefix", order_prefix, most)),
    labelled("product", product === null ? none : findByProduct(db, product, most)),
  ]);
  const rows = distinct(found.flat());
  const shown = rows.slice(0, MOST_HITS);
  await noteFound(deps, by, shown, request_id);
  const hits = await withKeysOfNow(deps, async () => shown.map((row) => hitOf(deps, row)));
  return { hits, more: rows.length > MOST_HITS || people.cut };
}

type Labelled = FoundRow & Pick<SearchHit, "by">;
const labelled = async (by: SearchHit["by"], rows: Promise<FoundRow[]>): Promise<Labelled[]> =>
  (await rows).map((row) => ({ ...row, by }));

/**
 * A date of birth, if there is one, finds fewer patients than a last name. The rest of the question is compared here. `cut`:
 * more patients share the date or the name.
 */
async function findNamed(deps: Deps, accounts: readonly string[], named: readonly NamedPerson[]) {
  if (named.length === 0) return { wanted: [], cut: false };
  const dob = named[0]!.dob;
  const texts = new Set(named.map(({ last_name }) => searchKeys.surname(last_name)));
  const people =
    dob === null
      ? await findPeople(deps.db, "surname_index", keysOf(deps, accounts, "surname", [...texts]), MOST_PEOPLE)
      : await findPeople(deps.db, "dob_index", keysOf(deps, accounts, "dob", [dob]), MOST_PEOPLE);
  const wanted = await withKeysOfNow(deps, async () =>
    people.filter((one) => isAsked(named, openRecord(deps, one.account_id, one.patient_key, one.record_sealed))),
  );
  return { wanted, cut: people.length === MOST_PEOPLE };
}

async function findBorn(deps: Deps, accounts: readonly string[], dob: string | null, most: number) {
  if (dob === null) return [];
  return findOfPatients(
    deps.db,
    await findPeople(deps.db, "dob_index", keysOf(deps, accounts, "dob", [dob]), most),
    most,
  );
}

const keysOf = (deps: Deps, accounts: readonly string[], name: keyof typeof searchKeys, texts: readonly string[]) =>
  accounts.flatMap((account_id): PersonKey[] =>
    texts.map((text) => ({ account_id, blind: searchIndex(deps, account_id, name, text) })),
  );

type PeopleSearch = { by: "patient" | "phone" | "email"; column: PeopleIndex; keys: PersonKey[] };

/** No name, phone number or address is compared in plain text: the search looks up blind indexes, which differ per account. */
function peopleKeys(deps: Deps, accounts: readonly string[], asked: SearchQuestion): PeopleSearch[] {
  const { people, phone, email, reference } = asked;
  const ids = accounts.map((account_id) => ({ account_id, blind: patientIndex(deps, account_id, reference) }));
  const names = [...new Set(people.map((person) => searchKeys.name_dob(person)))];
  const one = (name: "phone" | "email", text: string | null) =>
    keysOf(deps, accounts, name, text === null ? [] : [searchKeys[name](text)]);
  const searches: PeopleSearch[] = [
    { by: "patient", column: "id_index", keys: ids },
    { by: "patient", column: "name_dob_index", keys: keysOf(deps, accounts, "name_dob", names) },
    { by: "phone", column: "phone_index", keys: one("phone", phone) },
    { by: "email", column: "email_index", keys: one("email", email) },
  ];
  return searches.filter(({ keys }) => keys.length > 0);
}

function referenceKeys(deps: Deps, accounts: readonly string[], reference: string): ReferenceKey[] {
  return accounts.map((account_id) => ({
    account_id,
    reference_index: deps.vault.blindIndex(reference, referencePlace(account_id)),
  }));
}

/** Shows an order that matches in two ways once, under the more specific match. */
function distinct(rows: readonly Labelled[]): Labelled[] {
  const seen = new Set<string>();
  return rows.filter(({ account_id, order_number, prescription_id }) => {
    const key = `${account_id} ${order_number ?? prescription_id}`;
    return !seen.has(key) && seen.add(key);
  });
}

const isNamed = (by: SearchHit["by"]) => personFacts.includes(by);
const about = ({ account_id, patient_key }: Labelled) => ({ account_id, patient_keys: [patient_key] });

async function noteFound(deps: Deps, by: Looker, rows: readonly Labelled[], request_id: string): Promise<void> {
  const entries = rows.map((row) =>
    isNamed(row.by)
      ? { ...about(row), action: "patient_found" as const, subject: null }
      : {
          ...about(row),
          action: "order_found" as const,
          subject: row.order_number ?? `prescription ${row.prescription_id}`,
        },
  );
  const distinct = new Map(entries.map((entry) => [Object.values(entry).join(" "), entry]));
  for (const entry of distinct.values()) await writeAudit(deps, by, entry, request_id);
}

function hitOf(deps: Deps, { record_sealed, reference_sealed, created_at, ...row }: Labelled): SearchHit {
  return {
    ...row,
    reference: openReference(deps, { ...row, reference_sealed }),
    patient_initials: initials(openRecord(deps, row.account_id, row.patient_key, record_sealed)),
    created_at: created_at.toISOString(),
  };
}
