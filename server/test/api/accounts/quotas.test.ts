import { randomUUID } from "node:crypto";
import {
  endpoints,
  errorDocUrl,
  QUOTA_MESSAGE,
  type QuotaName,
  quotaDraws,
  quotaNames,
  quotas,
} from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countAccount, listUsage } from "../../../src/db/accounts/usage.ts";
import { drawnBy, exhaustedBy, stateOf } from "../../../src/domain/accounts/quotas.ts";
import { createQuotaBook } from "../../../src/limits/quota-book.ts";
import { changeQuotas, readQuotas, usageExchange } from "../../../src/usecases/accounts/quotas.ts";
import { codesOf, expectConventions, withoutId } from "../../support/conventions.ts";
import { newOrder, placed, post } from "../../support/orders.ts";
import { simulate } from "../../support/simulate.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { runCommand } from "../../support/tools/run-command.ts";
import { until } from "../../support/tools/until.ts";
import { signedIn } from "../../support/web.ts";

describe("the table of quotas", () => {
  const STORES_NOTHING: Readonly<Record<string, string>> = {
    removeSafetyEntry: "marks an entry of the record as removed",
    removeShippingAddress: "removes an address",
    skipRefill: "moves a date of a schedule",
    pauseRefillSchedule: "replaces the status of a schedule",
    resumeRefillSchedule: "replaces the status of a schedule",
    cancelRefillSchedule: "replaces the status of a schedule",
    updateWebhookEndpoint: "replaces values of an endpoint",
    simulate: "has a row per kind of simulation",
  };

  test("has every operation of the partner API that writes, or the reason why it stores nothing", () => {
    const writes = endpoints.filter(({ server, method }) => server === "partner" && method !== "GET");
    for (const { operation_id } of writes) {
      const rows = [Object.hasOwn(quotaDraws, operation_id), Object.hasOwn(STORES_NOTHING, operation_id)];
      expect([operation_id, rows.filter(Boolean).length]).toEqual([operation_id, 1]);
    }
  });

  test("lets production act on its orders at any number, and counts the bytes of a body", () => {
    const nothing_left = stateOf(() => ({ used: 10, most: 0, environment: "production" }));
    expect(drawnBy("requestOrderAction", "production", {}, 9)).toBeUndefined();
    expect(exhaustedBy(drawnBy("createOrder", "production", {}, 9)!, nothing_left)).toBe("orders");
    const [small, large] = [10, 60_000].map((bytes) => drawnBy("addShippingAddress", "sandbox", {}, bytes)!);
    expect(large!.stored_bytes! - small!.stored_bytes!).toBe(59_990);
  });

  test("counts a patient only for a simulation that names none", () => {
    const drawn = (simulation: unknown) =>
      drawnBy("simulate", "sandbox", { simulation_type: "prescription", simulation }, 0);
    expect(drawn({})?.patients).toBe(1);
    expect(drawn({ patient: { first_name: "Wren" } })?.patients).toBe(1);
    expect(drawn({ patient: { patient_id: "wren-1004" } })?.patients).toBe(0);
    expect(drawn({ script: "<x/>" })?.prescriptions).toBe(1);
  });
});

test("a book keeps what it could not save, and counts it once", () => {
  const book = createQuotaBook();
  const used = () => book.read("a", "sandbox").orders.used;
  book.add("a", { orders: 2 });
  const taken = book.take();
  expect([taken, used()]).toEqual([[{ account_id: "a", quota: "orders", amount: 2 }], 2]);
  book.add("a", { orders: 1 });
  book.settle(taken, false);
  expect(used()).toBe(3);
  const again = book.take();
  book.settle(again, true);
  book.learn([{ account_id: "a", quota: "orders", used: 13, most: 20 }]);
  expect([used(), book.read("a", "sandbox").orders.most, book.take()]).toEqual([13, 20, []]);
  expect(book.read("b", "sandbox").orders).toEqual({ used: 0, most: quotas.orders.sandbox });
});

