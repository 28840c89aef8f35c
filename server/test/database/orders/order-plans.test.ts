import { afterAll, beforeAll, expect, test } from "vitest";
import { bookPatient, fillOrderBook } from "../../../../bench/order-book.ts";
import { createCopies } from "../../../src/copies.ts";
import { FIRST_SUPPLY } from "../../../src/db/orders/continuity.ts";
import { products } from "../../../src/seed/cast.ts";
import { readCatalogue } from "../../../src/usecases/catalogue/read-catalogue.ts";
import { placeOrder } from "../../../src/usecases/orders/place-order.ts";
import { prepareOrder } from "../../../src/usecases/orders/prepare-order.ts";
import { readContinuity } from "../../../src/usecases/orders/read-continuity.ts";
import { type OrderQuery, readOrder, readOrders } from "../../../src/usecases/orders/read-orders.ts";
import { newOrder, type OrderBody, placed } from "../../support/orders.ts";
import { rowsRead } from "../../support/sql/rows-read.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const ORDERS = 3_000;
// Enough rows that no version of PostgreSQL prefers a full scan.
const PRODUCTS = 5_000;
const PAGE = 10;
/** Rows that a page may read, over all tables: some per order, and the account's few settings. */
const MOST_ROWS_OF_A_PAGE = 250;
const MOST_ROWS_OF_AN_ORDER = 50;

let app: TestApp;
let account_id: string;
let order_number: string;
let body: OrderBody;
beforeAll(async () => {
  app = await startTestApp();
  const { db } = app.deps;
  ({ account_id } = app.demo.partners[0]!);
  const made = await placed(app, (await newOrder(app)).body);
  ({ order_number } = made);
  const product = products.find(({ sku }) => sku === made.items[0]!.sku)!;
  await fillOrderBook({ ...app.deps, db: app.owner }, account_id, { sample: order_number, product, count: ORDERS });
  ({ body } = await newOrder(app));
  // With a large catalogue too.
  await db.raw(
    `insert into product (account_id, sku, ndc, gcn, name, ingredients, rx_only, drug_schedule, package_sizes, quantities,
      written_quantities, max_units, shipping_method_ids, price_cents)
    select account_id, 'copy-' || n, lpad(n::text, 11, '0'), 'copy-' || n, 'Copy ' || n, ingredients, rx_only,
      drug_schedule, package_sizes, quantities, written_quantities, max_units, shipping_method_ids, price_cents
    from product, generate_series(1, ${PRODUCTS}) as n
    where account_id = $1 and sku = $2`,
    [account_id, made.items[0]!.sku],
  );
  await db.raw(
    "insert into stock (account_id, sku, on_hand_units) select account_id, sku, 0 from product on conflict do nothing",
  );
  await db.raw("analyze");
});
afterAll(() => app.stop());

const total = (looked: { rows: number }[]) => looked.reduce((sum, { rows }) => sum + rows, 0);
const all: OrderQuery = {
  patient_id: null,
  order_status: null,
  prescription_id: null,
  brand_id: null,
  reference: null,
  exception_id: null,
  created_after: null,
  created_before: null,
  updated_after: null,
};
/** The book has one order per minute. */
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

/** Each filter once with a full page and once without matches, and common combinations. */
const lists: Record<string, { filter: Partial<OrderQuery>; found: "full" | "some" | "none" }> = {
  all: { filter: {}, found: "full" },
  "a patient's": { filter: { patient_id: bookPatient(100) }, found: "some" },
  "of an unknown patient": { filter: { patient_id: "nobody" }, found: "none" },
  "a prescription's": { filter: { prescription_id: 1_000_100 }, found: "some" },
  "all of the brand": { filter: { brand_id: 1 }, found: "full" },
  "of a brand without orders": { filter: { brand_id: 2 }, found: "none" },
  "by a reference": { filter: { reference: "nothing" }, found: "none" },
  delivered: { filter: { order_status: "Delivered" }, found: "full" },
  "in a status that none has": { filter: { order_status: "Canceled" }, found: "none" },
  "held by an exception": { filter: { exception_id: 76 }, found: "none" },
  "made since a while": { filter: { created_after: minutesAgo(2_000) }, found: "full" },
  "made a moment ago": { filter: { created_after: minutesAgo(-60) }, found: "none" },
  "made long ago": { filter: { created_before: minutesAgo(2_000) }, found: "full" },
  "made before all": { filter: { created_before: minutesAgo(9_000) }, found: "none" },
  "changed a moment ago": { filter: { updated_after: minutesAgo(-60) }, found: "none" },
  "changed since a few": { filter: { updated_after: minutesAgo(5) }, found: "some" },
  "changed, and delivered": { filter: { updated_after: minutesAgo(5), order_status: "Delivered" }, found: "some" },
  "changed, and canceled": { filter: { updated_after: minutesAgo(-60), order_status: "Canceled" }, found: "none" },
};

