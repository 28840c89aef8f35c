import { eventTypeNames, eventTypes } from "@pestle/contract";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { until } from "../../../../chaos/until.ts";
import { openDb } from "../../../src/db/db.ts";
import {
  claimDeliveries,
  type EndedAttempt,
  releaseDeliveries,
  saveAttempts,
} from "../../../src/db/webhooks/deliveries.ts";
import { loadDueEndpoints } from "../../../src/db/webhooks/due-endpoints.ts";
import { requeueEvent } from "../../../src/db/webhooks/redelivery.ts";
import { openAttemptBook } from "../../../src/usecases/webhooks/attempt-book.ts";
import { openRawReceiver, openReceiver } from "../../support/receiver.ts";
import { rowsRead } from "../../support/sql/rows-read.ts";
import { createTestDatabase, startTestApp, type TestApp } from "../../support/test-app.ts";
import { addEndpoint, deliveryOf, writeEvents } from "../../support/webhooks.ts";

/** Several processes on one queue. The first one here delivers nothing, so that the test can inspect its rows. */

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let idle: TestApp;
const busy: TestApp[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  idle = await startTestApp({ url: database.url, env: { WEBHOOK_CONCURRENCY: "0" } });
});
afterAll(async () => {
  await idle.stop();
  await database.drop();
});
afterEach(async () => {
  for (const app of busy.splice(0)) await app.stop();
  for (const table of ["webhook_delivery", "webhook_endpoint"]) await idle.deps.db.raw(`delete from ${table}`);
});
const join = async (env: Record<string, string> = {}) => {
  const app = await startTestApp({ url: database.url, demo: idle.demo, env });
  busy.push(app);
  return app;
};
const raw = (text: string, params: unknown[] = []) => idle.deps.db.raw(text, params);

