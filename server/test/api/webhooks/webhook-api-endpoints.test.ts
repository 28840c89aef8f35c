import { readFileSync } from "node:fs";
import {
  CONNECT_TIMEOUT_S,
  CreatedWebhookEndpoint,
  ENDPOINT_TEXT_MOST_CHARACTERS,
  endpointFaults,
  eventTypeNames,
  MOST_REDELIVERED_AT_ONCE,
  MOST_WEBHOOK_ENDPOINTS,
  RESPONSE_TIMEOUT_S,
  signingKey,
  verifyServiceSecret,
  verifyServiceSignature,
  verifyStandardSignature,
  WebhookEndpoint,
  type WebhookEndpointUpdate,
  webhookBodies,
} from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { settings } from "../../../src/config.ts";
import { checkWebhookUrl, urlProblems } from "../../../src/domain/webhooks/webhook-url.ts";
import {
  createCredential,
  finishRotation,
  revokeCredential,
  rotateCredential,
} from "../../../src/usecases/accounts/manage-credentials.ts";
import { codesOf, withoutId } from "../../support/conventions.ts";
import { openReceiver, type Received, type Receiver } from "../../support/receiver.ts";
import { misfits } from "../../support/samples/misfits.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/tools/until.ts";
import { webhookCalls } from "../../support/webhook-api.ts";
import { writeEvents } from "../../support/webhooks.ts";

let app: TestApp;
let receiver: Receiver;
let api: ReturnType<typeof webhookCalls>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  receiver = await openReceiver();
  api = webhookCalls(app);
});
afterAll(async () => {
  await app.stop();
  await receiver.close();
});

const HTTPS = "https://partner.example/hook";
const clientOf = (partner: number) => app.demo.partners[partner]!;
const change = <Result>(work: Parameters<typeof app.deps.db.transaction<Result>>[0]) => app.deps.db.transaction(work);
/** The number of endpoints, and all their stored data. */
const kept = async () => (await app.deps.db.raw("select * from webhook_endpoint order by endpoint_id")).rows;

