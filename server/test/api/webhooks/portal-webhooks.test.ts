import type {
  PortalAttempts,
  PortalCertification,
  PortalCreatedEndpoint,
  PortalEvent,
  PortalEventRow,
  PortalEvents,
  PortalSignature,
} from "@pestle/contract";
import { signingKey, verifyServiceSignature, verifyStandardSignature } from "@pestle/contract";
import { verifyCertifyReport } from "@pestle/sdk";
import { createReceiver, nodeHandler, openInbox } from "@pestle/sdk/webhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveReceivers } from "../../../../cli/test/certify/serve-planted.ts";
import { openReceiver, type Receiver } from "../../support/receiver.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { signedIn, type WebPerson } from "../../support/web.ts";

let app: TestApp;
let willow: WebPerson;
let receiver: Receiver;
/** The receiver's answer. */
let status = 200;
let headers: Record<string, string> = {};
beforeAll(async () => {
  app = await startTestApp();
  willow = await signedIn(app, app.demo.partners[0]!.portal);
  receiver = await openReceiver((_, response) => response.writeHead(status, headers).end("<b>said</b>"));
});
afterAll(async () => {
  await app.stop();
  await receiver.close();
});

const P = "/portal/sandbox";
const SECRET = "our own webhook secret";
const registered = async (more: object = {}): Promise<PortalCreatedEndpoint> => {
  const told = await willow.send("POST", `${P}/webhook_endpoints`, { url: receiver.url, secret: SECRET, ...more });
  expect(told.status, told.text).toBe(201);
  return told.body;
};
const path = ({ id }: { id: string }) => `${P}/webhook_endpoints/${id}`;
const tested = async (endpoint: { id: string }): Promise<string> => {
  const told = await willow.send("POST", `${path(endpoint)}/test`, { event_type: "ORDER_EXCEPTION" });
  expect(told.status, told.text).toBe(202);
  return told.body.event_id;
};
const events = async (query = ""): Promise<PortalEvents> => (await willow.get(`${P}/webhook_events${query}`)).body;
const standing = async (event_id: string) =>
  ((await willow.get(`${P}/webhook_events/${event_id}`)).body as PortalEvent).deliveries;
const settles = (event_id: string, expected: string) =>
  expect.poll(async () => (await standing(event_id))[0]?.status).toBe(expected);

