import { randomUUID } from "node:crypto";
import type {
  LoggedRequest,
  PortalErrorGroup,
  PortalRequest,
  PortalRequestDetails,
  PortalUsage,
} from "@pestle/contract";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { latencyBucket, latencyPercentile } from "../../../src/domain/operations/latency-buckets.ts";
import { createRequestLog } from "../../../src/request-log.ts";
import { keepRequests, limitRequests } from "../../../src/usecases/operations/keep-requests.ts";
import { tidy } from "../../../src/usecases/operations/tidy.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { signedIn, type WebPerson } from "../../support/web.ts";

let app: TestApp;
let willow: WebPerson;
let juniper: WebPerson;
beforeAll(async () => {
  app = await startTestApp();
  willow = await signedIn(app, app.demo.partners[0]!.portal);
  juniper = await signedIn(app, app.demo.partners[1]!.portal);
});
afterAll(() => app.stop());

const P = "/portal/sandbox";
const DAY_MS = 24 * 3600 * 1000;
/** The job would do it within a second. */
const kept = () => keepRequests(app.deps);
const logged = async (query = "", who = willow): Promise<PortalRequest[]> =>
  (await who.get(`${P}/requests${query}`)).body.requests;

describe("the request log", () => {
  test("shows a request by X-Request-Id as its answer described it, without the request's content", async () => {
    const secret = "whom-it-is-about";
    const answer = await app.call(`/v1/orders?reference=${secret}&limit=7`);
    const refused = await app.call("/patients/nobody-here-1/shipping_address", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ first_name: secret, zip: "1" }),
    });
    const unknown = await app.call("/orders/0123456789");
    await kept();
    const bodies: (string | null)[] = [];
    const by = async (sent: Response) => {
      const request_id = sent.headers.get("x-request-id")!;
      const { body, ...found } = (await willow.get(`${P}/requests/${request_id}`)).body as PortalRequestDetails;
      expect(await logged(`?request_id=${request_id}`)).toEqual([found]);
      bodies.push(body);
      return found;
    };
    const [read, written, missed] = [await by(answer), await by(refused), await by(unknown)];
    expect(read).toMatchObject({ method: "GET", route: "/orders", status: 200, credential_name: "demo", errors: [] });
    expect(read.duration_ms).toBeGreaterThan(0);
    expect(written).toMatchObject({ method: "POST", route: "/patients/{patient_id}/shipping_address" });
    expect(written.status).toBe(refused.status);
    expect(missed).toMatchObject({ route: "/orders/{order_number}", status: 404 });
    expect(missed.errors).toMatchObject([{ code: "404", title: "Not Found" }]);
    // Only a rejected body is kept, without its values.
    expect(bodies).toEqual([null, JSON.stringify({ first_name: "xxxx-xx-xx-xxxxx", zip: "9" }, null, 2), null]);
    const { rows } = await app.deps.db.raw("select * from request_log");
    for (const hidden of [secret, "nobody-here-1", "0123456789", "limit=7"]) {
      expect(JSON.stringify(rows)).not.toContain(hidden);
    }
  });

  test("explains numbered errors with the table's text", async () => {
    const answer = await app.call("/orders", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    const { errors } = (await answer.json()) as { errors: { code: number }[] };
    await kept();
    const [request] = await logged(`?request_id=${answer.headers.get("x-request-id")}`);
    expect(request!.errors.map(({ code }) => Number(code))).toEqual(errors.map(({ code }) => code));
    expect(request!.errors.find(({ code }) => code === "42206")).toEqual({
      code: "42206",
      title: "Invalid Patient Id",
      field: "patient.patient_id",
      resolution: "Your account has no such patient. Use the `patient_id` from the `RX_RECEIVED` webhook.",
    });
  });

  test("is newest first, in pages without repeats or gaps, with filters", async () => {
    for (let i = 0; i < 7; i++) await app.call(i % 2 === 0 ? "/brands" : "/orders/ZZZZZZZZZZ");
    await kept();
    const all = await logged("?limit=200");
    expect([...all].sort((a, b) => (a.at < b.at ? 1 : -1)).map(({ at }) => at)).toEqual(all.map(({ at }) => at));
    const paged: PortalRequest[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: { requests: PortalRequest[]; next_cursor: string | null } = (
        await willow.get(`${P}/requests?limit=2${cursor && `&cursor=${cursor}`}`)
      ).body;
      paged.push(...page.requests);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(all);
    const only = (keep: (request: PortalRequest) => boolean) => all.filter(keep);
    expect(await logged("?limit=200&errors=true")).toEqual(only(({ status }) => status >= 400));
    expect(await logged("?limit=200&status=404")).toEqual(only(({ status }) => status === 404));
    expect(await logged("?limit=200&route=%2Fbrands")).toEqual(only(({ route }) => route === "/brands"));
    expect(await logged("?limit=200&method=POST")).toEqual(only(({ method }) => method === "POST"));
    expect(await logged("?limit=200&error_code=42206")).toEqual(
      only(({ errors }) => errors.some(({ code }) => code === "42206")),
    );
    expect(await logged(`?limit=200&until=${all[2]!.at}`)).toEqual(only(({ at }) => at < all[2]!.at));
    expect(await logged(`?limit=200&since=${all[2]!.at}`)).toEqual(only(({ at }) => at >= all[2]!.at));
    const { credential_id } = all[0]!;
    expect(await logged(`?limit=200&credential_id=${credential_id}`)).toEqual(all);
    for (const wrong of ["limit=0", "status=9", "errors=yes", "since=today", "cursor=x", "order=asc"]) {
      expect((await willow.get(`${P}/requests?${wrong}`)).status).toBe(400);
    }
  });

  test("shows a partner only its own requests", async () => {
    const mine = await app.call("/brands");
    await kept();
    const request_id = mine.headers.get("x-request-id");
    expect((await willow.get(`${P}/requests/${request_id}`)).status).toBe(200);
    expect((await juniper.get(`${P}/requests/${request_id}`)).status).toBe(404);
    expect(await logged(`?request_id=${request_id}`, juniper)).toEqual([]);
    expect((await logged("", juniper)).length).toBe(0);
  });

  /** The account's own list, over the API. */
  const own = async (query = "", partner = 0) => {
    const response = await app.call(`/requests${query}`, { partner });
    const body = (await response.json()) as { requests: LoggedRequest[]; next_cursor: string | null };
    return { status: response.status, link: response.headers.get("link"), ...body };
  };

  test("is also in the API: the portal's requests without bodies, and none of those that read the list", async () => {
    await own();
    await app.call(`/v1/requests/${randomUUID()}`);
    await kept();
    const { client_id } = app.demo.partners[0]!;
    const { requests } = await own("?limit=200");
    expect(requests).toEqual(
      (await logged("?limit=200")).map(({ at, route, credential_id, credential_name: _, errors, ...same }) => ({
        ...same,
        requested_at: at,
        path: route,
        client_id: client_id.replace(/-.*/, `-${credential_id}`),
        errors: errors.map(({ code, ...hint }) => ({ code: Number(code), ...hint })),
      })),
    );
    expect(requests.filter(({ path }) => path.startsWith("/requests"))).toEqual([]);
    expect(requests.map((request) => request.client_id)).toContain(client_id);
    const refused = requests.find(({ status }) => status === 422)!;
    expect(await (await app.call(`/requests/${refused.request_id.toUpperCase()}`)).json()).toEqual(refused);
    for (const id of [randomUUID(), "x", `${refused.request_id}0`]) {
      expect((await app.call(`/requests/${id}`)).status).toBe(404);
    }
  });

  test("in the API has pages without repeats or gaps, with filters, for its account alone", async () => {
    const { requests: all } = await own("?limit=200");
    const paged: LoggedRequest[] = [];
    for (let query = "?limit=3"; query !== ""; ) {
      const { requests, next_cursor, link } = await own(query);
      paged.push(...requests);
      expect(link === null).toBe(next_cursor === null);
      query = next_cursor === null ? "" : `?limit=3&cursor=${next_cursor}`;
      if (next_cursor !== null && paged.length === 3) expect((await own(query, 1)).status).toBe(400);
    }
    expect(paged).toEqual(all);
    const only = (keep: (request: LoggedRequest) => boolean) => ({ requests: all.filter(keep), next_cursor: null });
    const [, , third] = all;
    const id = third!.request_id;
    expect(await own("?limit=200&status=4xx")).toMatchObject(only(({ status }) => status >= 400 && status < 500));
    expect(await own("?limit=200&status=errors")).toMatchObject(only(({ status }) => status >= 400));
    expect(await own("?limit=200&status=200")).toMatchObject(only(({ status }) => status === 200));
    expect(await own("?limit=200&method=POST")).toMatchObject(only(({ method }) => method === "POST"));
    expect(await own("?limit=200&path=%2Forders%2F%7Border_number%7D&status=404")).toMatchObject(
      only(({ path }) => path === "/orders/{order_number}"),
    );
    expect(await own(`?limit=200&since=${third!.requested_at}`)).toMatchObject(
      only(({ requested_at }) => requested_at >= third!.requested_at),
    );
    expect(await own(`?request_id=${id}`)).toMatchObject(only(({ request_id }) => request_id === id));
    expect(await own(`?request_id=${id}&status=5xx`)).toMatchObject({ requests: [] });
    expect(await own("", 1)).toMatchObject({ requests: [], next_cursor: null });
    expect(await own(`?request_id=${id}`, 1)).toMatchObject({ requests: [] });
    expect((await app.call(`/requests/${id}`, { partner: 1 })).status).toBe(404);
    for (const wrong of ["limit=0", "status=9xx", "status=4", "method=LOOK", "path=%2Fnone", "since=now", "cursor=x"]) {
      expect([wrong, (await own(`?${wrong}`)).status]).toEqual([wrong, 400]);
    }
    expect((await own("?request_id=7")).status).toBe(400);
  });

  test("groups errors by cause, with location, count and the newest example", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift((await app.call("/orders/YYYYYYYYYY")).headers.get("x-request-id")!);
    await kept();
    const { groups } = (await willow.get(`${P}/request_errors?hours=1`)).body;
    const notFound = groups.find(({ code }: { code: string }) => code === "404");
    expect(notFound).toMatchObject({ status: 404, title: "Not Found", request_ids: expect.arrayContaining(ids) });
    const all = await logged("?limit=200&errors=true");
    const withCode = (code: string) => all.filter(({ errors }) => errors.some((one) => one.code === code)).length;
    for (const { code, count } of groups) expect([code, count]).toEqual([code, withCode(code)]);
    expect(groups.length).toBeGreaterThan(3);
    expect((await willow.get(`${P}/request_errors?hours=169`)).status).toBe(400);

    // The same between two times: from the first one, and before the second one.
    const between = async (query: string) => (await willow.get(`${P}/request_errors?${query}`)).body.groups;
    const last = all[0]!.at;
    expect(await between(`since=${all.at(-1)!.at}`)).toEqual(groups);
    expect(await between(`since=${last}&until=${last}`)).toEqual([]);
    const before = (await between(`until=${last}`)) as PortalErrorGroup[];
    expect(before.reduce((sum, { count }) => sum + count, 0)).toBeLessThan(
      (groups as PortalErrorGroup[]).reduce((sum, { count }) => sum + count, 0),
    );
    expect((await willow.get(`${P}/request_errors?since=today`)).status).toBe(400);
  });

  test("is written by the job, after the answers", async () => {
    const sent = await app.call("/brands");
    const path = `${P}/requests/${sent.headers.get("x-request-id")}`;
    await expect.poll(async () => (await willow.get(path)).status).toBe(200);
  });

  test("keeps each request for the configured days, and its totals for longer", async () => {
    await app.call("/brands");
    await kept();
    expect((await tidy(app.deps)).requests).toBe(0);
    const before = (await willow.get(`${P}/usage`)).body.totals.requests;
    app.advance(app.config.REQUEST_LOG_DAYS * DAY_MS + 60_000);
    willow = await signedIn(app, app.demo.partners[0]!.portal);
    expect((await tidy(app.deps)).requests).toBeGreaterThan(10);
    expect(await logged()).toEqual([]);
    const usage = (await willow.get(`${P}/usage?hours=720`)).body as PortalUsage;
    expect(usage.totals.requests).toBe(before);
  });
});