describe("an endpoint", () => {
  test("is registered with the given fields and defaults, and its signing secret is shown once", async () => {
    const made = await api.create({ url: receiver.url });
    expect(misfits(CreatedWebhookEndpoint, made)).toEqual([]);
    const { signing_secret, ...shown } = made;
    expect(shown).toMatchObject({
      url: receiver.url,
      events: [],
      status: "active",
      signing_credential_id: clientOf(0).client_id,
      description: null,
      disabled_reason: null,
      disabled_at: null,
    });
    expect(Buffer.from(signing_secret.slice(6), "base64")).toHaveLength(32);
    expect(await api.read(made.id)).toEqual(shown);
    expect(misfits(WebhookEndpoint, shown)).toEqual([]);
    expect(await api.read(made.id.toUpperCase())).toEqual(shown);
    const other = await api.create({
      url: HTTPS,
      events: ["ORDER_UPDATED", "RX_RECEIVED"],
      secret: "é ~ '\0",
      description: "both",
    });
    expect(other).toMatchObject({ events: ["ORDER_UPDATED", "RX_RECEIVED"], description: "both" });
    expect(other.signing_secret).not.toBe(signing_secret);
    expect((await api.list()).map(({ id }) => id)).toEqual([other.id, made.id]);
    expect(JSON.stringify([await api.list(), await api.read(other.id)])).not.toMatch(/whsec_|"secret"|sesame/);
    await Promise.all([api.remove(made.id), api.remove(other.id)]);
  });

  test("is stored with its secrets encrypted", async () => {
    const { id, signing_secret } = await api.create({ url: HTTPS, secret: "a very private word" });
    const { rows } = await app.deps.db.raw("select w::text as text from webhook_endpoint w");
    const text = JSON.stringify(rows);
    for (const secret of ["a very private word", signing_secret]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString("hex"));
    }
    await api.remove(id);
  });

  test("of another account, or unknown, gets the same 404 for every operation", async () => {
    const { id } = await webhookCalls(app, 1).create({ url: HTTPS });
    const before = await kept();
    const bodies = new Set<string>();
    for (const asked of [id, "00000000-0000-4000-8000-000000000000", "unknown", `${id}x`, "%00"]) {
      const path = `/webhook_endpoints/${asked}`;
      for (const [method, at, body] of [
        ["GET", path],
        ["PATCH", path, { status: "disabled" }],
        ["PATCH", path, { nonsense: 1 }],
        ["DELETE", path],
        ["POST", `${path}/test`],
        ["POST", `${path}/redeliver`, { since: "never" }],
        ["GET", `${path}/statistics`],
      ] as const) {
        const { status, text } = await api.call(at, body, { method });
        expect([method, at, status]).toEqual([method, at, 404]);
        bodies.add(withoutId(text));
      }
    }
    expect(bodies.size).toBe(1);
    expect(await kept()).toEqual(before);
    expect((await webhookCalls(app, 1).remove(id)).status).toBe(204);
  });

  test("is created once for one Idempotency-Key, and the answer with its secret is replayed", async () => {
    const headers = { "idempotency-key": "endpoint-1" };
    const first = await api.call<CreatedWebhookEndpoint>(
      "/webhook_endpoints",
      { url: HTTPS, secret: "x" },
      { headers },
    );
    const again = await api.call("/webhook_endpoints", { url: HTTPS, secret: "x" }, { headers });
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const other = await api.call("/webhook_endpoints", { url: HTTPS, secret: "y" }, { headers });
    expect(codesOf(other.text)).toEqual([[42299, "Idempotency-Key"]]);
    await api.remove(first.body.id);
  });

  test(`is one of ${MOST_WEBHOOK_ENDPOINTS} at most, also when many are registered at once`, async () => {
    const own = webhookCalls(app, 1);
    const answers = await Promise.all(
      Array.from({ length: MOST_WEBHOOK_ENDPOINTS + 10 }, () =>
        own.call<WebhookEndpoint>("/webhook_endpoints", { url: HTTPS, secret: "x" }),
      ),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(MOST_WEBHOOK_ENDPOINTS);
    for (const { status, text } of answers.filter((answer) => answer.status !== 201)) {
      expect([status, codesOf(text)]).toEqual([422, [[42200, "webhook_endpoints"]]]);
      expect(text).toContain(endpointFaults.too_many);
    }
    await own.remove(made[0]!.body.id);
    await own.create({ url: HTTPS });
    for (const { id } of await own.list()) await own.remove(id);
  });
});

