import {
  endpointFaults,
  RETRY_DELAYS_S,
  WebhookAttempt,
  WebhookEventRecord,
  WebhookStatistics,
} from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attemptErrors } from "../../../src/domain/webhooks/attempt-errors.ts";
import { codesOf } from "../../support/conventions.ts";
import { openReceiver, type Receiver } from "../../support/receiver.ts";
import { misfits } from "../../support/samples/misfits.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/tools/until.ts";
import { webhookCalls } from "../../support/webhook-api.ts";
import { type TestEvent, writeEvents } from "../../support/webhooks.ts";

let app: TestApp;
let api: ReturnType<typeof webhookCalls>;
/** Answers with this status; 0 closes the connection. */
let answers = 200;
let receiver: Receiver;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  api = webhookCalls(app);
  receiver = await openReceiver((_, response) => {
    if (answers === 0) response.destroy();
    else response.writeHead(answers, { "content-type": "text/plain; charset=utf-8" }).end(`said ${answers} é`);
  });
});
afterAll(async () => {
  await app.stop();
  await receiver.close();
});

const run = (text: string, ...params: unknown[]) => app.deps.db.raw(text, params);
/** Makes the next attempt due now and the last one, as if all others had been made. */
const lastAttempt = async (event_id: string) => {
  await run(
    "update webhook_delivery set attempts = $2, due_at = now() where event_id = $1 and attempts < $2",
    event_id,
    RETRY_DELAYS_S.length - 1,
  );
  app.deps.deliveries.wake();
};
async function failed(): Promise<TestEvent> {
  const [event] = (await writeEvents(app, [{}])) as [TestEvent];
  await until(async () => (await api.event(event.event_id)).deliveries[0]?.attempts === 1, "it was tried once");
  await lastAttempt(event.event_id);
  await api.settled(event.event_id, "failed");
  return event;
}

type AttemptsPage = { body: { attempts: WebhookAttempt[]; next_cursor: string | null }; headers: Headers };

describe("attempts", () => {
  test("show the request and the answer, newest first", async () => {
    const { id } = await api.create({ url: receiver.url });
    answers = 500;
    const [event] = (await writeEvents(app, [{ more: { text: "é'~" } }])) as [TestEvent];
    await until(async () => (await api.attempts(event.event_id)).length === 1, "it was tried");
    answers = 0;
    await run("update webhook_delivery set due_at = now() where event_id = $1", event.event_id);
    app.deps.deliveries.wake();
    await until(async () => (await api.attempts(event.event_id)).length === 2, "it was tried again");
    answers = 204;
    await run("update webhook_delivery set due_at = now() where event_id = $1", event.event_id);
    app.deps.deliveries.wake();
    await api.settled(event.event_id);
    const attempts = await api.attempts(event.event_id);
    for (const attempt of attempts) expect(misfits(WebhookAttempt, attempt)).toEqual([]);
    expect(attempts).toMatchObject([
      { attempt: 3, delivered: true, status: 204, error: null, error_message: null, response: { body: "" } },
      {
        attempt: 2,
        delivered: false,
        status: null,
        error: "reset",
        error_message: attemptErrors.reset,
        response: null,
      },
      {
        attempt: 1,
        delivered: false,
        status: 500,
        error: "status",
        error_message: attemptErrors.status,
        response: { content_type: "text/plain; charset=utf-8", body: "said 500 é" },
      },
    ]);
    const sent = receiver.received.filter((one) => one.headers["webhook-id"] === event.event_id);
    expect(sent).toHaveLength(3);
    for (const [index, attempt] of attempts.toReversed().entries()) {
      const { headers, body } = sent[index]!;
      const { request } = attempt;
      expect(request).toMatchObject({ method: "POST", url: receiver.url, body });
      for (const [name, value] of Object.entries(request!.headers)) expect(headers[name]).toBe(value);
      expect(attempt.endpoint_id).toBe(id);
    }
    expect(JSON.stringify(attempts)).not.toMatch(/signature|sesame|whsec/i);
    await api.remove(id);
  });

  test("are paged without repeats or gaps while more are made", async () => {
    const { id } = await api.create({ url: receiver.url });
    answers = 200;
    const [event] = (await writeEvents(app, [{}])) as [TestEvent];
    for (let count = 1; count <= 7; count++) {
      await until(async () => (await api.attempts(event.event_id)).length === count, `attempt ${count}`);
      await api.settled(event.event_id);
      if (count < 7) await api.redeliver(event.event_id);
    }
    const found: number[] = [];
    let path: string | undefined = `/v1/webhook_events/${event.event_id}/attempts?limit=3`;
    for (let page = 0; path !== undefined; page++) {
      const { body, headers }: AttemptsPage = await api.call(path);
      found.push(...body.attempts.map(({ attempt }) => attempt));
      const link: string | null = headers.get("link");
      expect(link === null).toBe(body.next_cursor === null);
      path = link === null ? undefined : /^<([^>]+)>; rel="next"$/.exec(link)?.[1];
      if (page === 0) {
        await api.redeliver(event.event_id);
        await until(async () => (await api.attempts(event.event_id)).length === 8, "one more");
      }
    }
    expect(found).toEqual([7, 6, 5, 4, 3, 2, 1]);
    for (const query of ["limit=0", "cursor=x", "cursor=ZjEuMQ", "cursor=", "after=1"]) {
      const { status, text } = await api.call(`/webhook_events/${event.event_id}/attempts?${query}`);
      expect([query, status, codesOf(text)[0]![0]]).toEqual([query, 400, 40003]);
    }
    await api.remove(id);
  });

  test("of an event without deliveries are empty", async () => {
    const [event] = (await writeEvents(app, [{}])) as [TestEvent];
    const { body } = await api.call(`/webhook_events/${event.event_id}/attempts`);
    expect(body).toEqual({ attempts: [], next_cursor: null });
  });
});