describe("requests queued for the log", () => {
  const request = (n: number) => ({
    account_id: app.demo.partners[1]!.account_id,
    at: new Date(Date.now() + n),
    request_id: randomUUID(),
    credential_id: "abcdefgh",
    method: "GET",
    route: "/brands",
    status: 200,
    duration_ms: 1,
    refused: undefined,
    body: null,
  });

  test("are bounded: excess requests are counted and dropped, and the metrics show the count", async () => {
    const log = createRequestLog(3);
    for (let n = 0; n < 5; n++) log.add(request(n));
    const deps = { ...app.deps, request_log: log };
    await keepRequests(deps);
    expect(log.oldest(10)).toEqual([]);
    expect(await app.deps.metrics.text()).toContain("pestle_request_log_dropped_total 2");
    for (let n = 0; n < 2; n++) log.add(request(n));
    expect(log.takeDropped()).toBe(0);
  });

  test("wait while the database is down, and a batch that is written twice counts once", async () => {
    const log = createRequestLog();
    const batch = Array.from({ length: 4 }, (_, n) => request(n));
    for (const one of batch) log.add(one);
    const away = { ...app.deps.db, run: () => Promise.reject(new Error("away")) };
    await expect(keepRequests({ ...app.deps, db: away, request_log: log })).rejects.toThrow("away");
    expect(log.oldest(10)).toEqual(batch);
    const sum = async () =>
      (
        await app.deps.db.raw("select sum(requests)::int as sum from request_minute where account_id = $1", [
          batch[0]!.account_id,
        ])
      ).rows[0]!["sum"];
    const before = Number((await sum()) ?? 0);
    await keepRequests({ ...app.deps, request_log: log });
    for (const one of batch) log.add(one);
    await keepRequests({ ...app.deps, request_log: log });
    expect(await sum()).toBe(before + 4);
  });
});