describe("all problems with an endpoint are reported at once, and nothing is written", () => {
  const long = "é".repeat(ENDPOINT_TEXT_MOST_CHARACTERS + 1);
  /** Invalid values of each field; a field of the contract without a row does not compile. */
  const bad: Record<keyof WebhookEndpointUpdate, unknown[]> = {
    url: [
      7,
      "",
      "hook",
      "ftp://partner.example/",
      "http://partner.example/hook",
      "https://user:pass@partner.example/",
      "https://partner.example/#top",
      "https://10.0.0.1/hook",
      "https://169.254.169.254/latest",
      "https://[::ffff:10.0.0.1]/",
      "https://partner.example:22/",
      " https://partner.example/",
      "https://partner.example/\n",
      `https://partner.example/${"x".repeat(2_048)}`,
      "https://partner.example/\ud800",
    ],
    events: ["RX_RECEIVED", {}, 7, Array(eventTypeNames.length + 1).fill("RX_RECEIVED")],
    secret: ["", 7, ["x"], long, "\ud800"],
    signing_credential_id: [7, "", "5d8f2h6j", "k3v9x2m4q7ab-5d8f2h6j", "\0", {}],
    description: [7, {}, long, "\0", "\udfff"],
    status: ["", "Active", "deleted", true],
  };

  for (const [field, values] of Object.entries(bad)) {
    test(`${field}, by POST and by PATCH, with a sentence from the table`, async () => {
      const { id } = await api.create({ url: HTTPS });
      const before = await kept();
      const sentences: string[] = [...Object.values(endpointFaults), ...Object.values(urlProblems)];
      for (const value of values) {
        const { status, text } = await api.call(`/webhook_endpoints/${id}`, { [field]: value }, { method: "PATCH" });
        expect([JSON.stringify(value), status, codesOf(text)]).toEqual([JSON.stringify(value), 422, [[42200, field]]]);
        const [{ error_detail }] = JSON.parse(text).errors;
        expect(sentences).toContain(error_detail[0].message);
        const posted = await api.call("/webhook_endpoints", { url: HTTPS, secret: "x", [field]: value });
        expect([posted.status, codesOf(posted.text)]).toEqual([422, [[42200, field]]]);
      }
      expect(await kept()).toEqual(before);
      await api.remove(id);
    });
  }

  test("event types that are unknown or repeated, each with its index", async () => {
    const events = ["RX_RECEIVED", "rx_updated", "RX_RECEIVED", 7, "__proto__"];
    const { status, text } = await api.call("/webhook_endpoints", { url: HTTPS, secret: "x", events });
    expect([status, codesOf(text)]).toEqual([422, [[42200, "events[1]", "events[2]", "events[3]", "events[4]"]]]);
    expect(JSON.parse(text).errors[0].error_detail.map(({ message }: { message: string }) => message)).toEqual([
      endpointFaults.event_unknown,
      endpointFaults.event_twice,
      endpointFaults.event_unknown,
      endpointFaults.event_unknown,
    ]);
  });

  test("all together, and no answer repeats a secret or any other input", async () => {
    const sent = { url: "http://hidden.example", secret: `hush${long}`, status: "active", adress: "x", description: 1 };
    const { status, text } = await api.call("/webhook_endpoints", sent);
    expect([status, codesOf(text)]).toEqual([422, [[42200, "status", "adress", "url", "secret", "description"]]]);
    expect(text).not.toMatch(/hush|hidden/);
    const empty = await api.call("/webhook_endpoints", {});
    expect(codesOf(empty.text)).toEqual([[42200, "url", "secret"]]);
    expect(
      app
        .lines()
        .map((line) => JSON.stringify(line))
        .join(),
    ).not.toMatch(/hush|hidden|sesame/);
  });

  test("a URL is validated for the account's environment", async () => {
    const production = webhookCalls(app, 2);
    for (const url of [receiver.url, "http://localhost:3000/x", "https://127.0.0.1/x", "https://localhost/x"]) {
      const { status, text } = await production.call("/webhook_endpoints", { url, secret: "x" });
      expect([url, status, codesOf(text)]).toEqual([url, 422, [[42200, "url"]]]);
      expect(text).toContain(urlProblems[checkWebhookUrl(url, "production", "any")!]);
      const { id } = await api.create({ url });
      await api.remove(id);
    }
    const { id } = await production.create({ url: "https://partner.example:8443/hook?x=1" });
    expect((await production.remove(id)).status).toBe(204);
  });
});

