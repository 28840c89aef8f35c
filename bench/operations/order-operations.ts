import type { Account } from "../account.ts";
import type { Load, Measured } from "../load.ts";
import { pgbenchSeconds } from "../pgbench.ts";
import type { Stage } from "../stage.ts";
import { bareCeiling, httpOperation, type Operation, partnerHeaders, requestText } from "./operation.ts";
import type { Webhooks } from "./webhook-operations.ts";

/** A placeholder of seven characters for a patient's number, which is also the prescription's number. */
const NUMBER_MARK = "@NUMBER";
const FIRST_FRESH = 2_000_000;
const FIRST_OF_PGBENCH = 6_000_000;
/** In a short run some clients start several transactions before others finish one. */
const LEAST_OF_PGBENCH = 400;
/** Prepared for each second of a load, unless earlier loads were faster. */
const LEAST_PER_SECOND = 500;
const LEAST_PREPARED = 500;
const MARGIN = 2;
const READ_ORDERS = 200;
const PAGE = 25;
const WALKED = { pages: 40, limit: 100 };

/** Orders of patients that have one unused prescription each. */
export async function orderLoad(stage: Stage, { account_id, token }: Account) {
  const { db, demo, checkout } = stage;
  await checkout.modules["bench/order-catalogue.ts"].addProducts(db, account_id);
  const fresh = freshPatients(stage, account_id, FIRST_FRESH);
  const body = JSON.stringify(bodyOf(stage, FIRST_FRESH)).replaceAll(String(FIRST_FRESH), NUMBER_MARK);
  const headers = { ...partnerHeaders(token), "content-type": "application/json" };
  const requests = [requestText("POST", "/orders", headers, body)];
  return {
    prepare: fresh.ready,
    async send(duration_ms: number, more: Partial<Load> = {}): Promise<Measured> {
      const numbered = { mark: NUMBER_MARK, first: fresh.take(0) };
      const load = { url: demo.base_url, requests, status: 201, duration_ms, numbered, ...more };
      const measured = await stage.measure("POST /orders", load);
      fresh.took(measured);
      return measured;
    },
  };
}

/** Placing orders and reading them, in an account that has `size` orders. */
export async function orderOperations(
  stage: Stage,
  account: Account,
  webhooks: Webhooks,
  size: number,
): Promise<Operation[]> {
  const { db, demo, checkout } = stage;
  const { account_id, pgbench_account_id, token, ask } = account;
  const { addProducts, productOf } = checkout.modules["bench/order-catalogue.ts"];
  const { fillOrderBook, bookPatient, ORDERS_PER_PATIENT } = checkout.modules["bench/order-book.ts"];
  const { orderPgbench, SAMPLE_NUMBER } = checkout.modules["bench/order-pgbench.ts"];
  const orders = await orderLoad(stage, account);
  await addProducts(db, pgbench_account_id);
  const ofPgbench = freshPatients(stage, pgbench_account_id, FIRST_OF_PGBENCH);

  await freshPatients(stage, account_id, SAMPLE_NUMBER).ready(0);
  const made = await ask("/orders", { method: "POST", body: bodyOf(stage, SAMPLE_NUMBER) });
  const sample = String(made.json["order_number"]);
  await fillOrderBook(stage, account_id, { sample, product: productOf(SAMPLE_NUMBER), count: size });
  await freshPatients(stage, pgbench_account_id, SAMPLE_NUMBER).ready(0);
  const pgbenchFrom = await orderPgbench(stage, pgbench_account_id, (number) => bodyOf(stage, number));
  // Matches a database that has run for a while.
  await db.raw("vacuum analyze");
  await db.raw("checkpoint");

  const url = demo.base_url;
  const headers = partnerHeaders(token);
  const get = (path: string, more: Record<string, string> = {}) => requestText("GET", path, { ...headers, ...more });
  const pgbench = async (duration_ms: number) => {
    const seconds = pgbenchSeconds(duration_ms);
    await ofPgbench.ready(seconds * 1000);
    const ceiling = stage.pgbench({ ...pgbenchFrom(ofPgbench.take(0)), duration_ms });
    if (ceiling === null) return null;
    // Some of its clients are ahead of others.
    const count = Math.ceil(ceiling.per_second * seconds * 1.5) + LEAST_OF_PGBENCH;
    ofPgbench.took({ count, per_second: ceiling.per_second });
    return ceiling;
  };
  const posting = httpOperation(stage, {
    key: "post-order",
    name: "POST /orders",
    ...orders,
    ceiling: pgbench,
    settle: webhooks.settled,
    atHalfLoad: (half) => webhooks.firstAttempts(half),
  });

  const patients = Math.max(1, Math.floor(size / ORDERS_PER_PATIENT));
  const lists = spaced(patients, READ_ORDERS).map((nth) => `/orders?patient_id=${bookPatient(nth)}`);
  const { numbers, cursors } = await walk(account);
  const singles = numbers.map((number) => `/orders/${number}`);
  const firstPage = `/orders?limit=${PAGE}`;
  const etags = await Promise.all(lists.map(async (path) => (await ask(path)).etag!));
  const answers: Record<string, string> = {};
  for (const path of [firstPage, singles[0]!, lists[0]!]) answers[path] = (await ask(path)).text;
  const reading = (key: string, name: string, paths: string[], like: string, load: Partial<Load> = {}) => {
    // A bare route ignores the query.
    const route = { method: "GET" as const, path: like.split("?")[0]!, status: 200, body: answers[like]! };
    const bare = bareCeiling(stage, route);
    const requests = load.requests ?? paths.map((path) => get(path));
    return httpOperation(stage, {
      key,
      name,
      send: (duration_ms, more) => stage.measure(name, { url, requests, duration_ms, ...load, ...more }),
      ceiling: (duration_ms) => bare(get(like), duration_ms),
    });
  };
  return [
    posting,
    reading("list-orders", "GET /orders, 25", [firstPage], firstPage),
    reading(
      "deep-page",
      "GET /orders, 25, a deep page",
      cursors.map((cursor) => `${firstPage}&cursor=${cursor}`),
      firstPage,
    ),
    reading("get-order", "GET /orders/{n}", singles, singles[0]!),
    reading("patient-orders", "GET /orders?patient_id=", lists, lists[0]!),
    reading("not-modified", "304 to ?patient_id=", lists, lists[0]!, {
      status: 304,
      requests: lists.map((path, nth) => get(path, { "if-none-match": etags[nth]! })),
    }),
  ];
}