describe("a redelivered event", () => {
  test("is sent with the same bytes and id, delivered before or not, and its retry schedule starts again", async () => {
    const { id } = await api.create({ url: receiver.url });
    answers = 200;
    const [event] = (await writeEvents(app, [{ order_number: "0000000001" }])) as [TestEvent];
    await api.settled(event.event_id);
    const again = await api.redeliver(event.event_id);
    expect(misfits(WebhookEventRecord, again)).toEqual([]);
    expect(again.deliveries).toEqual([
      { endpoint_id: id, status: "pending", attempts: 1, next_attempt_at: expect.any(String) },
    ]);
    expect((await api.settled(event.event_id)).deliveries).toMatchObject([{ attempts: 2 }]);
    answers = 503;
    const lost = await failed();
    expect((await api.event(lost.event_id)).deliveries).toMatchObject([{ attempts: RETRY_DELAYS_S.length }]);
    await api.redeliver(lost.event_id);
    await until(
      async () => (await api.event(lost.event_id)).deliveries[0]!.attempts === RETRY_DELAYS_S.length + 1,
      "it was tried once more",
    );
    const [waiting] = (await api.event(lost.event_id)).deliveries;
    const wait_s = (Date.parse(waiting!.next_attempt_at!) - Date.now()) / 1000;
    expect(waiting!.status).toBe("pending");
    expect(wait_s).toBeLessThan(RETRY_DELAYS_S[1] * 1.1);
    answers = 200;
    await api.redeliver(lost.event_id);
    await api.settled(lost.event_id);
    for (const { event_id, body } of [event, lost]) {
      const bodies = receiver.received.filter((one) => one.headers["webhook-id"] === event_id).map((one) => one.body);
      expect(bodies.length).toBeGreaterThan(1);
      expect(new Set(bodies)).toEqual(new Set([body]));
    }
    await api.remove(id);
  });

  test("goes to its subscribers and earlier recipients, or to the named endpoint", async () => {
    answers = 200;
    const subscribed = await api.create({ url: receiver.url, events: ["RX_UPDATED"] });
    const [event] = (await writeEvents(app, [{}])) as [TestEvent];
    await api.settled(event.event_id);
    const late = await api.create({ url: receiver.url });
    const deaf = await api.create({ url: receiver.url, events: ["RX_RECEIVED"] });
    const asleep = await api.create({ url: receiver.url });
    await api.patch(asleep.id, { status: "disabled" });
    // It received the event before and no longer subscribes: earlier recipients get it again.
    await api.patch(subscribed.id, { events: ["ORDER_EXCEPTION"] });
    const toAll = await api.redeliver(event.event_id, {});
    expect(toAll.deliveries.map(({ endpoint_id }) => endpoint_id).sort()).toEqual([subscribed.id, late.id].sort());
    await api.settled(event.event_id);
    const toOne = await api.redeliver(event.event_id, { endpoint_id: deaf.id });
    expect(toOne.deliveries.filter(({ status }) => status === "pending")).toMatchObject([{ endpoint_id: deaf.id }]);
    await api.settled(event.event_id);
    for (const [endpoint_id, fault] of [
      [asleep.id, "disabled"],
      [(await webhookCalls(app, 1).create({ url: receiver.url })).id, "endpoint_unknown"],
      ["unknown", "endpoint_unknown"],
      [7, "endpoint_unknown"],
    ] as const) {
      const { status, text } = await api.call(`/webhook_events/${event.event_id}/redeliver`, { endpoint_id });
      expect([endpoint_id, status, codesOf(text)]).toEqual([endpoint_id, 422, [[42200, "endpoint_id"]]]);
      expect(text).toContain(endpointFaults[fault]);
    }
    const unknown = await api.call(`/webhook_events/${event.event_id}/redeliver`, { endpoint: deaf.id });
    expect(codesOf(unknown.text)).toEqual([[42200, "endpoint"]]);
    const sample = await api.test(deaf.id);
    await api.settled(sample.event_id);
    expect((await api.redeliver(sample.event_id)).deliveries).toMatchObject([{ endpoint_id: deaf.id }]);
    for (const { id } of await api.list()) await api.remove(id);
  });

  test("is accepted once for one Idempotency-Key", async () => {
    answers = 200;
    const { id } = await api.create({ url: receiver.url });
    const [event] = (await writeEvents(app, [{}])) as [TestEvent];
    await api.settled(event.event_id);
    const headers = { "idempotency-key": "again-1" };
    const path = `/webhook_events/${event.event_id}/redeliver`;
    const first = await api.call(path, undefined, { method: "POST", headers });
    await api.settled(event.event_id);
    const again = await api.call(path, undefined, { method: "POST", headers });
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([202, first.text, "true"]);
    expect((await api.event(event.event_id)).deliveries).toMatchObject([{ status: "delivered", attempts: 2 }]);
    await api.remove(id);
  });
});