describe("usage", () => {
  test("sums a known set of requests by hour: counts, percentiles, the busiest minute and the remaining limit", async () => {
    const { account_id } = app.demo.partners[1]!;
    const hour_ms = Math.floor(app.deps.now().getTime() / 3_600_000) * 3_600_000 - 3 * 3_600_000;
    const log = createRequestLog();
    const add = (at_ms: number, status: number, duration_ms: number, credential_id = "aaaaaaaa") =>
      log.add({
        account_id,
        at: new Date(at_ms),
        request_id: randomUUID(),
        credential_id,
        method: "GET",
        route: "/v1/orders/:order_number",
        status,
        duration_ms,
        refused: undefined,
        body: null,
      });
    // A hundred within a minute, each one percent slower, and errors of every kind.
    for (let n = 1; n <= 100; n++) add(hour_ms + 60_000 + n, 200, n);
    for (let n = 0; n < 5; n++) add(hour_ms + 30 * 60_000 + n, 422, 10);
    for (let n = 0; n < 3; n++) add(hour_ms + 31 * 60_000 + n, 429, 1, "bbbbbbbb");
    add(hour_ms + 32 * 60_000, 503, 10);
    // The next hour has its own row.
    add(hour_ms + 3_600_000, 200, 40);
    await keepRequests({ ...app.deps, request_log: log });
    juniper = await signedIn(app, app.demo.partners[1]!.portal);
    const usage = (await juniper.get(`${P}/usage?hours=5`)).body as PortalUsage;
    expect(usage.hours).toHaveLength(5);
    expect(usage.limit).toEqual({ rate_per_second: 25, burst: 50 });
    const [, first, second, third] = usage.hours;
    expect(first).toMatchObject({
      hour: new Date(hour_ms).toISOString(),
      requests: 109,
      client_errors: 5,
      server_errors: 1,
      limited: 3,
      busiest_per_second: 1.67,
      headroom: 0.933,
    });
    expect(Math.abs(first!.p50_ms! / 46 - 1)).toBeLessThan(0.06);
    expect(Math.abs(first!.p99_ms! / 99 - 1)).toBeLessThan(0.06);
    expect(second).toMatchObject({ requests: 1, client_errors: 0 });
    expect(third).toMatchObject({ requests: 0, p50_ms: null, p99_ms: null, headroom: 1 });
    expect(usage.totals.requests).toBe(110);
    expect((await juniper.get(`${P}/usage?hours=0`)).status).toBe(400);
  });

  test("percentiles are accurate within a twentieth, for any durations", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.2, max: 60_000, noNaN: true }), { minLength: 1, maxLength: 200 }),
        fc.constantFrom(0.5, 0.99),
        (times, share) => {
          const counted = new Map<number, number>();
          for (const ms of times) counted.set(latencyBucket(ms), (counted.get(latencyBucket(ms)) ?? 0) + 1);
          const told = latencyPercentile(
            [...counted].map(([bucket, requests]) => ({ bucket, requests })),
            share,
          )!;
          const exact = [...times].sort((a, b) => a - b)[Math.max(0, Math.ceil(times.length * share) - 1)]!;
          expect(Math.abs(told - exact)).toBeLessThanOrEqual(exact * 0.055 + 0.01);
        },
      ),
    );
  });
});