describe("an account", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ unlimited: true });
    // A count that began with the service must not end after those of the tests.
    const uncounted = () => Promise.all(app.demo.partners.map(({ account_id }) => listUsage(app.deps.db, account_id)));
    const counted = async () => (await uncounted()).every((rows) => rows.some(({ counted_at }) => counted_at !== null));
    await until(counted, "all accounts are counted");
  });
  afterAll(() => app.stop());

  const accountOf = (partner: number) => app.demo.partners[partner]!;
  /** Counts the rows, and lets the account store so many more. */
  async function leave(partner: number, more: Partial<Record<QuotaName, number | null>>): Promise<void> {
    const { account_id, environment } = accountOf(partner);
    await usageExchange(app.deps).run();
    await app.deps.db.transaction((tx) => countAccount(tx, account_id, app.deps.now));
    const counted = await readQuotas(app.deps.db, { account_id, environment });
    const changes = Object.entries(more).map(([name, left]) => [
      name,
      left === null ? null : counted.find(({ quota }) => quota === name)!.used + left,
    ]);
    await changeQuotas(app.deps.db, account_id, Object.fromEntries(changes));
    await usageExchange(app.deps).run();
  }
  const restore = (partner: number) => leave(partner, Object.fromEntries(quotaNames.map((name) => [name, null])));

  test("at its quota of orders gets 429, reads on, repeats what succeeded, and goes on when it has more", async () => {
    const { body } = await newOrder(app);
    const key = randomUUID();
    const first = await post(app, body, { headers: { "idempotency-key": key } });
    expect(first.status).toBe(201);
    expect(first.headers.get("quota-policy")).toBe(
      `"orders";q=${quotas.orders.sandbox}, "stored_bytes";q=${quotas.stored_bytes.sandbox}`,
    );
    expect(first.headers.get("quota")).toMatch(/^"orders";r=\d+, "stored_bytes";r=\d+$/);

    await leave(0, { orders: 0 });
    const other = (await newOrder(app)).body;
    const response = await app.call("/orders", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(other),
    });
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("3600");
    expect(response.headers.get("quota")).toMatch(/^"orders";r=0,/);
    const doc_url = errorDocUrl(app.addresses.base_url, 429);
    expect(JSON.parse(withoutId(await expectConventions(response, "partner")))).toEqual({
      error: { error_code: 429, message: QUOTA_MESSAGE, quota: "orders", doc_url },
    });

    const again = await post(app, body, { headers: { "idempotency-key": key } });
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([201, first.text, "true"]);
    const changed = await post(app, other, { headers: { "idempotency-key": key } });
    expect([changed.status, codesOf(changed.text)]).toEqual([422, [[42299, "Idempotency-Key"]]]);
    expect((await post(app, other, { headers: { "idempotency-key": randomUUID() } })).status).toBe(429);
    expect((await post(app, other, { path: "/orders?dry_run=true" })).body.would_create).toBe(true);
    expect((await app.call(`/orders/${first.body.order_number}`)).status).toBe(200);
    const canceled = await post(
      app,
      { event: "cancel" },
      {
        path: `/orders/${first.body.order_number}/partner_order_action_requests`,
      },
    );
    expect(canceled.status).toBe(201);
    expect((await simulate(app, "prescription", {})).status).toBe(202);

    await restore(0);
    expect((await post(app, other)).status).toBe(201);
  });

  test("takes as many orders as are left when they come at once, and a refused order costs nothing", async () => {
    const bodies = await Promise.all(Array.from({ length: 8 }, () => newOrder(app)));
    await leave(0, { orders: 3 });
    const wrong = await post(app, { ...bodies[0]!.body, brand_id: 4711 });
    expect(wrong.status).toBe(422);
    const made = await Promise.all(bodies.map(({ body }) => post(app, body)));
    expect(made.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(made.filter(({ status }) => status === 429)).toHaveLength(5);
    await restore(0);
  });

  test("stores no more events and bytes than its quotas, and other accounts go on", async () => {
    const event = (partner: number) => simulate(app, "event", { event_type: "RX_RECEIVED" }, { partner });
    await leave(0, { webhook_events: 1 });
    const events = [await event(0), await event(0), await event(1)];
    expect(events.map(({ status }) => status)).toEqual([202, 429, 202]);
    await leave(0, { webhook_events: null, stored_bytes: 0 });
    expect(JSON.parse((await event(0)).text)).toMatchObject({ error: { quota: "stored_bytes" } });
    expect((await simulate(app, "clock", { advance_seconds: 1 })).status).toBe(202);
    await restore(0);
    expect((await event(0)).status).toBe(202);
  });

  test("in production can cancel an order when it can store nothing more", async () => {
    const order = await placed(app, (await newOrder(app, { partner: 2 })).body, { partner: 2 });
    const { body } = await newOrder(app, { partner: 2 });
    await leave(2, { stored_bytes: 0 });
    expect((await post(app, body, { partner: 2 })).status).toBe(429);
    const path = `/orders/${order.order_number}/partner_order_action_requests`;
    expect((await post(app, { event: "cancel" }, { partner: 2, path })).status).toBe(201);
    await restore(2);
  });

  test("is counted as it is in the tables", async () => {
    await leave(0, {});
    const { account_id, environment } = accountOf(0);
    const { rows } = await app.deps.db.raw(
      `select (select count(*) from patient where account_id = $1) as patients,
        (select count(*) from prescription where account_id = $1) as prescriptions,
        (select count(*) from orders where account_id = $1) as orders,
        (select count(*) from webhook_event where account_id = $1) as webhook_events,
        (select sum(octet_length(body_sealed)) from webhook_event where account_id = $1) as event_bytes`,
      [account_id],
    );
    const shown = await readQuotas(app.deps.db, { account_id, environment });
    const used = Object.fromEntries(shown.map((row) => [row.quota, row.used])) as Record<QuotaName, number>;
    const { event_bytes, ...counted } = rows[0]!;
    for (const [name, count] of Object.entries(counted))
      expect([name, used[name as QuotaName]]).toEqual([name, Number(count)]);
    expect(used.stored_bytes).toBeGreaterThan(Number(event_bytes));
  });

  test("has the same quotas and one rate in the portal, which shows them", async () => {
    const person = await signedIn(app, accountOf(0).portal);
    const made = await person.send("POST", "/portal/sandbox/sandbox/prescriptions", { preset: "simple" });
    expect(made.status).toBe(202);
    const { prescription_id } = made.body;
    await leave(0, { orders: 0, prescriptions: 0 });
    const order = await person.send("POST", "/portal/sandbox/sandbox/orders", { prescription_id });
    expect([order.status, order.body.error.quota]).toEqual([429, "orders"]);
    const rx = await person.send("POST", "/portal/sandbox/sandbox/prescriptions", { preset: "simple" });
    expect([rx.status, rx.body.error.quota]).toEqual([429, "prescriptions"]);
    const usage = await person.get("/portal/sandbox/usage?hours=24");
    const shown = usage.body.quotas.find(({ quota }: { quota: string }) => quota === "orders");
    expect(shown).toEqual({ quota: "orders", counts: quotas.orders.counts, used: shown.most, most: shown.most });
    await restore(0);

    const { account_id } = accountOf(0);
    await app.deps.db.raw("update account set rate_per_second = 1, rate_burst = 1 where account_id = $1", [account_id]);
    const many = await Promise.all(Array.from({ length: 80 }, () => person.get("/portal/sandbox/sandbox")));
    expect(many.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    const limited = many.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(0);
    expect(Number(limited[0]!.headers.get("retry-after"))).toBeGreaterThan(0);
    await app.deps.db.raw("update account set rate_per_second = 100000, rate_burst = 100000");
  });

  test("gets other quotas with `pestle partner quota`, within seconds and without a restart", async () => {
    const { account_id } = accountOf(1);
    const env = {
      DATABASE_URL: app.config.DATABASE_URL,
      DATABASE_OWNER_URL: app.config.DATABASE_OWNER_URL,
      DATABASE_JOBS_URL: app.config.DATABASE_JOBS_URL,
      MASTER_KEY: app.config.MASTER_KEY,
      DATA_DIR: app.config.DATA_DIR,
    };
    const run = (set?: string[]) =>
      runCommand<{ quota: string; most: number }[]>(env, "partner quota", { set }, account_id);
    const most = (data: { quota: string; most: number }[]) =>
      data.find(({ quota }) => quota === "webhook_endpoints")!.most;
    expect(most((await run()).data)).toBe(quotas.webhook_endpoints.sandbox);
    const { data, text } = await run(["webhook_endpoints=0"]);
    expect([most(data), text.includes("webhook_endpoints")]).toEqual([0, true]);
    await usageExchange(app.deps).run();
    const endpoint = { url: "https://hooks.example/pestle", secret: "s", events: [] };
    const refused = await post(app, endpoint, { path: "/webhook_endpoints", partner: 1 });
    expect([refused.status, codesOf(refused.text)]).toEqual([422, [[42200, "webhook_endpoints"]]]);
    expect(most((await run(["webhook_endpoints=default"])).data)).toBe(quotas.webhook_endpoints.sandbox);
    await expect(run(["fishes=3"])).rejects.toThrow("name=number");
  });
});
