import { afterAll, beforeAll, expect, test } from "vitest";
import type { QueueFilter } from "../../../src/db/fulfillment/queue.ts";
import { anyOrder, listQueue } from "../../../src/usecases/fulfillment/list-queue.ts";
import { searchOrders } from "../../../src/usecases/fulfillment/search-orders.ts";
import { readFigures } from "../../../src/usecases/operations/figures/read-figures.ts";
import { readHome } from "../../../src/usecases/operations/read-home.ts";
import { openRecord } from "../../../src/usecases/patients/patient-rows.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { rowsRead } from "../../support/sql/rows-read.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const ORDERS = 100_000;
const ORDERS_AT_ONCE = 5_000;
const PAGE = 50;
/** For each shown order its own row, its items and its patient; never a share of all orders. */
const MOST_ROWS_OF_A_PAGE = 4 * PAGE;

/** Copies of an order, a second apart, each in one of the queues and most of them alike. */
const COPIES = `
with sample as (
  select * from orders where account_id = $1 and order_number = $2
), made as (
  insert into orders (account_id, order_number, order_position, order_status, stage, held_from, open_exceptions,
    exception_ids, patient_key, brand_id, workflow, shipping_method_id, signature_confirmation, address_sealed, ship_state,
    payer, payment_status, amount_cents, sequence, created_at, updated_at, stage_since, drug_schedule, claimed_by,
    claimed_until)
  select account_id, upper(lpad(to_hex(n), 10, '0')), order_position - n,
    case when n % 10 = 0 then 'On Hold' else 'Processing' end,
    case when n % 10 = 0 then null else 'clinical_review' end,
    case when n % 10 = 0 then 'Processing/clinical_review' end,
    case when n % 10 = 0 then 1 else 0 end,
    case when n % 1000 = 0 then '{74}'::int[] when n % 10 = 0 then '{68}'::int[] else '{}' end,
    patient_key, brand_id, workflow, shipping_method_id, signature_confirmation, address_sealed,
    case when n % 20000 = 1 then 'WY' else 'CA' end,
    payer, payment_status, amount_cents, sequence, created_at, updated_at, stage_since - n * interval '1 second',
    case when n % 5000 = 1 then '2' else '0' end,
    case when n % 10000 = 1 then 'somebody' end, case when n % 10000 = 1 then now() + interval '1 hour' end
  from sample, generate_series($3::int, $4::int) n
  returning account_id, order_number
), stocked as (
  insert into stock_entry (account_id, sku, kind, units, order_number, at)
  select i.account_id, i.sku, 'reserved', i.units, m.order_number, now()
  from made m
  join order_item i on i.account_id = $1 and i.order_number = $2
)
insert into order_item (account_id, order_number, item_id, prescription_id, needs_prescription, sku, ndc, gcn, quantity,
  package_size, reserved, price_cents, patient_key, pending, alone)
select i.account_id, m.order_number, 1, 1000000 + $3::int + row_number() over (), i.needs_prescription, i.sku, i.ndc, i.gcn, i.quantity,
  i.package_size, i.reserved, i.price_cents, i.patient_key, true, false
from made m
join order_item i on i.account_id = $1 and i.order_number = $2`;

let app: TestApp;
let account_id: string;
beforeAll(async () => {
  app = await startTestApp();
  ({ account_id } = app.demo.partners[0]!);
  const { order_number } = await placed(app, (await newOrder(app)).body);
  const db = app.owner;
  await db.transaction(async (tx) => {
    // Skips foreign key checks, which the rows satisfy.
    await tx.raw("set local session_replication_role = replica");
    // In batches, so that none exceeds the statement timeout, even on a busy machine.
    for (let first = 1; first <= ORDERS; first += ORDERS_AT_ONCE) {
      await tx.raw(COPIES, [account_id, order_number, first, first + ORDERS_AT_ONCE - 1]);
    }
  });
  await db.raw("vacuum analyze");
}, 120_000);
afterAll(() => app.stop());

/** Reads an account's few settings as a whole, which is faster than looking for one of them. */
const SETTINGS = ["account", "partner", "brand", "shipping_method", "product", "person"];
const total = (looked: { table: string; rows: number }[]) =>
  looked.filter(({ table }) => !SETTINGS.includes(table)).reduce((sum, { rows }) => sum + rows, 0);

/** Each filter with many matches, few or none. */
const tables: Record<string, { filter: Partial<QueueFilter>; found: "full" | "some" | "none" }> = {
  "all that are open": { filter: {}, found: "full" },
  "a queue": { filter: { queues: ["clinical_review"] }, found: "full" },
  "a queue, newest first": { filter: { queues: ["clinical_review"], sort: "newest" }, found: "full" },
  "a queue with nothing in it": { filter: { queues: ["pack"] }, found: "none" },
  "of an environment": { filter: { environment: "sandbox" }, found: "full" },
  "of the other environment": { filter: { environment: "production" }, found: "none" },
  "of an account": { filter: { account_id: "" }, found: "full" },
  "held by what holds many": { filter: { queues: ["on_hold"], exception_id: 68 }, found: "full" },
  "held by what holds few": { filter: { queues: ["on_hold"], exception_id: 74 }, found: "full" },
  "held by what holds none": { filter: { queues: ["on_hold"], exception_id: 80 }, found: "none" },
  "of a brand": { filter: { brand_id: 1 }, found: "full" },
  "of a brand without orders": { filter: { brand_id: 2 }, found: "none" },
  "to a state that few live in": { filter: { state: "WY" }, found: "some" },
  "of a schedule that few have": { filter: { schedule: "2" }, found: "some" },
  "that a user has claimed": { filter: { mine: "somebody" }, found: "some" },
  "that no user has claimed": { filter: { free: true }, found: "full" },
  "that have waited for a day": { filter: { stood_before: new Date(Date.now() - 24 * 3600_000) }, found: "full" },
  "that have waited for a week": { filter: { stood_before: new Date(Date.now() - 7 * 24 * 3600_000) }, found: "none" },
};