describe("a redelivery of everything that failed since a time", () => {
  test("sends only the failed deliveries to the endpoint again", async () => {
    const { id } = await api.create({ url: receiver.url });
    answers = 500;
    const early = await failed();
    await api.call("/simulate", { simulation_type: "clock", simulation: { advance_seconds: 3_600 } });
    const since = (await api.test(id)).created_at;
    const lost = [await failed(), await failed()];
    answers = 200;
    const [fine] = (await writeEvents(app, [{}])) as [TestEvent];
    await api.settled(fine.event_id);
    const sent_before = receiver.received.length;
    // Written with the service's clock, which is behind the account's.
    for (const { event_id } of lost) {
      await run("update webhook_event set created_at = $2 where event_id = $1", event_id, since);
    }
    expect(await api.redeliverFailed(id, { since })).toEqual({ count: 2, more: false });
    for (const { event_id } of lost) await api.settled(event_id);
    expect(await api.redeliverFailed(id, { since })).toEqual({ count: 0, more: false });
    expect((await api.event(early.event_id)).deliveries).toMatchObject([{ status: "failed" }]);
    expect(receiver.received.length - sent_before).toBeGreaterThanOrEqual(2);
    expect(await api.redeliverFailed(id, { since: "2020-01-01" })).toEqual({ count: 1, more: false });
    await api.settled(early.event_id);
    await api.remove(id);
  });

  test("can include what the endpoint missed while it was disabled or not yet registered", async () => {
    const before = await api.create({ url: receiver.url, events: ["RX_UPDATED"] });
    answers = 200;
    const since = new Date(Date.now() - 1_000).toISOString();
    await api.patch(before.id, { status: "disabled" });
    const missed = await writeEvents(app, [{}, {}, { event_type: "RX_RECEIVED" }]);
    await api.patch(before.id, { status: "active" });
    expect(await api.redeliverFailed(before.id, { since })).toEqual({ count: 0, more: false });
    const { count } = await api.redeliverFailed(before.id, { since, missed: true });
    expect(count).toBeGreaterThanOrEqual(2);
    for (const { event_id } of missed.slice(0, 2)) await api.settled(event_id);
    expect((await api.event(missed[2]!.event_id)).deliveries).toEqual([]);
    expect(await api.redeliverFailed(before.id, { since, missed: true })).toEqual({ count: 0, more: false });
    await api.remove(before.id);
  });

  test("requires a time", async () => {
    const { id } = await api.create({ url: receiver.url });
    for (const [body, ...fields] of [
      [{}, "since"],
      [{ since: null }, "since"],
      [{ since: "yesterday" }, "since"],
      [{ since: 1_794_731_400 }, "since"],
      [{ since: "2026-11-15T08:30:00" }, "since"],
      [{ since: "2026-11-15", missed: "yes" }, "missed"],
      [{ since: "2026-11-15", until: "2026-11-16" }, "until"],
      [{ missed: null }, "since"],
    ] as const) {
      const { status, text } = await api.call(`/webhook_endpoints/${id}/redeliver`, body);
      expect([body, status, codesOf(text)]).toEqual([body, 422, [[42200, ...fields]]]);
    }
    await api.remove(id);
  });
});

