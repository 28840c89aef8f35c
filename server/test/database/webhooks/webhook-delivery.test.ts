import {
  RETRY_DELAYS_S,
  standardWebhookHeaders,
  verifyServiceSecret,
  verifyServiceSignature,
  verifyStandardSignature,
} from "@pestle/contract";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { until } from "../../../../chaos/until.ts";
import { attemptPlace, type KeptExchange } from "../../../src/db/webhooks/attempts.ts";
import { openReceiver, type Receiver } from "../../support/receiver.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { SOON_MS } from "../../support/tools/until.ts";
import { addEndpoint, deliveryOf, type TestEndpoint, writeEvents } from "../../support/webhooks.ts";

let app: TestApp;
const receivers: Receiver[] = [];
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
afterEach(async () => {
  await app.deps.db.raw("delete from webhook_delivery");
  await app.deps.db.raw("delete from webhook_endpoint");
  for (const receiver of receivers.splice(0)) await receiver.close();
});
const open = async (...given: Parameters<typeof openReceiver>) => {
  const receiver = await openReceiver(...given);
  receivers.push(receiver);
  return receiver;
};
const settled = (event: { event_id: string }, endpoint: TestEndpoint) =>
  until("the attempt is written down", async () => {
    const { waiting, attempts } = await deliveryOf(app, event, endpoint);
    return waiting === undefined && attempts.length > 0 ? attempts : undefined;
  });
const tried = (event: { event_id: string }, endpoint: TestEndpoint, times: number) =>
  until(`attempt ${times} is written down`, async () => {
    const { waiting, attempts } = await deliveryOf(app, event, endpoint);
    return attempts.length >= times ? { waiting, attempts } : undefined;
  });
const moveClock = (seconds: number, partner = 0) =>
  app.deps.db.raw("update account set clock_offset_s = clock_offset_s + $2 where account_id = $1", [
    app.demo.partners[partner]!.account_id,
    seconds,
  ]);

test("an event reaches the endpoint within a second of its commit, byte for byte, with all three signatures", async () => {
  const receiver = await open();
  const endpoint = await addEndpoint(app, { url: `${receiver.url}?shop=é` });
  const lags: number[] = [];
  for (let round = 1; round <= 5; round++) {
    const written_ms = Date.now();
    await writeEvents(app, [{}]);
    lags.push((await receiver.arrived(round)).at(-1)!.at_ms - written_ms);
  }
  // The median, because a machine is not busy with other work all the time.
  expect(lags.sort((a, b) => a - b)[2]).toBeLessThan(SOON_MS);
  const [event] = await writeEvents(app, [{ more: { note: "O'Brien's (dose) 50 % é 💊 ~ * !" } }]);
  const request = (await receiver.arrived(6)).at(-1);
  expect(request!.body).toBe(event!.body);
  const { headers } = request!;
  expect(headers["content-type"]).toBe("application/json");
  expect(headers["content-length"]).toBe(String(event!.body.length));
  expect(
    verifyServiceSignature(endpoint.key, "POST", endpoint.url, request!.body, String(headers["x-service-signature"])),
  ).toBe(true);
  expect(verifyServiceSecret(endpoint.key, endpoint.secret, String(headers["x-service-secret"]))).toBe(true);
  const standard = {
    id: String(headers[standardWebhookHeaders.id]),
    timestamp: String(headers[standardWebhookHeaders.timestamp]),
    signature: String(headers[standardWebhookHeaders.signature]),
  };
  expect(standard.id).toBe(event!.event_id);
  expect(verifyStandardSignature(endpoint.signing_secret, standard, request!.body, Date.now() / 1000)).toBe(true);
});

test("a delivery leaves the queue for its attempt, which stores the request and the answer encrypted", async () => {
  const receiver = await open((_, response) =>
    response.writeHead(202, { "content-type": "text/plain" }).end("thank you"),
  );
  const endpoint = await addEndpoint(app, { url: receiver.url });
  const [event] = await writeEvents(app, [{}]);
  const [attempt] = await settled(event!, endpoint);
  expect(attempt).toMatchObject({ attempt: 1, delivery_status: "delivered", status: 202, error: null });
  const place = attemptPlace(endpoint.account_id, event!.event_id, endpoint.endpoint_id, 1);
  const sealed = attempt!["exchange_sealed"] as Buffer;
  expect(sealed.includes("thank you")).toBe(false);
  const kept = JSON.parse(app.deps.vault.open(sealed, place).toString()) as KeptExchange;
  expect(kept).toMatchObject({ url: receiver.url, response_type: "text/plain", response_body: "thank you" });
  const { rows } = await app.deps.db.raw("select * from webhook_endpoint_hour where endpoint_id = $1", [
    endpoint.endpoint_id,
  ]);
  expect(rows).toMatchObject([{ attempts: 1, delivered: 1, failed: 0 }]);
});