describe("webhook endpoints in the portal", () => {
  test("are registered with a signing secret that is shown once, and signed with the newest live credential", async () => {
    const made = (await willow.send("POST", `${P}/credentials`, { name: "for webhooks" })).body;
    const endpoint = await registered({ description: "orders", events: ["RX_RECEIVED", "ORDER_EXCEPTION"] });
    expect(endpoint).toMatchObject({
      url: receiver.url,
      status: "active",
      signing_credential_id: made.client_id,
      signing_secret_id: 1,
      description: "orders",
      signing_secret: expect.stringMatching(/^whsec_/),
    });
    const { signing_secret, ...shown } = endpoint;
    expect((await willow.get(path(endpoint))).body).toEqual(shown);
    const { credentials } = (await willow.get(`${P}/credentials`)).body;
    const signs = credentials.find(({ client_id }: { client_id: string }) => client_id === made.client_id);
    expect(signs.signs_endpoints).toEqual([{ id: endpoint.id, url: receiver.url, secret_id: 1 }]);

    const event_id = await tested(endpoint);
    await settles(event_id, "delivered");
    const answers = await Promise.all(
      [
        `${P}/webhook_endpoints`,
        `${P}/credentials`,
        `${P}/home`,
        `${P}/webhook_events/${event_id}`,
        `${P}/webhook_events/${event_id}/attempts`,
        `${P}/webhook_events/${event_id}/signature?endpoint_id=${endpoint.id}`,
      ].map((one) => willow.get(one)),
    );
    for (const answer of answers) expect(answer.status).toBe(200);
    const { rows } = await app.deps.db.raw("select * from audit_entry");
    const written = [...answers.map(({ text }) => text), JSON.stringify(app.lines()), JSON.stringify(rows)].join("\n");
    for (const hidden of [signing_secret, SECRET, made.client_secret, signingKey(made.client_secret)]) {
      expect(written).not.toContain(hidden);
    }
    await willow.send("DELETE", path(endpoint));
  });

  test("are changed, disabled, enabled and removed; a rejection has the API's own text", async () => {
    const endpoint = await registered();
    const off = await willow.send("PATCH", path(endpoint), { status: "disabled", description: "resting" });
    expect(off.body).toMatchObject({ status: "disabled", disabled_reason: "partner", description: "resting" });
    expect((await willow.send("POST", `${path(endpoint)}/test`, {})).status).toBe(422);
    const on = await willow.send("PATCH", path(endpoint), { status: "active" });
    expect(on.body).toMatchObject({ status: "active", disabled_at: null });
    const wrong = await willow.send("PATCH", path(endpoint), { url: "ftp://x", events: ["NONE"], secrets: "x" });
    expect(wrong.status).toBe(422);
    expect(wrong.body.errors[0].error_detail.map(({ field }: { field: string }) => field)).toEqual([
      "secrets",
      "url",
      "events[0]",
    ]);
    expect((await willow.send("DELETE", path(endpoint))).status).toBe(204);
    expect((await willow.get(path(endpoint))).status).toBe(404);
  });

  test("without a live credential to sign with, the portal says so", async () => {
    const juniper = await signedIn(app, app.demo.partners[1]!.portal);
    const { credentials } = (await juniper.get(`${P}/credentials`)).body;
    for (const { credential_id } of credentials) await juniper.send("POST", `${P}/credentials/${credential_id}/revoke`);
    const told = await juniper.send("POST", `${P}/webhook_endpoints`, { url: receiver.url, secret: SECRET });
    expect([told.status, told.body.errors[0].error_detail[0].field]).toEqual([422, "signing_credential_id"]);
  });
});