test("statistics sum up the attempts, and show the pending deliveries", async () => {
  const { id } = await api.create({ url: receiver.url });
  const statistics = async () => (await api.call<WebhookStatistics>(`/webhook_endpoints/${id}/statistics`)).body;
  const none = { attempts: 0, delivered: 0, failed: 0, success_rate: null, average_duration_ms: null };
  expect(await statistics()).toEqual({
    endpoint_id: id,
    ...none,
    slowest_duration_ms: null,
    waiting: 0,
    oldest_waiting_at: null,
    hours: [],
  });
  answers = 200;
  const [first] = (await writeEvents(app, [{}, {}, {}])) as [TestEvent];
  await until(async () => (await statistics()).delivered === 3, "three were delivered");
  answers = 500;
  const lost = await failed();
  const [waiting] = (await writeEvents(app, [{}])) as [TestEvent];
  await until(async () => (await statistics()).attempts === 6, "six attempts");
  const found = await statistics();
  expect(misfits(WebhookStatistics, found)).toEqual([]);
  const { created_at } = await api.event(waiting.event_id);
  expect(found).toMatchObject({
    delivered: 3,
    failed: 1,
    success_rate: 0.5,
    waiting: 1,
    oldest_waiting_at: created_at,
  });
  const durations = (await Promise.all([first, lost, waiting].map(({ event_id }) => api.attempts(event_id)))).flatMap(
    (attempts) => attempts.map(({ duration_ms }) => duration_ms),
  );
  expect(found.slowest_duration_ms).toBeGreaterThanOrEqual(Math.max(...durations));
  expect(found.average_duration_ms).toBeLessThanOrEqual(found.slowest_duration_ms!);
  const sum = (name: "attempts" | "delivered" | "failed") => found.hours.reduce((total, hour) => total + hour[name], 0);
  expect([sum("attempts"), sum("delivered"), sum("failed")]).toEqual([6, 3, 1]);
  expect(found.hours[0]!.hour).toMatch(/:00:00\.000Z$/);
  const known = await api.call(`/webhook_endpoints/${id}/statistics`, undefined, { headers: { "if-none-match": "*" } });
  expect(known.status).toBe(304);
  await api.remove(id);
});
