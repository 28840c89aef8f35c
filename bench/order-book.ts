import { addPatients, type Prescribed } from "../chaos/add-patients.ts";
import type { Queryable } from "../server/src/db/db.ts";
import { orderPlace } from "../server/src/db/orders/orders.ts";
import { firstPositionAt } from "../server/src/domain/orders/order-answer.ts";
import { randomOrderNumber } from "../server/src/random.ts";
import { loadStoredOrder } from "../server/src/usecases/orders/read-orders.ts";
import type { Stage } from "./stage.ts";

/** A fill and three refills. */
export const ORDERS_PER_PATIENT = 4;
export const PACKAGE_SIZE = 30;
/** Patients have seven-digit numbers, and each patient's key and prescription have the same number. */
const FIRST_PATIENT = 1_000_000;
const ORDERS_AT_ONCE = 5_000;
const ORDER_EVERY = "interval '1 minute'";
const POSITIONS_PER_ORDER = firstPositionAt(new Date(60_000));

export const patientId = (number: number | string) => `bench-${number}`;
export const bookPatient = (index: number) => patientId(FIRST_PATIENT + index);

/**
 * Gives an account the orders of several years, all delivered. They are copies of one order that the service created,
 * with all of its rows, each for its own patient and with an address that decrypts.
 */
export async function fillOrderBook(
  stage: Pick<Stage, "db" | "vault">,
  account_id: string,
  {
    sample,
    product,
    count,
    per_patient = ORDERS_PER_PATIENT,
  }: { sample: string; product: Prescribed; count: number; per_patient?: number },
): Promise<void> {
  const { db, vault } = stage;
  const patients = Array.from({ length: Math.ceil(count / per_patient) }, (_, index) => ({
    patient_id: bookPatient(index),
    patient_key: FIRST_PATIENT + index,
    prescriptions: [
      {
        prescription_id: FIRST_PATIENT + index,
        product,
        written_qty: PACKAGE_SIZE,
        refills: per_patient - 1,
        units_ordered: PACKAGE_SIZE * per_patient,
      },
    ],
  }));
  await addPatients(stage, account_id, patients);
  const { order } = (await loadStoredOrder(
    { db, vault } as unknown as Parameters<typeof loadStoredOrder>[0],
    account_id,
    sample,
  ))!;
  const address = Buffer.from(JSON.stringify(order.address));
  const copies = await copyTexts(db, per_patient);
  for (let first = 0; first < count; first += ORDERS_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(ORDERS_AT_ONCE, count - first) }, randomOrderNumber);
    const sealed = numbers.map((number) => vault.seal(address, orderPlace("address_sealed", account_id, number)));
    await db.transaction(async (tx) => {
      // Skips foreign key checks, which take most of the time; the copies satisfy them.
      await tx.raw("set local session_replication_role = replica");
      for (const text of copies) await tx.raw(text, [account_id, sample, first, count, numbers, sealed]);
    });
  }
}

/** For each table of an order: how many copies of a sample row to make, and which columns get their own values. */
const copiesFor = (patient_number: string): Record<string, { times?: number; own: Record<string, string> }> => ({
  orders: {
    own: {
      patient_key: patient_number,
      order_status: "'Delivered'",
      stage: "null",
      // A job may hold the sample meanwhile: the copies share its person.
      held_from: "null",
      open_exceptions: "0",
      exception_ids: "'{}'",
      address_sealed: "g.address_sealed",
      order_position: `s.order_position - ($4 - g.number + 1) * ${POSITIONS_PER_ORDER}`,
      created_at: `s.created_at - ($4 - g.number + 1) * ${ORDER_EVERY}`,
      updated_at: `s.updated_at - ($4 - g.number + 1) * ${ORDER_EVERY}`,
    },
  },
  order_item: {
    own: { patient_key: patient_number, prescription_id: patient_number, pending: "false" },
  },
  order_history: {
    times: 3,
    own: {
      event: "(array['create', 'ship', 'deliver'])[time]",
      '"from"': "(array[null, 'Processing', 'Shipped'])[time]",
      '"to"': "(array['Processing', 'Shipped', 'Delivered'])[time]",
    },
  },
  stock_entry: { times: 2, own: { kind: "(array['reserved', 'dispensed'])[time]" } },
  webhook_event: {
    own: {
      event_id: "(lpad(to_hex(g.number), 8, '0') || substr(gen_random_uuid()::text, 9))::uuid",
      // A sealed body opens for its own event alone. Pestle also reads bodies in clear, as 0.1.0 wrote them.
      body: "'{}'",
      body_sealed: "null",
    },
  },
});

/** Copies all columns of a table, with own values where given, so a new column needs no change here. */
async function copyTexts(db: Queryable, per_patient: number): Promise<string[]> {
  const texts: string[] = [];
  const copies = copiesFor(`${FIRST_PATIENT} + (g.number - 1) / ${per_patient}`);
  for (const [table, { times = 1, own }] of Object.entries(copies)) {
    const { rows } = await db.raw(
      `select quote_ident(column_name) as name
      from information_schema.columns
      where table_schema = current_schema and table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO'`,
      [table],
    );
    const names = rows.map(({ name }) => String(name));
    const values = names.map((name) => (name === "order_number" ? "g.order_number" : (own[name] ?? `s.${name}`)));
    texts.push(`
      with given as (
        select order_number, address_sealed, $3::bigint + position as number
        from unnest($5::text[], $6::bytea[]) with ordinality as g(order_number, address_sealed, position)
      )
      insert into ${table} (${names.join(", ")})
      select ${values.join(", ")}
      from given g, generate_series(1, ${times}) as time, ${table} s
      where s.account_id = $1 and s.order_number = $2 and $4::bigint > 0
      order by g.number, time`);
  }
  return texts;
}