describe("deliveries in the portal", () => {
  test("a failed delivery shows why, can be requested again and arrives; its answer is shown as text", async () => {
    const endpoint = await registered();
    status = 500;
    const event_id = await tested(endpoint);
    await expect.poll(async () => (await standing(event_id))[0]?.attempts).toBe(1);
    const [first] = ((await willow.get(`${P}/webhook_events/${event_id}/attempts`)).body as PortalAttempts).attempts;
    expect(first).toMatchObject({
      endpoint_id: endpoint.id,
      attempt: 1,
      delivered: false,
      status: 500,
      error: "status",
      error_message: expect.stringContaining("not 2xx"),
      request: { method: "POST", url: receiver.url },
      response: { body: "<b>said</b>" },
    });
    expect(JSON.stringify(first!.request!.headers).toLowerCase()).not.toContain("signature");
    status = 200;
    const again = await willow.send("POST", `${P}/webhook_events/${event_id}/redeliver`, { endpoint_id: endpoint.id });
    expect([again.status, again.body]).toEqual([202, { redelivered: 1, more: false }]);
    await settles(event_id, "delivered");
    expect((await standing(event_id))[0]).toMatchObject({ attempts: 2, next_attempt_at: null });
    const statistics = (await willow.get(`${path(endpoint)}/statistics`)).body;
    expect(statistics).toMatchObject({ attempts: 2, delivered: 1, success_rate: 0.5, waiting: 0 });
    const usage = (await willow.get(`${P}/usage`)).body;
    expect(usage.webhooks.at(-1).delivered).toBeGreaterThan(0);
    await willow.send("DELETE", path(endpoint));
  });

  test("a slowed endpoint shows its next attempt, and Try now sends what is pending without using up the attempts", async () => {
    const endpoint = await registered();
    const shown = async () => (await willow.get(path(endpoint))).body;
    const waiting = async (event_id: string) =>
      (await willow.get(`${P}/webhook_events/${event_id}/deliveries`)).body.deliveries;
    expect(await shown()).toMatchObject({ failing_since: null, next_attempt_at: null });
    [status, headers] = [503, { "retry-after": "3600" }];
    const event_id = await tested(endpoint);
    await expect.poll(async () => (await waiting(event_id))[0].attempts).toBe(1);
    const due = Date.parse((await shown()).next_attempt_at);
    expect(due).toBeGreaterThan(app.deps.now().getTime() + 3_000_000);
    const listed = (await willow.get(`${P}/webhook_endpoints`)).body.webhook_endpoints;
    expect(listed.find(({ id }: { id: string }) => id === endpoint.id).next_attempt_at).toBe(
      (await shown()).next_attempt_at,
    );

    expect((await willow.send("POST", `${path(endpoint)}/try_now`)).status).toBe(200);
    await expect.poll(async () => (await waiting(event_id))[0].attempts).toBe(2);
    const { rows } = await app.deps.db.raw("select attempts_before from webhook_delivery where event_id = $1", [
      event_id,
    ]);
    expect(rows).toEqual([{ attempts_before: 1 }]);
    [status, headers] = [200, {}];
    await willow.send("POST", `${path(endpoint)}/try_now`);
    await expect
      .poll(() => waiting(event_id))
      .toMatchObject([{ status: "delivered", attempts: 3, next_attempt_at: null }]);
    expect(await shown()).toMatchObject({ failing_since: null, next_attempt_at: null });
    await willow.send("PATCH", path(endpoint), { status: "disabled" });
    expect((await willow.send("POST", `${path(endpoint)}/try_now`)).status).toBe(422);
    await willow.send("DELETE", path(endpoint));
    expect((await willow.send("POST", `${path(endpoint)}/try_now`)).status).toBe(404);
    // Its state without the body is not audited.
    const views = await app.deps.db.raw("select 1 from audit_entry where action = 'event_viewed' and subject = $1", [
      event_id,
    ]);
    expect(views.rows).toEqual([]);
  });

  test("everything that an endpoint missed since a time can be requested at once", async () => {
    await willow.send("POST", `${P}/sandbox/prescriptions`, { preset: "simple" });
    const endpoint = await registered({ events: ["RX_RECEIVED"] });
    const since = new Date(app.deps.now().getTime() - 3_600_000).toISOString();
    const told = await willow.send("POST", `${path(endpoint)}/redeliver`, { since, missed: true });
    expect([told.status, told.body.redelivered > 0, told.body.more]).toEqual([202, true, false]);
    const none = await willow.send("POST", `${path(endpoint)}/redeliver`, { since: "now" });
    expect(none.status).toBe(422);
    await willow.send("DELETE", path(endpoint));
  });

  test("the signature is explained exactly as it was sent: base string and headers", async () => {
    const { client_id, client_secret } = (await willow.send("POST", `${P}/credentials`, { name: "signs" })).body;
    const endpoint = await registered({ signing_credential_id: client_id });
    const before = receiver.received.length;
    const event_id = await tested(endpoint);
    await receiver.arrived(before + 1);
    await settles(event_id, "delivered");
    const told = (await willow.get(`${P}/webhook_events/${event_id}/signature?endpoint_id=${endpoint.id}`))
      .body as PortalSignature;
    const sent = receiver.received.find(({ headers }) => headers["webhook-id"] === event_id)!;
    const shownValue = (name: string) => told.headers.find((header) => header.name.toLowerCase() === name)!.value;
    expect(told).toMatchObject({ method: "POST", url: receiver.url, body: sent.body, client_id, secret_id: 1 });
    for (const name of ["x-service-signature", "webhook-id", "webhook-timestamp", "webhook-signature"]) {
      expect([name, shownValue(name)]).toEqual([name, sent.headers[name]]);
    }
    // The value that is always the same is itself a secret: its beginning is enough to compare.
    expect(String(sent.headers["x-service-secret"]).startsWith(shownValue("x-service-secret").slice(0, 6))).toBe(true);
    expect(shownValue("x-service-secret")).toHaveLength(7);
    expect(decodeURIComponent(told.base.replaceAll("+", " "))).toBe(`POST${receiver.url}${sent.body}`);
    const key = signingKey(client_secret);
    expect(verifyServiceSignature(key, "POST", told.url, told.body, shownValue("x-service-signature"))).toBe(true);
    const standard = {
      id: event_id,
      timestamp: shownValue("webhook-timestamp"),
      signature: shownValue("webhook-signature"),
    };
    expect(verifyStandardSignature(endpoint.signing_secret, standard, told.body, Number(standard.timestamp))).toBe(
      true,
    );

    const moved = `${receiver.url}/moved`;
    await willow.send("PATCH", path(endpoint), { url: moved });
    const still = await willow.get(`${P}/webhook_events/${event_id}/signature?endpoint_id=${endpoint.id}`);
    expect(still.body.url).toBe(receiver.url);
    await willow.send("DELETE", path(endpoint));
    const gone = await willow.get(`${P}/webhook_events/${event_id}/signature?endpoint_id=${endpoint.id}`);
    expect(gone.status).toBe(404);
  });
});