/** A process that knows the catalogue and has rendered no order. */
async function withoutOrders() {
  await readCatalogue(app.deps, account_id);
  return { ...createCopies(), catalogues: app.deps.copies.catalogues };
}

for (const [name, { filter, found }] of Object.entries(lists)) {
  test(`a page of orders (${name}) reads a few rows, regardless of the number of orders`, async () => {
    const copies = await withoutOrders();
    const looked = await rowsRead(app.deps.db, async (tx) => {
      const deps = { ...app.deps, db: tx, copies };
      const page = await readOrders(deps, account_id, { ...all, ...filter }, Number.MAX_SAFE_INTEGER, PAGE);
      expect(page.orders.length > 0).toBe(found !== "none");
      expect(page.next !== null).toBe(found === "full");
    });
    expect(total(looked), JSON.stringify(looked)).toBeLessThan(MOST_ROWS_OF_A_PAGE);
  });
}

test("the last pages of a list read as many rows as the first", async () => {
  const page = async (before: number) => {
    let next = 0;
    const copies = await withoutOrders();
    const looked = await rowsRead(app.deps.db, async (tx) => {
      const deps = { ...app.deps, db: tx, copies };
      ({ next } = (await readOrders(deps, account_id, all, before, PAGE)) as { next: number });
    });
    return { rows: total(looked), next };
  };
  const first = await page(Number.MAX_SAFE_INTEGER);
  const { rows } = await app.deps.db.raw(
    "select order_position from orders where account_id = $1 order by order_position limit 1 offset 100",
    [account_id],
  );
  const last = await page(Number(rows[0]!["order_position"]));
  expect(Math.abs(last.rows - first.rows)).toBeLessThan(PAGE);
});

test("a page that the process rendered before reads only what can have changed", async () => {
  const deps = { ...app.deps, copies: await withoutOrders() };
  const before = await readOrders(deps, account_id, all, Number.MAX_SAFE_INTEGER, PAGE);
  const looked = await rowsRead(app.deps.db, async (tx) => {
    expect(await readOrders({ ...deps, db: tx }, account_id, all, Number.MAX_SAFE_INTEGER, PAGE)).toEqual(before);
  });
  const tables = ["account", "order_item", "orders", "prescription", "shipping_method"];
  expect(looked.map(({ table }) => table).sort()).toEqual(tables);
});

test("reading one order reads a few rows", async () => {
  const looked = await rowsRead(app.deps.db, async (tx) => {
    const order = await readOrder({ ...app.deps, db: tx }, account_id, order_number);
    expect(order).toMatchObject({ order_number });
  });
  expect(total(looked), JSON.stringify(looked)).toBeLessThan(MOST_ROWS_OF_AN_ORDER);
});

test("a new order reads a few rows, regardless of the number of orders and products", async () => {
  const now = app.deps.now();
  const orderer = { account_id, environment: "sandbox" as const, clock_offset_s: 0 };
  const prepared = await prepareOrder(app.deps, orderer, body, () => JSON.stringify(body), now);
  const looked = await rowsRead(app.deps.db, async (tx) => {
    const { order } = await placeOrder(app.deps, tx, prepared, now);
    expect(order.exceptions).toEqual([]);
  });
  expect(looked.map(({ table }) => table)).toContain("stock");
  expect(total(looked), JSON.stringify(looked)).toBeLessThan(MOST_ROWS_OF_AN_ORDER);
});

test("a page of the supply forecast reads a few rows, regardless of the number of fills and of those long ago", async () => {
  // One fill in four ends in the next days, and the others ended long ago.
  await app.owner.raw(
    `update order_item i
    set pending = false, shipped_at = now(), supply_ends_at = case when o.nth % 4 = 0
      then now() + make_interval(mins => o.nth)
      else now() - interval '100 days' - make_interval(mins => o.nth) end
    from (select account_id, order_number, row_number() over (order by order_position)::integer as nth from orders) o
    where o.account_id = i.account_id and o.order_number = i.order_number and i.account_id = $1`,
    [account_id],
  );
  await app.owner.raw("analyze order_item");
  const copies = await withoutOrders();
  const looked = await rowsRead(app.deps.db, async (tx) => {
    const { entries, more } = await readContinuity({ ...app.deps, db: tx, copies }, account_id, 30, FIRST_SUPPLY, PAGE);
    expect([entries.length, more]).toEqual([PAGE, true]);
  });
  expect(total(looked), JSON.stringify(looked)).toBeLessThan(MOST_ROWS_OF_A_PAGE);
});