test("the log of an account keeps the newest requests only", async () => {
  const { account_id } = app.demo.partners[1]!;
  const log = createRequestLog();
  const minute_ms = Math.floor(app.deps.now().getTime() / 60_000) * 60_000;
  const ids: string[] = [0, 1, 2].flatMap((minutes) =>
    [1, 2].map((n) => {
      const request_id = randomUUID();
      const at = new Date(minute_ms - minutes * 60_000 + n);
      const what = { credential_id: "abcdefgh", method: "GET", route: "/brands", status: 200, duration_ms: 1 };
      log.add({ account_id, at, request_id, ...what, refused: undefined, body: null });
      return request_id;
    }),
  );
  const deps = { ...app.deps, request_log: log };
  await keepRequests(deps);
  const listed = async () =>
    (await logged("?limit=200", await signedIn(app, app.demo.partners[1]!.portal))).map(({ request_id }) => request_id);
  expect((await listed()).filter((id) => ids.includes(id))).toHaveLength(6);
  expect(await limitRequests({ ...deps, config: { ...deps.config, REQUEST_LOG_ROWS: 1_000_000 } })).toBe(0);
  // The limit is reached within the second minute, which stays.
  await limitRequests({ ...deps, config: { ...deps.config, REQUEST_LOG_ROWS: 3 } });
  expect((await listed()).filter((id) => ids.includes(id))).toHaveLength(4);
});
