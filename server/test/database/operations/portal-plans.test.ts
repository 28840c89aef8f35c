import { afterAll, beforeAll, expect, test } from "vitest";
import {
  findExcessBefore,
  listErrorGroups,
  listOwnRequests,
  listRequests,
  loadRequest,
  type RequestFilter,
} from "../../../src/db/operations/request-log.ts";
import { listLatencies, listUsageHours } from "../../../src/db/operations/request-usage.ts";
import { listNewestEvents } from "../../../src/db/webhooks/portal-webhooks.ts";
import { rowsRead } from "../../support/sql/rows-read.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const REQUESTS = 200_000;
const EVENTS = 50_000;
/** Plus the row that shows whether there are more, and the one at which reading stopped. */
const PAGE = 52;
/** One more row per week of events may be read, to find the next one. */
const WEEKS = 10;
const DAY_MS = 24 * 3600 * 1000;

let app: TestApp;
let account_id: string;
beforeAll(async () => {
  app = await startTestApp();
  ({ account_id } = app.demo.partners[0]!);
  // Without the service's limit: on a busy machine a statement takes longer.
  const client = await app.owner.connect();
  // One request a second; one in two thousand is rejected.
  await client.query(
    `insert into request_log (account_id, at, request_id, credential_id, method, route, status, duration_ms, error_codes)
    select $1, now() - n * interval '1 second', gen_random_uuid(), 'aaaaaaaa', 'GET', '/orders',
      case when n % 2000 = 0 then 422 else 200 end, 3, case when n % 2000 = 0 then '{42206}'::int[] else '{}' end
    from generate_series(1, ${REQUESTS}) n`,
    [account_id],
  );
  await client.query("select set_config('pestle.copying', 'on', false)");
  await client.query(
    `insert into webhook_event (account_id, event_id, event_type, body, created_at, order_number)
    select $1, gen_random_uuid(), case when n % 20000 = 0 then 'ENDPOINT_DISABLED' else 'RX_UPDATED' end, '{}', now(),
      upper(lpad(to_hex(n / 5), 10, '0'))
    from generate_series(1, ${EVENTS}) n`,
    [account_id],
  );
  await client.query("vacuum analyze");
  await client.end();
}, 120_000);
afterAll(() => app.stop());

const any: RequestFilter = {
  credential_id: null,
  method: null,
  route: null,
  status: null,
  error_code: null,
  since: new Date(Date.now() - 14 * DAY_MS),
  errors: false,
};
const newest = { at: new Date("9999-12-31T00:00:00Z"), request_id: "00000000-0000-0000-0000-000000000000" };
/** Only the log's own tables count. */
const most = async (table: RegExp, work: Parameters<typeof rowsRead>[1]) =>
  (await rowsRead(app.deps.db, work)).filter((one) => table.test(one.table)).reduce((sum, { rows }) => sum + rows, 0);

test("a page of requests, a page of errors, and a request by its id read only those rows", async () => {
  const page = (filter: Partial<RequestFilter>, before = newest) =>
    most(/^request_log/, (tx) => listRequests(tx, account_id, { ...any, ...filter }, before, 51));
  expect(await page({})).toBeLessThanOrEqual(PAGE);
  expect(await page({}, { ...newest, at: new Date(Date.now() - DAY_MS) })).toBeLessThanOrEqual(PAGE);
  // PostgreSQL 15 scans the list of all requests here, and finds enough errors within two pages of it.
  expect(await page({ errors: true })).toBeLessThanOrEqual(2 * PAGE);
  expect(await page({ errors: true, error_code: 42206 })).toBeLessThanOrEqual(2 * PAGE);
  const [one] = await listRequests(app.deps.db, account_id, any, { ...newest, at: new Date(Date.now() - DAY_MS) }, 1);
  expect(await most(/^request_log/, (tx) => loadRequest(tx, account_id, one!.request_id))).toBe(1);
});

test("a page of the API's list of requests reads a bounded number of them, however few match", async () => {
  const none = { statuses: null, method: null, route: null, since: any.since };
  const page = (filter: Partial<typeof none> | { statuses: { from: number; to: number } }, before = newest) =>
    most(/^request_log/, (tx) => listOwnRequests(tx, account_id, { ...none, ...filter }, before, 50));
  expect(await page({})).toBeLessThanOrEqual(PAGE);
  expect(await page({ statuses: { from: 422, to: 422 } })).toBeLessThanOrEqual(5_001);
  expect(await page({ statuses: { from: 300, to: 399 } })).toBeLessThanOrEqual(5_001);
  const { rows, next } = await listOwnRequests(
    app.deps.db,
    account_id,
    { ...none, statuses: { from: 300, to: 399 } },
    newest,
    50,
  );
  expect([rows, next]).toEqual([[], expect.objectContaining({ request_id: expect.any(String) })]);
  const totals = (tx: Parameters<typeof findExcessBefore>[0]) => findExcessBefore(tx, account_id, any.since, 1_000);
  expect(await most(/^request_log/, totals)).toBe(0);
});

test("error groups and the usage of a month read only errors and totals", async () => {
  const since = new Date(Date.now() - DAY_MS);
  const errors = Math.ceil(86_400 / 2000) + 1;
  expect(
    await most(/^request_log/, (tx) => listErrorGroups(tx, account_id, { since, until: new Date() }, 50_000)),
  ).toBeLessThanOrEqual(errors);
  const month = new Date(Date.now() - 30 * DAY_MS);
  await rowsRead(app.deps.db, async (tx) => {
    await listUsageHours(tx, account_id, month);
    await listLatencies(tx, account_id, month);
  }).then((read) => expect(read.filter(({ table }) => table === "request_log")).toEqual([]));
});

test("a page of the event inbox reads a bounded number of events, however few of them match", async () => {
  const none = {
    ...{ event_type: null, order_number: null, delivered: null, status: null, endpoint_id: null },
    ...{ created_after: null, created_before: null },
  };
  const start = { feed_position: Number.MAX_SAFE_INTEGER, event_position: Number.MAX_SAFE_INTEGER };
  const page = (filter: object) =>
    most(/^webhook_event/, (tx) => listNewestEvents(tx, account_id, { ...none, ...filter }, start, 50));
  expect(await page({})).toBeLessThanOrEqual(PAGE + WEEKS);
  expect(await page({ order_number: "0000000100" })).toBeLessThanOrEqual(5);
  expect(await page({ event_type: "ENDPOINT_DISABLED" })).toBeLessThanOrEqual(1_000 + WEEKS);
  expect(await page({ status: "failed" })).toBeLessThanOrEqual(1_000 + WEEKS);
  expect(await page({ created_before: new Date(0) })).toBeLessThanOrEqual(1_000 + WEEKS);
});
