import type { Order } from "@pestle/contract";
import { addPatients } from "../chaos/add-patients.ts";
import { cursorOf } from "../server/src/http/page.ts";
import { changeQuotas } from "../server/src/usecases/accounts/quotas.ts";
import type { BareRoute } from "./bare-route.ts";
import { startChild } from "./child.ts";
import type { Load, Measured } from "./load.ts";
import { bookPatient, fillOrderBook, ORDERS_PER_PATIENT, PACKAGE_SIZE, patientId } from "./order-book.ts";
import { addProducts, productOf } from "./order-catalogue.ts";
import { orderPgbench, SAMPLE_NUMBER } from "./order-pgbench.ts";
import { type OrderRound, ordersReport } from "./order-report.ts";
import { issueToken } from "./prepare-account.ts";
import type { Report } from "./report.ts";
import { type Effort, onStage, type Stage, WARM_UP_MS } from "./stage.ts";

const SANDBOX = 0;
/** More than any measurement stores. */
const UNLIMITED = 1e15;
/** pgbench uses a separate account, because the addresses of its orders are copies that do not decrypt. */
const PRODUCTION = 2;
/** A placeholder of seven characters for a patient's number, which is also the prescription's number. */
const NUMBER_MARK = "@NUMBER";
const FIRST_FRESH = 2_000_000;
const FIRST_OF_PGBENCH = 6_000_000;
/** The service keeps getting faster for this many orders. */
const WARM_UP_ORDERS = 10_000;
/** More than any measurement needs; the first measurement shows the real number. */
const FIRST_GUESS_PER_SECOND = 5_000;
/** The minimum to prepare, even if the first measurement was slow. */
const LEAST_PER_SECOND = 1_000;
const MARGIN = 1.5;
const LISTED_PATIENTS = 200;
const PAGE = 25;
const DEEP_PAGES = 50;

/**
 * Orders placed and read a second in accounts with few and with many orders, measured close together, and compared
 * with pgbench running the same two statements and with the bare web framework.
 */
export function benchOrders({ rounds: count, round_ms }: Effort, sizes: readonly number[]): Promise<Report> {
  return onStages(sizes.length, async (stages) => {
    const accounts: Account[] = [];
    for (const [index, stage] of stages.entries()) {
      const begin_ms = Date.now();
      accounts.push(await openAccount(stage, sizes[index]!, { count, round_ms }));
      console.error(`${sizes[index]} orders loaded in ${((Date.now() - begin_ms) / 1000).toFixed(0)} s`);
    }
    const bare = await openBare(stages[0]!, accounts[0]!);
    for (const account of accounts) await account.warmUp();
    const rounds: OrderRound[] = [];
    for (let round = 1; round <= count; round++) {
      const bare_post = await bare("POST", round_ms);
      const bare_list = await bare("GET", round_ms);
      const by_size = [];
      for (const account of accounts) by_size.push(await account.measureAll(round_ms));
      rounds.push({ bare_post, bare_list, by_size });
    }
    const [{ measure }, { statementsPer }] = [accounts[0]!, stages[0]!];
    const statements = {
      post: await statementsPer(() => measure("post", WARM_UP_MS)),
      list: await statementsPer(() => measure("list", WARM_UP_MS)),
      not_modified: await statementsPer(() => measure("not_modified", WARM_UP_MS)),
    };
    return ordersReport(sizes, rounds, statements);
  });
}

/** Each with its own database and service. */
function onStages<Result>(
  count: number,
  work: (stages: Stage[]) => Promise<Result>,
  opened: Stage[] = [],
): Promise<Result> {
  if (opened.length === count) return work(opened);
  return onStage((stage) => onStages(count, work, [...opened, stage]));
}

type Account = Awaited<ReturnType<typeof openAccount>>;