describe("a change", () => {
  test("keeps the omitted fields, and writes nothing if no field differs", async () => {
    const { signing_secret: _, ...made } = await api.create({
      url: HTTPS,
      events: ["RX_RECEIVED"],
      description: "old",
    });
    const before = await kept();
    expect(await api.patch(made.id, {})).toEqual(made);
    expect(
      await api.patch(made.id, { url: HTTPS, events: ["RX_RECEIVED"], status: "active", description: "old" }),
    ).toEqual(made);
    // Null means omitted, except in the description, which it clears.
    const omitted = { url: null, events: null, secret: null, signing_credential_id: null, status: null };
    expect(await api.patch(made.id, omitted as never)).toEqual(made);
    expect(await kept()).toEqual(before);
    const posted = await api.call("/webhook_endpoints", { url: null, secret: null, events: null });
    expect([posted.status, codesOf(posted.text)]).toEqual([422, [[42200, "url", "secret"]]]);
    const nulls = { url: HTTPS, secret: "x", events: null, signing_credential_id: null, description: null };
    const other = await api.call<CreatedWebhookEndpoint>("/webhook_endpoints", nulls);
    expect([other.status, other.body.events]).toEqual([201, []]);
    await api.remove(other.body.id);
    const changed = await api.patch(made.id, { description: null, events: [] });
    expect(changed).toEqual({ ...made, description: null, events: [], updated_at: expect.any(String) });
    expect(changed.updated_at > made.updated_at).toBe(true);
    expect(await api.read(made.id)).toEqual(changed);
    await api.remove(made.id);
  });

  test("can disable the endpoint, which stops deliveries without losing any, and enable it, which sends the pending ones", async () => {
    const own = await openReceiver((_, response) => response.writeHead(503).end());
    const { id } = await api.create({ url: own.url });
    const [event] = await writeEvents(app, [{}]);
    await own.arrived(1);
    await api.settled(event!.event_id, "pending");
    const disabled = await api.patch(id, { status: "disabled" });
    expect(disabled).toMatchObject({
      status: "disabled",
      disabled_reason: "partner",
      disabled_at: disabled.updated_at,
    });
    expect((await api.patch(id, { status: "disabled" })).disabled_at).toBe(disabled.disabled_at);
    expect((await api.event(event!.event_id)).deliveries).toMatchObject([{ status: "pending", next_attempt_at: null }]);
    const [during] = await writeEvents(app, [{}]);
    expect((await api.event(during!.event_id)).deliveries).toEqual([]);

    // Regardless of the time until its next attempt.
    await app.deps.db.raw("update webhook_delivery set due_at = now() + interval '1 day' where endpoint_id = $1", [id]);
    const enabled = await api.patch(id, { status: "active", url: receiver.url });
    expect(enabled).toMatchObject({ status: "active", disabled_reason: null, disabled_at: null });
    await api.settled(event!.event_id, "delivered");
    await api.remove(id);
    await own.close();
  });

  test("enables an endpoint that was disabled for failures, and resets its failures", async () => {
    const { id } = await api.create({ url: HTTPS });
    await app.deps.db.raw(
      `update webhook_endpoint set status = 'disabled', disabled_reason = 'failing', disabled_at = now(),
        failing_since = now() - interval '5 days' where endpoint_id = $1`,
      [id],
    );
    expect(await api.read(id)).toMatchObject({ status: "disabled", disabled_reason: "failing" });
    // Disabled stays disabled: the first reason remains.
    expect(await api.patch(id, { status: "disabled" })).toMatchObject({ disabled_reason: "failing" });
    await api.patch(id, { status: "active" });
    expect((await kept()).find(({ endpoint_id }) => endpoint_id === id)).toMatchObject({ failing_since: null });
    await api.remove(id);
  });

  test("of the URL starts over: earlier failures or a 410 at the old URL no longer count", async () => {
    let answer = () => {};
    const own = await openReceiver((_, response) => {
      answer = () => response.writeHead(410).end();
    });
    const { id } = await api.create({ url: own.url });
    await app.deps.db.raw(
      "update webhook_endpoint set failing_since = now() - interval '4 days' where endpoint_id = $1",
      [id],
    );
    const { event_id } = await api.test(id);
    await own.arrived(1);
    await api.patch(id, { url: receiver.url });
    expect((await kept()).find(({ endpoint_id }) => endpoint_id === id)).toMatchObject({ failing_since: null });
    answer();
    await until(async () => (await api.attempts(event_id)).length === 1, "the attempt is written down");
    await api.redeliver(event_id);
    await api.settled(event_id, "delivered");
    expect(await api.read(id)).toMatchObject({ status: "active", url: receiver.url });
    await api.remove(id);
    await own.close();
  });

  test("of the secret applies to later attempts", async () => {
    const own = await openReceiver();
    const { id } = await api.create({ url: own.url, secret: "old word" });
    const key = signingKey(clientOf(0).client_secret);
    await api.test(id);
    await own.arrived(1);
    await api.patch(id, { secret: "new word" });
    await api.test(id);
    const [first, second] = (await own.arrived(2)) as [Received, Received];
    expect(verifyServiceSecret(key, "old word", String(first.headers["x-service-secret"]))).toBe(true);
    expect(verifyServiceSecret(key, "new word", String(second.headers["x-service-secret"]))).toBe(true);
    await api.remove(id);
    await own.close();
  });
});