test("each endpoint that subscribes gets the event once; connections are reused", async () => {
  const [all, named, other] = [await open(), await open(), await open()];
  await addEndpoint(app, { url: all.url });
  await addEndpoint(app, { url: named.url, events: ["ORDER_UPDATED"] });
  await addEndpoint(app, { url: other.url, partner: 1 });
  const events = await writeEvents(
    app,
    Array.from({ length: 200 }, (_, index) => ({ event_type: index % 2 === 0 ? "RX_UPDATED" : "ORDER_UPDATED" })),
  );
  await Promise.all([all.arrived(100), named.arrived(100)]);
  await until("nothing waits", async () => {
    const { rows } = await app.deps.db.raw("select 1 from webhook_delivery");
    return rows.length === 0 || undefined;
  });
  const bodies = (receiver: Receiver) => receiver.received.map(({ body }) => body).sort();
  const sent = (index: number) =>
    events
      .filter((_, at) => at % 2 === index)
      .map(({ body }) => body)
      .sort();
  expect(bodies(all)).toEqual(sent(0));
  expect(bodies(named)).toEqual(sent(1));
  expect(other.received).toEqual([]);
  expect(all.connections()).toBeLessThan(70);
});

test("first attempts of one order's events go out in sequence, regardless of other deliveries", async () => {
  const under_way = new Map<string, number>();
  const receiver = await open(({ body }, response) => {
    const { order_number } = JSON.parse(body) as { order_number: string };
    under_way.set(order_number, (under_way.get(order_number) ?? 0) + 1);
    expect(under_way.get(order_number)).toBe(1);
    // Slower for those that were written first: without the rule, later ones would overtake them.
    setTimeout(() => {
      under_way.set(order_number, 0);
      response.writeHead(receiver.received.length % 3 === 0 ? 500 : 200).end();
    }, 20 - Math.min(19, receiver.received.length));
  });
  await addEndpoint(app, { url: receiver.url });
  const given = Array.from({ length: 40 }, (_, index) => ({
    order_number: `ORDER0000${index % 5}`,
    more: { sequence: Math.floor(index / 5) },
  }));
  await writeEvents(app, given.slice(0, 25));
  await writeEvents(app, given.slice(25));
  await receiver.arrived(40);
  const seen = new Map<string, Set<number>>();
  for (const { body } of receiver.received) {
    const { order_number, sequence } = JSON.parse(body) as { order_number: string; sequence: number };
    const before = seen.get(order_number) ?? new Set();
    if (!before.has(sequence)) expect(sequence).toBe(before.size);
    seen.set(order_number, before.add(sequence));
  }
});

test("a failed delivery is retried by the account's clock, with the same bytes and id, and another timestamp", async () => {
  let fail = true;
  const receiver = await open((_, response) => response.writeHead(fail ? 503 : 200).end());
  const endpoint = await addEndpoint(app, { url: receiver.url });
  const [event] = await writeEvents(app, [{}]);
  const first = await tried(event!, endpoint, 1);
  expect(first.attempts[0]).toMatchObject({ delivery_status: "pending", status: 503, error: "status" });
  const due_in_s = ((first.waiting!["due_at"] as Date).getTime() - (first.attempts[0]!["at"] as Date).getTime()) / 1000;
  expect(due_in_s).toBeGreaterThanOrEqual(4.5);
  expect(due_in_s).toBeLessThanOrEqual(5.5);
  await moveClock(6);
  const second = await tried(event!, endpoint, 2);
  expect(second.waiting).toMatchObject({ attempts: 2, claimed_until: null });
  fail = false;
  await moveClock(331);
  const attempts = await settled(event!, endpoint);
  expect(attempts.map(({ delivery_status }) => delivery_status)).toEqual(["pending", "pending", "delivered"]);
  expect(new Set(receiver.received.map(({ body }) => body))).toEqual(new Set([event!.body]));
  // The clock moved by more than five minutes; the header stayed on real time.
  const stamps = receiver.received.map(({ headers }) => Number(headers["webhook-timestamp"]));
  for (const stamp of stamps) expect(Math.abs(stamp - Date.now() / 1000)).toBeLessThan(60);
});

test("the service honors Retry-After, up to a day", async () => {
  let header = "3600";
  const receiver = await open((_, response) => response.writeHead(429, { "retry-after": header }).end());
  const endpoint = await addEndpoint(app, { url: receiver.url });
  const waitOf = async () => {
    const [event] = await writeEvents(app, [{}]);
    const { waiting, attempts } = await tried(event!, endpoint, 1);
    return ((waiting!["due_at"] as Date).getTime() - (attempts[0]!["at"] as Date).getTime()) / 1000;
  };
  expect(await waitOf()).toBeCloseTo(3600, 0);
  header = "9999999";
  expect(await waitOf()).toBeCloseTo(24 * 3600, 0);
});