/** An account with an order book, and all measurements in it. */
async function openAccount(stage: Stage, size: number, effort: { count: number; round_ms: number }) {
  const { db, demo } = stage;
  const partner = demo.partners[SANDBOX]!;
  const { account_id } = partner;
  const { account_id: pgbench_account_id } = demo.partners[PRODUCTION]!;
  await db.raw("update account set rate_per_second = 1000000, rate_burst = 1000000");
  for (const id of [account_id, pgbench_account_id]) await addProducts(db, id);
  await changeQuotas(db, account_id, { orders: UNLIMITED, stored_bytes: UNLIMITED });
  const token = await issueToken(demo.sandbox_auth_url, partner, "partners");
  const fresh = freshPatients(stage, account_id, FIRST_FRESH);
  const ofPgbench = freshPatients(stage, pgbench_account_id, FIRST_OF_PGBENCH);
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = {
      accept: "application/json",
      "content-type": "application/json",
      authorization: `Bearer ${token}`,
    };
    const response = await fetch(`${demo.base_url}${path}`, { ...init, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} got ${response.status}: ${text}`);
    return { text, etag: response.headers.get("etag") };
  };

  await fresh.prepare(1);
  const first = fresh.take(1);
  const made = await ask("/orders", { method: "POST", body: JSON.stringify(bodyOf(first)) });
  const { order_number: sample } = JSON.parse(made.text) as Order;
  await fillOrderBook(stage, account_id, { sample, product: productOf(first), count: size });
  await addPatients(stage, pgbench_account_id, [patientOf(SAMPLE_NUMBER)]);
  const pgbenchFrom = await orderPgbench(stage, pgbench_account_id, bodyOf);
  const guess = Math.ceil((FIRST_GUESS_PER_SECOND * WARM_UP_MS) / 1000);
  await fresh.prepare(guess + WARM_UP_ORDERS);
  await ofPgbench.prepare(guess);
  // Matches a database that has run for a while.
  await db.raw("vacuum analyze");
  await db.raw("checkpoint");

  const loads: Record<
    "post" | "list" | "first_page" | "deep_page" | "not_modified",
    Omit<Load, "connections" | "duration_ms">
  > = {
    post: {
      url: demo.base_url,
      requests: [postRequest(token)],
      status: 201,
    },
    list: { url: demo.base_url, requests: [] },
    first_page: { url: demo.base_url, requests: [getRequest(`/orders?limit=${PAGE}`, token)] },
    deep_page: { url: demo.base_url, requests: [] },
    not_modified: { url: demo.base_url, requests: [], status: 304 },
  };
  let list_body = "";
  const patients = Math.floor(size / ORDERS_PER_PATIENT);
  for (let nth = 0; nth < Math.min(LISTED_PATIENTS, patients); nth++) {
    const path = `/orders?patient_id=${bookPatient(Math.floor((nth * patients) / LISTED_PATIENTS))}`;
    const { text, etag } = await ask(path);
    list_body = text;
    loads.list.requests.push(getRequest(path, token));
    loads.not_modified.requests.push(getRequest(path, token, { "if-none-match": etag! }));
  }
  for (const cursor of await deepCursors(stage, account_id, size)) {
    loads.deep_page.requests.push(getRequest(`/orders?limit=${PAGE}&cursor=${cursor}`, token));
  }

  const measure = async (
    name: keyof typeof loads,
    duration_ms: number,
    more: Partial<Load> = {},
  ): Promise<Measured> => {
    if (name !== "post") return stage.measure(name, { ...loads[name], duration_ms, ...more });
    const numbered = { mark: NUMBER_MARK, first: fresh.take(0) };
    const measured = await stage.measure(name, { ...loads.post, duration_ms, numbered, ...more });
    fresh.take(measured.count);
    return measured;
  };
  const pgbench = (duration_ms: number): number => {
    const per_second = stage.pgbench({ ...pgbenchFrom(ofPgbench.take(0)), duration_ms });
    // Some of its clients are ahead of others.
    ofPgbench.take(Math.ceil((per_second * duration_ms * MARGIN) / 1000));
    return per_second;
  };
  return {
    list_body,
    order_body: made.text,
    post_request: loads.post.requests[0]!.replaceAll(NUMBER_MARK, String(FIRST_FRESH)),
    list_request: loads.list.requests[0]!,
    measure,
    async warmUp() {
      await measure("post", WARM_UP_MS / 2, { at_least: WARM_UP_ORDERS });
      const { per_second } = await measure("post", WARM_UP_MS / 2);
      const measured_s = (effort.count * effort.round_ms) / 1000;
      // The warm service may be faster now, and half as many orders more are placed at half load.
      await fresh.prepare(
        Math.ceil(Math.max(per_second, LEAST_PER_SECOND) * MARGIN * MARGIN * (measured_s * 1.5 + WARM_UP_MS / 1000)),
      );
      const of_pgbench = pgbench(WARM_UP_MS);
      await ofPgbench.prepare(Math.ceil(Math.max(of_pgbench, LEAST_PER_SECOND) * MARGIN * MARGIN * measured_s));
      for (const name of ["list", "first_page", "deep_page", "not_modified"] as const) await measure(name, WARM_UP_MS);
      await db.raw("vacuum analyze");
      await db.raw("checkpoint");
      await measure("post", WARM_UP_MS);
    },
    async measureAll(round_ms: number) {
      const post = await measure("post", round_ms);
      return {
        post,
        pgbench_per_second: pgbench(round_ms),
        half_load: await measure("post", round_ms, { due_per_second: post.per_second / 2 }),
        list: await measure("list", round_ms),
        first_page: await measure("first_page", round_ms),
        deep_page: await measure("deep_page", round_ms),
        not_modified: await measure("not_modified", round_ms),
      };
    },
  };
}

/** Cursors into the oldest tenth of the orders, each with a page after it. */
async function deepCursors({ db, vault }: Stage, account_id: string, size: number): Promise<string[]> {
  const { rows } = await db.raw(
    `select order_position
    from orders
    where account_id = $1
    order by order_position
    limit $2`,
    [account_id, Math.ceil(size / 10)],
  );
  const step = Math.floor((rows.length - PAGE) / DEEP_PAGES);
  return Array.from({ length: DEEP_PAGES }, (_, nth) => {
    const position = rows[PAGE + nth * step]!["order_position"];
    return cursorOf({ vault, account_id, list: "orders" }, Number(position));
  });
}

/** Patients with an unused prescription, created on demand. */
function freshPatients(stage: Stage, account_id: string, first: number) {
  let [next, prepared] = [first, first];
  return {
    async prepare(count: number) {
      await addPatients(
        stage,
        account_id,
        Array.from({ length: count }, (_, index) => patientOf(prepared + index)),
      );
      prepared += count;
    },
    /** The number of the first of them. */
    take(count: number): number {
      const number = next;
      next += count;
      if (next > prepared) throw new Error("there are not enough prescriptions for this many orders");
      return number;
    },
  };
}

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

const bodyOf = (number: number) => ({
  shipping: { method_id: 1 },
  patient: {
    patient_id: patientId(number),
    patient_safety: { medications: [], health_conditions: [], allergies: [] },
  },
  items: [{ prescription_id: number, quantity: 1, package_size: PACKAGE_SIZE }],
});

async function openBare(stage: Stage, account: Account) {
  const child = startChild("./bare-route.ts");
  stage.onClose(child.end);
  const routes: BareRoute[] = [
    { method: "POST", path: "/orders", status: 201, body: account.order_body },
    { method: "GET", path: "/orders", status: 200, body: account.list_body },
  ];
  const { url } = await child.ask(routes);
  const requests = { POST: account.post_request, GET: account.list_request };
  return (method: "POST" | "GET", duration_ms: number) =>
    stage.measure(`bare ${method}`, {
      url: String(url),
      requests: [requests[method]],
      duration_ms,
      status: method === "POST" ? 201 : 200,
    });
}

function postRequest(token: string): string {
  const body = JSON.stringify(bodyOf(FIRST_FRESH)).replaceAll(String(FIRST_FRESH), NUMBER_MARK);
  return request("POST", "/orders", token, { "content-type": "application/json", "content-length": body.length }, body);
}

const getRequest = (path: string, token: string, headers: Record<string, string> = {}) =>
  request("GET", path, token, headers, "");

function request(method: string, path: string, token: string, headers: Record<string, unknown>, body: string): string {
  const all = { host: "localhost", accept: "application/json", authorization: `Bearer ${token}`, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, "", body].join("\r\n");
}