describe("a claim", () => {
  const claim = async (most = 10) => {
    const now = idle.deps.now();
    const due = await loadDueEndpoints(idle.deps.queue, now);
    const shares = due.map(({ account_id, endpoint_id }) => ({ account_id, endpoint_id, most, account_now: now }));
    return claimDeliveries(idle.deps.queue, shares, 30);
  };
  const endOf = (
    claimed: Awaited<ReturnType<typeof claim>>[number],
    more: Partial<EndedAttempt> = {},
  ): EndedAttempt => ({
    account_id: claimed.account_id,
    event_id: claimed.event_id,
    endpoint_id: claimed.endpoint_id,
    claims: claimed.claims,
    attempts_before: claimed.attempts_before,
    attempt: claimed.attempts + 1,
    at: new Date(),
    delivery_status: "delivered",
    status: 200,
    error: null,
    duration_ms: 1,
    exchange_sealed: null,
    due_at: null,
    ...more,
  });

  test("belongs to one process until it expires; a process that lost it writes nothing", async () => {
    const endpoint = await addEndpoint(idle, { url: "http://127.0.0.1:9/hook" });
    const [event] = await writeEvents(idle, [{}]);
    const [first] = await claim();
    expect(first).toMatchObject({ event_id: event!.event_id, claims: 1, attempts: 0, body: event!.body });
    expect(await claim()).toEqual([]);
    await raw("update webhook_delivery set claimed_until = now() - interval '1 second'");
    const [second] = await claim();
    expect(second).toMatchObject({ event_id: event!.event_id, claims: 2, attempts: 0 });
    await saveAttempts(idle.deps.queue, [endOf(first!)]);
    expect(await deliveryOf(idle, event!, endpoint)).toMatchObject({
      waiting: { claims: 2, attempts: 0 },
      attempts: [],
    });
    await saveAttempts(idle.deps.queue, [endOf(second!, { status: 204 })]);
    const { waiting, attempts } = await deliveryOf(idle, event!, endpoint);
    expect(waiting).toBeUndefined();
    expect(attempts).toMatchObject([{ attempt: 1, status: 204 }]);
    // Reported twice, as after a lost commit answer: nothing is written again.
    await saveAttempts(idle.deps.queue, [endOf(second!, { status: 204 })]);
    expect((await deliveryOf(idle, event!, endpoint)).attempts).toHaveLength(1);
  });

  test("that is released can be taken immediately", async () => {
    await addEndpoint(idle, { url: "http://127.0.0.1:9/hook" });
    await writeEvents(idle, [{}]);
    await releaseDeliveries(idle.deps.queue, await claim());
    expect(await claim()).toHaveLength(1);
  });

  test("is never given to two concurrent processes", async () => {
    await addEndpoint(idle, { url: "http://127.0.0.1:9/hook" });
    await writeEvents(
      idle,
      Array.from({ length: 60 }, () => ({})),
    );
    const lots = await Promise.all(Array.from({ length: 5 }, () => claim(20)));
    const ids = lots.flat().map(({ event_id }) => event_id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeLessThanOrEqual(60);
  });

  test("waits for the first attempt at the order's previous event, and only for that", async () => {
    await addEndpoint(idle, { url: "http://127.0.0.1:9/hook" });
    const [first, second, third] = await writeEvents(idle, [
      { order_number: "ORDER00001" },
      { order_number: "ORDER00001" },
      { order_number: "ORDER00002" },
    ]);
    const claimed = await claim();
    expect(claimed.map(({ event_id }) => event_id).sort()).toEqual([first!.event_id, third!.event_id].sort());
    expect(await claim()).toEqual([]);
    const failed = claimed.find(({ event_id }) => event_id === first!.event_id)!;
    const due_at = new Date(Date.now() + 5_000);
    await saveAttempts(idle.deps.queue, [
      endOf(failed, { delivery_status: "pending", status: 500, error: "status", due_at }),
    ]);
    expect((await claim()).map(({ event_id }) => event_id)).toEqual([second!.event_id]);
  });

  test.each(["pending", "failed"] as const)(
    "during which a redelivery is requested stays due as requested, although its attempt ends as %s",
    async (delivery_status) => {
      const endpoint = await addEndpoint(idle, { url: "http://127.0.0.1:9/hook" });
      const [event] = await writeEvents(idle, [{}]);
      await raw("update webhook_delivery set attempts = 9");
      const [claimed] = await claim();
      const account_now = new Date(Date.now() - 1_000);
      await idle.deps.db.transaction((tx) =>
        requeueEvent(tx, { ...endpoint, event_id: event!.event_id, endpoint_id: null, account_now }),
      );
      const due_at = delivery_status === "failed" ? null : new Date(Date.now() + 24 * 3600 * 1000);
      const trouble = { status: 503, error: "status" } as const;
      await saveAttempts(idle.deps.queue, [endOf(claimed!, { delivery_status, ...trouble, due_at })]);
      expect(await deliveryOf(idle, event!, endpoint)).toMatchObject({
        waiting: { attempts: 10, attempts_before: 9, due_at: account_now, claimed_until: null },
        attempts: [{ attempt: 10, delivery_status: "pending", status: 503 }],
      });
      expect(await claim()).toMatchObject([{ attempts: 10, claims: 2 }]);
    },
  );

  test("that ends with a deleted key is recorded, even while the keys are unavailable", async () => {
    const endpoint = await addEndpoint(idle, { url: "http://127.0.0.1:9/hook" });
    const [event] = await writeEvents(idle, [{}]);
    const [claimed] = await claim();
    const nowhere = openDb({
      connection: { host: "127.0.0.1", port: 9 },
      pool_size: 1,
      named_statements: true,
    });
    const book = openAttemptBook({ ...idle.deps, db: nowhere }, () => {});
    const exchange_sealed = Buffer.from("7fffffff00", "hex").toString("base64");
    book.add({ gone: false, url: endpoint.url, ended: endOf(claimed!, { exchange_sealed }) });
    await book.written();
    expect((await deliveryOf(idle, event!, endpoint)).attempts).toMatchObject([{ attempt: 1, exchange_sealed: null }]);
    await nowhere.close();
  });

  test("reads a few rows, regardless of how many deliveries are finished, waiting elsewhere or not due", async () => {
    const endpoint = await addEndpoint(idle, { url: "http://127.0.0.1:9/hook" });
    const [event] = await writeEvents(idle, [{ order_number: "ORDER00009" }]);
    const key = [endpoint.account_id, event!.event_id, endpoint.endpoint_id];
    await raw(
      `insert into webhook_attempt (account_id, event_id, endpoint_id, attempt, at, delivery_status, duration_ms)
      select $1, $2, $3, 1000 + n, now(), 'pending', 1 from generate_series(1, 3000) as n`,
      key,
    );
    await raw(
      `insert into webhook_delivery (account_id, event_id, endpoint_id, event_position, order_number, attempts, due_at)
      select $1, gen_random_uuid(), case when n % 3 = 0 then $2::uuid else md5((n % 5)::text)::uuid end, n, 'ORDER0000' || n % 10, n % 2,
        case when n % 3 = 0 then now() + interval '1 hour' else now() end
      from generate_series(1, 6000) as n`,
      [endpoint.account_id, endpoint.endpoint_id],
    );
    await raw("analyze");
    const looked = await rowsRead(idle.deps.queue, async (tx) => {
      const now = idle.deps.now();
      const due = await loadDueEndpoints(tx, now);
      expect(due).toHaveLength(1);
      const shares = due.map(({ account_id, endpoint_id }) => ({
        account_id,
        endpoint_id,
        most: 50,
        account_now: now,
      }));
      const claimed = await claimDeliveries(tx, shares, 30);
      expect(claimed).toHaveLength(1);
      await saveAttempts(
        tx,
        claimed.map((one) => endOf(one)),
      );
    });
    expect(
      looked.reduce((sum, { rows }) => sum + rows, 0),
      JSON.stringify(looked),
    ).toBeLessThan(100);
  });
});

test("an endpoint without types gets all types except the opt-in ones; one with types gets those", async () => {
  const plain = await addEndpoint(idle, { url: "http://127.0.0.1:9/plain" });
  const asking = await Promise.all(
    eventTypeNames.map((name) => addEndpoint(idle, { url: "http://127.0.0.1:9/hook", events: [name] })),
  );
  for (const [index, event_type] of eventTypeNames.entries()) {
    const [event] = await writeEvents(idle, [{ event_type }]);
    const { rows } = await raw("select endpoint_id from webhook_delivery where event_id = $1", [event!.event_id]);
    const told = rows.map(({ endpoint_id }) => endpoint_id).sort();
    const expected = [asking[index]!, ...(eventTypes[event_type].opt_in ? [] : [plain])];
    expect(told).toEqual(expected.map(({ endpoint_id }) => endpoint_id).sort());
  }
});

test("an event and its deliveries are committed together or not at all", async () => {
  await addEndpoint(idle, { url: "http://127.0.0.1:9/hook" });
  const before = (await raw("select count(*)::int as count from webhook_event")).rows[0];
  const { account_id } = idle.demo.partners[0]!;
  await expect(
    idle.deps.db.transaction(async (tx) => {
      await tx.raw(
        `insert into webhook_event (account_id, event_id, event_type, body, created_at)
        values ($1, gen_random_uuid(), 'RX_UPDATED', '{}', now())`,
        [account_id],
      );
      expect((await tx.raw("select 1 from webhook_delivery")).rows).toHaveLength(1);
      throw new Error("no");
    }),
  ).rejects.toThrow("no");
  expect((await raw("select 1 from webhook_delivery")).rows).toEqual([]);
  expect((await raw("select count(*)::int as count from webhook_event")).rows[0]).toEqual(before);
});

test("two processes share the work: every event arrives once, and both took part", async () => {
  const receiver = await openReceiver((_, response) => setTimeout(() => response.end(), 5));
  await addEndpoint(idle, { url: receiver.url });
  const pair = [await join({ WEBHOOK_CONCURRENCY: "8" }), await join({ WEBHOOK_CONCURRENCY: "8" })];
  const events = await writeEvents(
    idle,
    Array.from({ length: 400 }, () => ({})),
  );
  await until("nothing waits", async () => (await raw("select 1 from webhook_delivery")).rows.length === 0);
  expect(receiver.received.map(({ body }) => body).sort()).toEqual(events.map(({ body }) => body).sort());
  for (const app of pair) {
    const text = await app.deps.metrics.text();
    const [, count] = /attempt_duration_seconds_count\{delivery_status="delivered"\} (\d+)/.exec(text) ?? [];
    expect(Number(count)).toBeGreaterThan(0);
  }
  await receiver.close();
});

test("a process that delivers nothing itself notifies the others within a second", async () => {
  const receiver = await openReceiver();
  await addEndpoint(idle, { url: receiver.url });
  await join();
  const lags: number[] = [];
  for (let round = 1; round <= 5; round++) {
    const written_ms = Date.now();
    await writeEvents(idle, [{}]);
    await receiver.arrived(round);
    lags.push(receiver.received.at(-1)!.at_ms - written_ms);
  }
  // Less than the half second after which every process polls anyway.
  expect(Math.min(...lags)).toBeLessThan(400);
  await receiver.close();
});

test("a process that stops lets attempts finish, and releases hanging ones to other processes immediately", async () => {
  const answer: (() => void)[] = [];
  const slow = await openReceiver((_, response) => answer.push(() => response.end("late")));
  let accepting = false;
  const hanging = await openRawReceiver((socket) => {
    socket.once("data", () => {
      if (accepting) socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    });
  });
  const endpoints = [await addEndpoint(idle, { url: slow.url }), await addEndpoint(idle, { url: hanging.url })];
  const leaving = await join();
  const [event] = await writeEvents(idle, [{}]);
  await slow.arrived(1);
  await until(
    "both are claimed",
    async () => (await raw("select 1 from webhook_delivery where claims = 1")).rows.length === 2,
  );
  const stopping = leaving.stop();
  busy.splice(busy.indexOf(leaving), 1);
  for (const tell of answer) tell();
  await stopping;
  expect((await deliveryOf(idle, event!, endpoints[0]!)).attempts).toMatchObject([{ status: 200 }]);
  const left = await deliveryOf(idle, event!, endpoints[1]!);
  expect(left).toMatchObject({ waiting: { attempts: 0, claimed_until: null }, attempts: [] });
  accepting = true;
  await join();
  await until("it is delivered", async () => (await deliveryOf(idle, event!, endpoints[1]!)).attempts.length === 1);
  await slow.close();
  await hanging.close();
});