describe("the signing credential", () => {
  test("signs with its older secret during a rotation, until the endpoint is switched", async () => {
    const own = await openReceiver();
    const { account_id } = clientOf(0);
    const older = await change((tx) =>
      createCredential(app.deps, tx, { account_id, name: "hooks", scopes: ["partners"] }, app.deps.now()),
    );
    const { client_id } = older;
    const { id } = await api.create({ url: own.url, signing_credential_id: client_id });
    expect((await api.read(id)).signing_credential_id).toBe(client_id);
    let sent = 0;
    const signedWith = async (client_secret: string) => {
      await api.test(id);
      sent += 1;
      const { body, headers } = (await own.arrived(sent))[sent - 1]!;
      return verifyServiceSignature(
        signingKey(client_secret),
        "POST",
        own.url,
        body,
        String(headers["x-service-signature"]),
      );
    };
    expect(await signedWith(older.client_secret)).toBe(true);
    const newer = await change((tx) => rotateCredential(app.deps, tx, client_id, app.deps.now()));
    expect(await signedWith(older.client_secret)).toBe(true);
    // One that is registered during the rotation starts with the older secret too.
    const beside = await api.create({ url: HTTPS, signing_credential_id: client_id });
    const pinned = async (endpoint: string) =>
      (await kept()).find(({ endpoint_id }) => endpoint_id === endpoint)!["signing_credential_secret_id"];
    expect(await pinned(beside.id)).toBe(older.secret_id);
    await api.patch(id, { description: "not a switch" });
    expect(await signedWith(older.client_secret)).toBe(true);
    await api.patch(id, { signing_credential_id: client_id });
    expect(await signedWith(newer.client_secret)).toBe(true);
    await change((tx) => finishRotation(tx, client_id, app.deps.now()));
    expect(await signedWith(newer.client_secret)).toBe(true);
    await api.patch(id, { signing_credential_id: clientOf(0).client_id });
    expect(await signedWith(clientOf(0).client_secret)).toBe(true);
    await Promise.all([api.remove(id), api.remove(beside.id)]);
    await own.close();
  });

  test("must be a live one of the account: revoked ones and other accounts' get the same rejection", async () => {
    const { account_id } = clientOf(0);
    const made = await change((tx) =>
      createCredential(app.deps, tx, { account_id, name: "gone", scopes: [] }, app.deps.now()),
    );
    await change((tx) => revokeCredential(tx, made.client_id, app.deps.now()));
    const { id } = await api.create({ url: HTTPS });
    for (const signing_credential_id of [made.client_id, clientOf(1).client_id, `${account_id}-aaaaaaaa`]) {
      const patched = await api.call(`/webhook_endpoints/${id}`, { signing_credential_id }, { method: "PATCH" });
      const posted = await api.call("/webhook_endpoints", { url: HTTPS, secret: "x", signing_credential_id });
      for (const { status, text } of [patched, posted]) {
        expect([status, codesOf(text)]).toEqual([422, [[42200, "signing_credential_id"]]]);
        expect(text).toContain(endpointFaults.signing_credential);
      }
    }
    await api.remove(id);
  });
});