test("the tenth failure is the last: the delivery has failed, and none of its data is deleted", async () => {
  const receiver = await open((_, response) => response.writeHead(500).end("no"));
  const endpoint = await addEndpoint(app, { url: receiver.url });
  const [event] = await writeEvents(app, [{}]);
  for (let attempt = 1; attempt <= 9; attempt++) {
    await tried(event!, endpoint, attempt);
    await moveClock(Math.ceil(RETRY_DELAYS_S[attempt]! * 1.1));
  }
  const attempts = await settled(event!, endpoint);
  expect(attempts).toHaveLength(10);
  expect(attempts.at(-1)).toMatchObject({ attempt: 10, delivery_status: "failed" });
  const { rows } = await app.deps.db.raw("select body from webhook_event where event_id = $1", [event!.event_id]);
  expect(rows).toEqual([{ body: event!.body }]);
});

test("410 disables the endpoint; the others get an event, and its pending deliveries wait until it is enabled", async () => {
  let gone = true;
  const [leaving, staying] = [await open((_, response) => response.writeHead(gone ? 410 : 200).end()), await open()];
  const endpoint = await addEndpoint(app, { url: leaving.url });
  await addEndpoint(app, { url: staying.url });
  const [event] = await writeEvents(app, [{}]);
  const requests = await staying.arrived(2);
  const told = requests
    .map(({ body }) => JSON.parse(body))
    .find(({ event_type }) => event_type === "ENDPOINT_DISABLED");
  expect(told).toMatchObject({ endpoint_id: endpoint.endpoint_id, reason: "The endpoint answered 410 Gone." });
  const { waiting } = await deliveryOf(app, event!, endpoint);
  expect(waiting).toMatchObject({ attempts: 1 });
  await moveClock(600);
  await writeEvents(app, [{}]);
  await staying.arrived(3);
  expect(leaving.received).toHaveLength(1);
  gone = false;
  await app.deps.db.raw(
    `update webhook_endpoint
    set status = 'active', disabled_at = null, disabled_reason = null, failing_since = null
    where endpoint_id = $1`,
    [endpoint.endpoint_id],
  );
  expect(await settled(event!, endpoint)).toHaveLength(2);
});

test("five days of failures without a success disable an endpoint, and one success in between does not", async () => {
  const [ill, once_well, other] = [
    await open((_, response) => response.writeHead(500).end()),
    await open(({ body }, response) => response.writeHead(body.includes("well") ? 200 : 500).end()),
    await open(),
  ];
  const endpoint = await addEndpoint(app, { url: ill.url });
  const recovering = await addEndpoint(app, { url: once_well.url });
  await addEndpoint(app, { url: other.url });
  const [first] = await writeEvents(app, [{}]);
  await tried(first!, endpoint, 1);
  await tried(first!, recovering, 1);
  await moveClock(3 * 24 * 3600);
  const [well] = await writeEvents(app, [{ more: { well: true } }]);
  await settled(well!, recovering);
  await moveClock(2 * 24 * 3600);
  const [last] = await writeEvents(app, [{}]);
  await tried(last!, recovering, 1);
  const statusOf = async ({ endpoint_id }: TestEndpoint) =>
    (
      await app.deps.db.raw("select status, disabled_reason from webhook_endpoint where endpoint_id = $1", [
        endpoint_id,
      ])
    ).rows[0];
  await until("it is disabled", async () => (await statusOf(endpoint))!["status"] === "disabled" || undefined);
  expect(await statusOf(endpoint)).toEqual({ status: "disabled", disabled_reason: "failing" });
  expect(await statusOf(recovering)).toEqual({ status: "active", disabled_reason: null });
  await until(
    "the other was told",
    async () => other.received.some(({ body }) => body.includes("ENDPOINT_DISABLED")) || undefined,
  );
});

test("an endpoint whose secrets do not decrypt affects no other endpoint", async () => {
  const [broken, well] = [await open(), await open()];
  const endpoint = await addEndpoint(app, { url: broken.url });
  await addEndpoint(app, { url: well.url });
  await app.deps.db.raw("update webhook_endpoint set secret_sealed = signing_secret_sealed where endpoint_id = $1", [
    endpoint.endpoint_id,
  ]);
  const [event] = await writeEvents(app, [{}]);
  await well.arrived(1);
  const { attempts } = await tried(event!, endpoint, 1);
  expect(attempts[0]).toMatchObject({ status: null, error: "not_signed", delivery_status: "pending" });
  expect(broken.received).toEqual([]);
});

test("no log line contains a body, a URL or a secret", () => {
  const text = JSON.stringify(app.lines());
  expect(text).not.toMatch(/127\.0\.0\.1:\d+\/hook|RX_UPDATED|whsec_|wh secret/);
});