/** Order numbers, and the cursors of the deepest pages, found as a partner finds them. */
async function walk({ ask }: Account): Promise<{ numbers: string[]; cursors: string[] }> {
  const numbers: string[] = [];
  const cursors: string[] = [];
  let query = "";
  for (let page = 0; page < WALKED.pages; page++) {
    const { json } = await ask(`/orders?limit=${WALKED.limit}${query}`);
    numbers.push(...(json["orders"] as { order_number: string }[]).map(({ order_number }) => order_number));
    const next = json["next_cursor"];
    if (typeof next !== "string") break;
    cursors.push(next);
    query = `&cursor=${next}`;
  }
  // The last page may be short.
  return { numbers: spaced(numbers.length, READ_ORDERS).map((nth) => numbers[nth]!), cursors: cursors.slice(-9, -1) };
}

/** At most `most` of the numbers below `count`, evenly. */
const spaced = (count: number, most: number) =>
  Array.from({ length: Math.min(count, most) }, (_, nth) => Math.floor((nth * count) / Math.min(count, most)));

/** Patients with an unused prescription, created before a load needs them. */
function freshPatients(stage: Stage, account_id: string, first: number) {
  const { addPatients } = stage.checkout.modules["chaos/add-patients.ts"];
  const { productOf } = stage.checkout.modules["bench/order-catalogue.ts"];
  const { patientId, ORDERS_PER_PATIENT, PACKAGE_SIZE } = stage.checkout.modules["bench/order-book.ts"];
  const patientOf = (number: number) => ({
    patient_id: patientId(number),
    patient_key: number,
    prescriptions: [
      {
        prescription_id: number,
        product: productOf(number),
        written_qty: PACKAGE_SIZE,
        refills: ORDERS_PER_PATIENT - 1,
      },
    ],
  });
  let [next, prepared, per_second] = [first, first, LEAST_PER_SECOND];
  const prepare = async (count: number) => {
    const numbers = Array.from({ length: count }, (_, index) => prepared + index);
    await addPatients(stage, account_id, numbers.map(patientOf));
    prepared += count;
  };
  /** The number of the first of them. */
  const take = (count: number): number => {
    const number = next;
    next += count;
    if (next > prepared) throw new Error("there are not enough prescriptions for this many orders");
    return number;
  };
  return {
    take,
    async ready(duration_ms: number) {
      const missing = Math.ceil((per_second * MARGIN * duration_ms) / 1000) + LEAST_PREPARED - (prepared - next);
      if (missing > 0) await prepare(missing);
    },
    took(load: { count: number; per_second: number }) {
      take(load.count);
      per_second = Math.max(per_second, load.per_second);
    },
  };
}

function bodyOf({ checkout }: Stage, number: number) {
  const { patientId, PACKAGE_SIZE } = checkout.modules["bench/order-book.ts"];
  return {
    shipping: { method_id: 1 },
    patient: {
      patient_id: patientId(number),
      patient_safety: { medications: [], health_conditions: [], allergies: [] },
    },
    items: [{ prescription_id: number, quantity: 1, package_size: PACKAGE_SIZE }],
  };
}