describe("the event inbox", () => {
  test("is newest first, in pages without repeats or gaps, filtered by type, order and delivery status", async () => {
    const endpoint = await registered();
    status = 500;
    const failing = await tested(endpoint);
    await expect.poll(async () => (await standing(failing))[0]?.attempts).toBe(1);
    status = 200;
    const { prescription_id } = (await willow.send("POST", `${P}/sandbox/prescriptions`, {})).body;
    const { order_number } = (await willow.send("POST", `${P}/sandbox/orders`, { prescription_id })).body;
    await expect.poll(async () => (await events("?status=pending")).webhook_events.length).toBe(1);
    const all = (await events("?limit=200")).webhook_events;
    expect(all.length).toBeGreaterThan(5);
    const paged: PortalEventRow[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: PortalEvents = await events(`?limit=2${cursor && `&cursor=${cursor}`}`);
      paged.push(...page.webhook_events);
      cursor = page.next_cursor;
    }
    const ids = (rows: readonly PortalEventRow[]) => rows.map(({ event_id }) => event_id);
    expect(ids(paged)).toEqual(ids(all));
    const found = async (query: string) => ids((await events(`?limit=200&${query}`)).webhook_events);
    const only = (fits: (row: PortalEventRow) => boolean) => ids(all.filter(fits));
    expect(await found("event_type=RX_RECEIVED")).toEqual(only(({ event_type }) => event_type === "RX_RECEIVED"));
    expect(await found(`order_number=${order_number}`)).toEqual(only((row) => row.order_number === order_number));
    expect(await found("status=pending")).toEqual([failing]);
    expect(await found(`endpoint_id=${endpoint.id}`)).toEqual(
      only(({ deliveries }) => deliveries.some(({ endpoint_id }) => endpoint_id === endpoint.id)),
    );
    expect(await found("delivered=true&event_type=RX_UPDATED")).toEqual(
      only(
        ({ event_type, deliveries }) =>
          event_type === "RX_UPDATED" && deliveries.length > 0 && deliveries.every((one) => one.status === "delivered"),
      ),
    );
    const middle = all[Math.floor(all.length / 2)]!.created_at;
    expect(await found(`created_after=${middle}`)).toEqual(only(({ created_at }) => created_at >= middle));
    expect(await found(`created_before=${middle}`)).toEqual(only(({ created_at }) => created_at < middle));
    expect(await found("created_before=2020-01-01")).toEqual([]);
    for (const wrong of [
      "event_type=NONE",
      "created_after=soon",
      "status=lost",
      "endpoint_id=1",
      "cursor=x",
      "after=2026-01-01",
    ]) {
      expect((await willow.get(`${P}/webhook_events?${wrong}`)).status).toBe(400);
    }
    await willow.send("DELETE", path(endpoint));
  });

  test("shows no body in the list, and the audit log records who opens one", async () => {
    const [row] = (await events()).webhook_events;
    expect(row).not.toHaveProperty("body");
    const opened = (await willow.get(`${P}/webhook_events/${row!.event_id}`)).body as PortalEvent;
    expect(JSON.parse(opened.body_text)).toEqual(opened.body);
    expect(opened.body["event_id"]).toBe(row!.event_id);
    const { rows } = await app.deps.db.raw(
      "select person_id from audit_entry where action = 'event_viewed' and subject = $1",
      [row!.event_id],
    );
    expect(rows).toContainEqual({ person_id: willow.person_id });
  });
});