describe("a test", () => {
  test.each(eventTypeNames)(
    "sends a signed sample of %s that fits the contract and identifies no patient",
    async (event_type) => {
      const own = await openReceiver();
      const made = await api.create({ url: own.url, events: ["ENDPOINT_DISABLED"], secret: "wh ~ é" });
      const deaf = await api.create({ url: receiver.url });
      const heard = receiver.received.length;
      const event = await api.test(made.id, { event_type });
      expect(event).toMatchObject({ event_type, patient_id: null, order_number: null });
      expect(event.deliveries).toMatchObject([{ endpoint_id: made.id, status: "pending", attempts: 0 }]);
      const [{ body, headers }] = (await own.arrived(1)) as [Received];
      const key = signingKey(clientOf(0).client_secret);
      expect(verifyServiceSignature(key, "POST", own.url, body, String(headers["x-service-signature"]))).toBe(true);
      expect(verifyServiceSecret(key, "wh ~ é", String(headers["x-service-secret"]))).toBe(true);
      const standard = {
        id: String(headers["webhook-id"]),
        timestamp: String(headers["webhook-timestamp"]),
        signature: String(headers["webhook-signature"]),
      };
      expect(verifyStandardSignature(made.signing_secret, standard, body, Date.now() / 1000)).toBe(true);
      const { test: is_test, ...parsed } = JSON.parse(body);
      expect(is_test).toBe(true);
      expect(misfits(webhookBodies[event_type], parsed)).toEqual([]);
      expect(JSON.parse(body)).toEqual(event.body);
      expect(await api.settled(event.event_id)).toMatchObject({ deliveries: [{ attempts: 1 }] });
      expect(receiver.received).toHaveLength(heard);
      await Promise.all([api.remove(made.id), api.remove(deaf.id)]);
      await own.close();
    },
  );

  test("needs no body, or an empty one, and rejects unknown fields", async () => {
    const { id } = await api.create({ url: receiver.url });
    expect((await api.test(id)).event_type).toBe("RX_RECEIVED");
    expect((await api.test(id, {})).event_type).toBe("RX_RECEIVED");
    expect((await api.test(id, { event_type: null } as never)).event_type).toBe("RX_RECEIVED");
    const path = `/webhook_endpoints/${id}/test`;
    const typed = await api.call(path, undefined, { method: "POST", headers: { "content-type": "application/json" } });
    expect(typed.status).toBe(202);
    for (const body of [{ event_type: "NOPE" }, { event_type: 7 }]) {
      const { status, text } = await api.call(path, body);
      expect([status, codesOf(text)]).toEqual([422, [[42200, "event_type"]]]);
    }
    expect(codesOf((await api.call(path, { type: "RX_RECEIVED" })).text)).toEqual([[42200, "type"]]);
    await api.remove(id);
  });

  test("of a disabled endpoint is rejected, and so is a redelivery", async () => {
    const { id } = await api.create({ url: receiver.url });
    await api.patch(id, { status: "disabled" });
    for (const [path, body] of [
      ["test", {}],
      ["redeliver", { since: "2026-01-01" }],
    ] as const) {
      const { status, text } = await api.call(`/webhook_endpoints/${id}/${path}`, body);
      expect([status, codesOf(text)]).toEqual([422, [[42200, "status"]]]);
      expect(text).toContain(endpointFaults.disabled);
    }
    await api.remove(id);
  });
});

test("a removed endpoint receives nothing more, and its events and attempts stay in the feed", async () => {
  const own = await openReceiver((_, response) => response.writeHead(500).end("no"));
  const { id } = await api.create({ url: own.url });
  const [event] = await writeEvents(app, [{}]);
  await own.arrived(1);
  await api.settled(event!.event_id, "pending");
  expect((await api.remove(id)).status).toBe(204);
  expect((await api.remove(id)).status).toBe(404);
  expect((await api.event(event!.event_id)).deliveries).toEqual([
    { endpoint_id: id, status: "failed", attempts: 1, next_attempt_at: null },
  ]);
  expect(await api.attempts(event!.event_id)).toHaveLength(1);
  for (const table of ["webhook_delivery", "webhook_endpoint_hour"]) {
    const { rows } = await app.deps.db.raw(`select 1 from ${table} where endpoint_id = $1`, [id]);
    expect(rows).toEqual([]);
  }
  await own.close();
});

test("the guide states the actual limits", () => {
  const guide = readFileSync(new URL("../../../../docs/guides/webhooks.md", import.meta.url), "utf8");
  for (const row of [
    `| endpoints of an account | ${MOST_WEBHOOK_ENDPOINTS} |`,
    `| \`secret\`, \`description\` | ${ENDPOINT_TEXT_MOST_CHARACTERS} characters |`,
    `| time to connect, to answer | ${CONNECT_TIMEOUT_S} s, ${RESPONSE_TIMEOUT_S} s |`,
    `| events sent again at once | ${MOST_REDELIVERED_AT_ONCE.toLocaleString("en")} |`,
    `| events and attempts are kept | ${settings.WEBHOOK_RETENTION_DAYS.default} days`,
  ]) {
    expect(guide).toContain(row);
  }
});