for (const [name, { filter, found }] of Object.entries(tables)) {
  test(`a page of the table (${name}) reads a few rows of ${ORDERS} open orders`, async () => {
    const looked = await rowsRead(app.deps.db, async (tx) => {
      const deps = { ...app.deps, db: tx };
      const asked = { ...anyOrder, ...filter, ...(filter.account_id === "" && { account_id }) };
      const page = await listQueue(deps, asked, null, PAGE);
      expect(page.orders.length > 0).toBe(found !== "none");
      expect(page.next !== null).toBe(found === "full");
    });
    expect(total(looked), JSON.stringify(looked)).toBeLessThan(MOST_ROWS_OF_A_PAGE);
  });
}

test("a page far down reads as many rows as the first", async () => {
  const stage_since = new Date(Date.now() - (ORDERS / 2) * 1_000);
  const rows = async (after: Parameters<typeof listQueue>[2]) => {
    const looked = await rowsRead(app.deps.db, async (tx) => {
      const page = await listQueue({ ...app.deps, db: tx }, anyOrder, after, PAGE);
      expect(page.orders).toHaveLength(PAGE);
    });
    return total(looked);
  };
  expect(Math.abs((await rows({ stage_since, account_id, order_number: "" })) - (await rows(null)))).toBeLessThan(PAGE);
});

test("the queues are counted from the index alone", async () => {
  const looked = await rowsRead(app.deps.db, async (tx) => {
    const home = (await readHome({ ...app.deps, db: tx }))("sandbox", "nobody");
    expect(home.queues.find(({ key }) => key === "clinical_review")!.count).toBe(ORDERS * 0.9 + 1);
  });
  expect(total(looked), JSON.stringify(looked)).toBeLessThan(100);
});

test("the figures of the charts are counted from indexes, and from the items that shipped lately", async () => {
  const looked = await rowsRead(app.deps.db, async (tx) => {
    const { days, ageing, exceptions, forecast } = (await readFigures({ ...app.deps, db: tx }))("sandbox");
    expect(days.reduce((sum, { received }) => sum + (received ?? 0), 0)).toBe(ORDERS + 1);
    const review = ageing.find(({ key }) => key === "clinical_review")!;
    expect(review.fresh + review.due_soon + review.late + review.very_late).toBe(ORDERS * 0.9 + 1);
    expect(exceptions.map(({ exception_id, count }) => [exception_id, count])).toEqual([
      [68, (ORDERS / 10) * 0.99],
      [74, ORDERS / 1_000],
    ]);
    expect(forecast.late_now).toBe(review.late + review.very_late);
  });
  expect(total(looked), JSON.stringify(looked)).toBeLessThan(100);
});

test("a search reads a few rows for any input", async () => {
  const { rows } = await app.deps.db.raw("select order_number from orders limit 1 offset 50000");
  const known = String(rows[0]!["order_number"]);
  const nobody = ["Ada Byron 1980-05-01", "415-555-0199", "ada@byron.example", "LOT-0", "Nobody", "1/2/1903"];
  for (const text of [known, "no such reference", "9400100000000000000000", "999999", ...nobody]) {
    const looked = await rowsRead(app.deps.db, async (tx) => {
      const by = { person_id: "x", role: "lead" };
      const { hits } = await searchOrders({ ...app.deps, db: tx }, by, text, crypto.randomUUID());
      expect([text, hits.map(({ order_number }) => order_number)]).toEqual([text, text === known ? [known] : []]);
    });
    expect(total(looked), `${text} ${JSON.stringify(looked)}`).toBeLessThan(100);
  }
  const { rows: patients } = await app.deps.db.raw(
    "select account_id, patient_key, record_sealed from patient where patient_key = (select max(patient_key) from orders)",
  );
  const { patient_key, record_sealed } = patients[0] as { patient_key: string; record_sealed: Buffer };
  const { last_name, dob } = openRecord(app.deps, account_id, Number(patient_key), record_sealed);
  const most: [text: string, least_hits: number][] = [
    [known.slice(0, 5), 5],
    [last_name, 1],
    [dob, 1],
    [`${last_name} ${dob}`, 1],
    ["atorvastatin", 20],
  ];
  for (const [text, least_hits] of most) {
    const looked = await rowsRead(app.deps.db, async (tx) => {
      const by = { person_id: "x", role: "lead" };
      const { hits } = await searchOrders({ ...app.deps, db: tx }, by, text, crypto.randomUUID());
      expect(hits.length).toBeGreaterThanOrEqual(least_hits);
    });
    expect(total(looked), `${text} ${JSON.stringify(looked)}`).toBeLessThan(MOST_ROWS_OF_A_PAGE);
  }
});
