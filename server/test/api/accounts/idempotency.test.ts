import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { tidy } from "../../../src/usecases/operations/tidy.ts";
import { codesOf, expectConventions } from "../../support/conventions.ts";
import { createTestDatabase, startTestApp, type TestApp } from "../../support/test-app.ts";
import { DEMO_TEMPLATE, urlAs } from "../../support/test-cluster.ts";
import { type DatabaseProxy, openDatabaseProxy } from "../../support/tools/database-proxy.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const CLOCK_BACK = JSON.stringify({ simulation_type: "clock", simulation: { advance_seconds: -1 } });

let key = "";
let number = 0;
beforeEach(() => {
  key = `key-${++number}`;
});

/** Moves the clock of a partner's account by that many seconds, with this test's key by default. */
const move = (
  advance_seconds: unknown,
  options: { path?: string; key?: string | null; partner?: number; body?: string } = {},
) =>
  app.call(options.path ?? "/simulate", {
    method: "POST",
    partner: options.partner ?? 0,
    body: options.body ?? JSON.stringify({ simulation_type: "clock", simulation: { advance_seconds } }),
    headers: {
      "content-type": "application/json",
      ...(options.key === null ? {} : { "idempotency-key": options.key ?? key }),
    },
  });
const offset = async (partner = 0) => {
  const { rows } = await app.deps.db.raw("select clock_offset_s from account where account_id = $1", [
    app.demo.partners[partner]!.account_id,
  ]);
  return Number(rows[0]?.["clock_offset_s"]);
};

test("the first successful answer is replayed byte for byte, and nothing happens twice", async () => {
  const before = await offset();
  const first = await move(60);
  const text = await expectConventions(first, "partner");
  expect(first.headers.get("idempotent-replayed")).toBeNull();
  for (const path of ["/simulate", "/v1/simulate"]) {
    const again = await move(60, { path });
    expect(again.status).toBe(first.status);
    expect(await expectConventions(again, "partner")).toBe(text);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
  }
  expect((await offset()) - before).toBe(60);
});

test("the same body with its keys in another order is the same request", async () => {
  await move(60);
  const body = '{ "simulation": {"advance_seconds": 60}, "simulation_type": "clock" }';
  expect((await move(60, { body })).headers.get("idempotent-replayed")).toBe("true");
});

test("the same key with another body is 42299 and changes nothing", async () => {
  await move(60);
  const before = await offset();
  const response = await move(61);
  expect(response.status).toBe(422);
  expect(codesOf(await expectConventions(response, "partner"))).toEqual([[42299, "Idempotency-Key"]]);
  expect(await offset()).toBe(before);
  // Even if that body would be rejected anyway.
  for (const body of ["{}", CLOCK_BACK]) {
    expect(codesOf(await (await move(0, { body })).text())).toEqual([[42299, "Idempotency-Key"]]);
  }
});

test("a known key is replayed, regardless of later changes to the record", async () => {
  const send = (path: string, body: unknown) =>
    app.call(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", "idempotency-key": key },
    });
  const endpoint = { url: "http://127.0.0.1:1/hook", events: ["RX_RECEIVED"], secret: "s" };
  const { id } = (await (await send("/webhook_endpoints", endpoint)).json()) as { id: string };
  const first = await send(`/webhook_endpoints/${id}/test`, {});
  expect((await app.call(`/webhook_endpoints/${id}`, { method: "DELETE" })).status).toBe(204);
  const again = await send(`/webhook_endpoints/${id}/test`, {});
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([202, "true"]);
  expect(await again.text()).toBe(await first.text());
});

test("a rejected request stores nothing, and its key can be used again", async () => {
  expect((await move(-1)).status).toBe(422);
  const good = await move(60);
  expect([good.status, good.headers.get("idempotent-replayed")]).toEqual([202, null]);
});

test("a key belongs to one account: the same key of another account is another request", async () => {
  const before = await offset(1);
  await move(60);
  const other = await move(60, { partner: 1 });
  expect(other.headers.get("idempotent-replayed")).toBeNull();
  expect((await offset(1)) - before).toBe(60);
});

test("a key is stored for 24 hours and then deleted", async () => {
  const own = await startTestApp();
  const body = JSON.stringify({ simulation_type: "clock", simulation: { advance_seconds: 1 } });
  const headers = { "content-type": "application/json", "idempotency-key": "daily" };
  const send = async () =>
    (await own.call("/simulate", { method: "POST", body, headers, token: await own.token() })).headers.get(
      "idempotent-replayed",
    );
  expect(await send()).toBeNull();
  own.advance(11 * 3600_000);
  expect(await send()).toBe("true");
  expect((await tidy(own.deps)).answers).toBe(0);
  own.advance(13 * 3600_000 + 1000);
  expect((await tidy(own.deps)).answers).toBe(1);
  await own.stop();
});

test("without a key every request counts", async () => {
  const before = await offset();
  await move(5, { key: null });
  await move(5, { key: null });
  expect((await offset()) - before).toBe(10);
});

test("one key sent 100 times at once makes one change; the others are replays or get an in-progress answer", async () => {
  const before = await offset();
  const answers = await Promise.all(Array.from({ length: 100 }, () => move(7)));
  const fresh = answers.filter(({ status, headers }) => status === 202 && headers.get("idempotent-replayed") === null);
  expect(fresh).toHaveLength(1);
  for (const { status } of answers) expect([202, 409]).toContain(status);
  expect((await offset()) - before).toBe(7);
});

test("the sandbox clock moves forward only, and not beyond its limit", async () => {
  const before = await offset();
  for (const seconds of [0, -1, 1.5, "60", null, 1e12, 315_360_001]) {
    const response = await move(seconds, { key: null });
    expect(codesOf(await expectConventions(response, "partner"))).toEqual([[42200, "simulation.advance_seconds"]]);
  }
  expect(await offset()).toBe(before);
  await app.deps.db.raw("update account set clock_offset_s = 3153599999 where account_id = $1", [
    app.demo.partners[0]!.account_id,
  ]);
  expect((await move(1, { key: null })).status).toBe(202);
  expect((await move(1, { key: null })).status).toBe(422);
});

describe("a connection to the database that breaks at the commit", () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let proxy: DatabaseProxy;
  let behind: TestApp;
  beforeAll(async () => {
    database = await createTestDatabase(DEMO_TEMPLATE);
    proxy = await openDatabaseProxy(database.url);
    const DATABASE_URL = proxy.url(urlAs("service", database.url));
    behind = await startTestApp({ url: database.url, demo: inject("demo"), env: { DATABASE_URL } });
  });
  afterAll(async () => {
    await behind.stop();
    await proxy.close();
    await database.drop();
  });

  test.each(["before", "after"] as const)(
    "%s the database has it, a request with a key is carried out once",
    async (when) => {
      const at = async () => {
        const { account_id } = behind.demo.partners[0]!;
        const { rows } = await behind.owner.raw("select clock_offset_s from account where account_id = $1", [
          account_id,
        ]);
        return Number(rows[0]?.["clock_offset_s"]);
      };
      const ask = () =>
        behind.call("/simulate", {
          method: "POST",
          body: JSON.stringify({ simulation_type: "clock", simulation: { advance_seconds: 60 } }),
          headers: { "content-type": "application/json", "idempotency-key": key },
        });
      await behind.token();
      const from = await at();
      proxy.cutNextCommit(when);
      const first = await ask();
      expect(first.status).toBe(202);
      expect((await at()) - from).toBe(60);
      const again = await ask();
      expect([again.status, await again.text()]).toEqual([202, await first.text()]);
      expect((await at()) - from).toBe(60);
    },
  );
});