describe("the certification of an endpoint", () => {
  const certification = async (endpoint: { id: string }): Promise<PortalCertification> =>
    (await willow.get(`${path(endpoint)}/certification`)).body;
  const certified = async (endpoint: { id: string }) => {
    const told = await willow.send("POST", `${path(endpoint)}/certification`, {});
    expect(told.status, told.text).toBe(202);
    await expect.poll(async () => (await certification(endpoint)).running, { timeout: 60_000 }).toBe(false);
    return (await certification(endpoint)).report!;
  };

  test("passes a good receiver, and the pharmacy signs the report", async () => {
    const good = await serveReceivers([() => (request, response) => serve(request, response)]);
    const [url] = good.urls as [string];
    const { client_id, client_secret } = app.demo.partners[0]!;
    const endpoint = await registered({ url, signing_credential_id: client_id });
    const secrets = { url, client_secrets: [client_secret], webhook_secret: SECRET };
    const { signing_secret } = endpoint;
    const receive = createReceiver({ ...secrets, signing_secret, inbox: openInbox({}) });
    const serve = nodeHandler(receive);
    expect(await certification(endpoint)).toEqual({ running: false, report: null });
    const report = await certified(endpoint);
    expect(report.checks.filter(({ result }) => result === "failed")).toEqual([]);
    expect(report).toMatchObject({ passed: true, run_by: "pharmacy", subject: url, effects_checked: false });
    const { keys } = (await (await fetch(`${app.addresses.base_url}/audit-keys.json`)).json()) as {
      keys: { public_key: string }[];
    };
    const trusted = keys.map(({ public_key }) => public_key);
    expect(verifyCertifyReport(report, trusted)).toEqual(report);
    await good.close();
    await willow.send("DELETE", path(endpoint));
    expect((await willow.get(`${path(endpoint)}/certification`)).status).toBe(404);
  });

  test("runs once at a time for an account, and not for a disabled endpoint", async () => {
    const held: (() => void)[] = [];
    const slow = await openReceiver((_, response) => void held.push(() => response.writeHead(200).end()));
    const [endpoint, other] = [await registered({ url: slow.url }), await registered()];
    const begin = (one: { id: string }) => willow.send("POST", `${path(one)}/certification`, {});
    expect((await begin(endpoint)).body).toMatchObject({ running: true, report: null });
    await slow.arrived(1);
    for (const one of [endpoint, other]) expect((await begin(one)).status).toBe(429);
    // It refuses everything from here on, so that the run ends.
    await slow.close();
    await expect.poll(async () => (await certification(endpoint)).running, { timeout: 60_000 }).toBe(false);
    const { report } = await certification(endpoint);
    expect(report?.passed).toBe(false);
    expect(report?.checks.find(({ name }) => name === "accepts_event")?.finding?.code).toBe("not_connected");
    await willow.send("PATCH", path(other), { status: "disabled" });
    expect((await begin(other)).status).toBe(422);
    expect((await begin({ id: "00000000-0000-4000-8000-000000000000" })).status).toBe(404);
    for (const one of [endpoint, other]) await willow.send("DELETE", path(one));
  });
});
