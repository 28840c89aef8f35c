import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@pestle/cli/output";
import {
  type CreatedWebhookEndpoint,
  eventTypeNames,
  type JsonSchema,
  type WebhookAttempt,
  type WebhookEndpoint,
  type WebhookEventRecord,
  type WebhookStatistics,
  webhookBodies,
} from "@pestle/contract";
import { verifyStandardWebhook, verifyWebhook } from "@pestle/sdk";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeDemo } from "../../../src/seed/demo-file.ts";
import { openReceiver, type Receiver } from "../../support/receiver.ts";
import { misfits } from "../../support/samples/misfits.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { freePort } from "../../support/tools/free-port.ts";
import { followCli, runCli } from "../../support/tools/run-cli.ts";
import { refusalOf, runCommand } from "../../support/tools/run-command.ts";
import { until } from "../../support/tools/until.ts";
import { webhookCalls } from "../../support/webhook-api.ts";
import { writeEvents } from "../../support/webhooks.ts";

let app: TestApp;
let folder: string;
let env: Record<string, string>;
let receiver: Receiver;
let answers = 200;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true, env: { OPERATOR_NAME: "Larkspur" } });
  folder = mkdtempSync(join(tmpdir(), "pestle-hooks-"));
  writeDemo(app.config.DATA_DIR, app.demo);
  env = { DATA_DIR: app.config.DATA_DIR };
  receiver = await openReceiver((_, response) => response.writeHead(answers).end("so it was said"));
});
afterAll(async () => {
  await app.stop();
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = <Data = never>(name: string, options: Record<string, unknown> = {}, argument = "", settings = env) =>
  runCommand<Data>(settings, name, options, argument);
const refused = (...given: Parameters<typeof run>) => refusalOf(run(...given));
const NOBODY = "00000000-0000-4000-8000-000000000000";

describe("pestle webhooks", () => {
  test("registers, lists, tests, measures, enables and removes an endpoint", async () => {
    expect((await run("webhooks list")).text).toBe("No endpoints yet.");
    const added = await run<CreatedWebhookEndpoint & { secret: string }>(
      "webhooks add",
      { description: "orders", events: ["RX_RECEIVED"] },
      receiver.url,
    );
    const { id, secret, signing_secret } = added.data;
    for (const shown of [id, secret, signing_secret]) expect(added.text).toContain(shown);
    const { data, text } = await run<WebhookEndpoint[]>("webhooks list");
    expect(data).toMatchObject([{ id, url: receiver.url, description: "orders" }]);
    expect(text).toMatch(new RegExp(`${id} +active +RX_RECEIVED +${receiver.url} +orders`));
    expect(JSON.stringify(data) + text).not.toContain(secret);

    answers = 200;
    const good = await run<{ attempt: WebhookAttempt }>("webhooks test", { event: "ORDER_EXCEPTION" }, id);
    expect(good).toMatchObject({ failed: false, data: { attempt: { delivered: true, status: 200 } } });
    expect(good.text).toMatch(/^Delivered: Status 200 in \d+ ms\.\nso it was said\nevent_id {2}[0-9a-f-]{36}$/);
    answers = 500;
    const bad = await run("webhooks test", {}, id);
    expect(bad.failed).toBe(true);
    expect(bad.text).toMatch(
      /^Not delivered: Status 500 in \d+ ms\. The endpoint answered with a status that is not 2xx\.\n/,
    );
    const stats = await run<WebhookStatistics>("webhooks stats", {}, id);
    expect(stats.data).toMatchObject({ attempts: 2, delivered: 1, success_rate: 0.5, waiting: 1 });
    expect(stats.text).toMatch(/delivered +1 \(50 %\)\n/);
    expect(await run("webhooks test", { wait: false }, id)).toMatchObject({ data: { attempt: null } });

    await webhookCalls(app).patch(id, { status: "disabled" });
    expect((await run("webhooks list")).text).toContain("disabled (partner)");
    expect(await refused("webhooks test", {}, id)).toBe(
      "3 Refused. status (42200): conflict. The endpoint is disabled. Set its status to active first.",
    );
    expect(await run("webhooks enable", {}, id)).toMatchObject({ data: { status: "active" } });
    expect(await run("webhooks remove", {}, id)).toMatchObject({ data: { id, removed: true } });
    expect(await run("webhooks list")).toMatchObject({ data: [] });
  });

  test("reads a webhook secret from a pipe, and then does not show it", async () => {
    const args = ["webhooks", "add", receiver.url, "--webhook-secret-stdin", "--json"];
    const added = await runCli(args, env, "a word of mine\n");
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout).not.toContain("a word of mine");
    const { id, signing_secret, ...rest } = added.json() as CreatedWebhookEndpoint;
    expect(signing_secret).toMatch(/^whsec_/);
    expect(rest).not.toHaveProperty("secret");
    await run("webhooks remove", {}, id);
  });

  test("reports an error in one line", async () => {
    expect(await refused("webhooks add", {}, "http://partner.example/hook")).toBe(
      "3 Refused. url (42200): not_allowed. A sandbox URL without https must lead to this machine: localhost, 127.0.0.1 or [::1].",
    );
    for (const name of ["webhooks remove", "webhooks test", "webhooks stats", "webhooks enable"]) {
      for (const id of [NOBODY, "no such/thing?"]) {
        expect([name, await refused(name, {}, id)]).toEqual([
          name,
          "5 The account has no such endpoint. Run `pestle webhooks list` to see its endpoints.",
        ]);
      }
    }
    expect(await refused("webhooks list", { partner: "Nobody" })).toBe("1 The demo has no partner with that name.");
    expect(await refused("webhooks list", {}, "", { DATA_DIR: folder })).toBe(
      `1 There is no demo in ${folder}, and you are not logged in. Run \`pestle login\`, or give --client-id.`,
    );
    expect(await refused("webhooks add", { webhookSecretStdin: true, secretStdin: true }, receiver.url)).toBe(
      "2 Standard input can hold only one secret. Set CLIENT_SECRET for the other.",
    );
    const { client_id } = app.demo.partners[0]!;
    expect(await refused("webhooks list", { clientId: client_id }, "", { ...env, CLIENT_SECRET: "wrong" })).toMatch(
      /^4 invalid_client: /,
    );
    const address = `127.0.0.1:${await freePort()}`;
    expect(await refused("webhooks list", {}, "", { ...env, BASE_URL: `http://${address}` })).toBe(
      `6 No service answers at http://${address} (connect ECONNREFUSED ${address}). Is it running?`,
    );
  });
});

describe("pestle events", () => {
  test("lists events, newest last, with their delivery status", async () => {
    const order_number = "0000000002";
    const [first, second] = await writeEvents(app, [{ order_number }, { order_number, event_type: "ORDER_UPDATED" }]);
    await until(
      async () => (await run<Page<WebhookEventRecord>>("events list", { order: order_number })).data.items.length === 2,
      "both are in the feed",
    );
    const { data, text } = await run<Page<WebhookEventRecord>>("events list", { order: order_number });
    expect(data.items.map(({ event_id }) => event_id)).toEqual([first!.event_id, second!.event_id]);
    expect(text).toMatch(new RegExp(`RX_UPDATED +${order_number} +${first!.event_id} +-\n`));
    const ids = async (options: Record<string, unknown>) =>
      (await run<Page<WebhookEventRecord>>("events list", { order: order_number, ...options })).data.items.map(
        (one) => one.event_id,
      );
    expect(await ids({ limit: "1" })).toEqual([second!.event_id]);
    expect(await ids({ type: "RX_UPDATED" })).toEqual([first!.event_id]);
    expect(await ids({ delivered: "true" })).toEqual([]);
    expect(await ids({ after: "2099-01-01" })).toEqual([]);
    expect((await run("events list", { order: "0000000003" })).text).toBe("No events.");
    expect(await refused("events list", { limit: "0" })).toBe("2 --limit takes a number from 1 to 10000.");
    expect(await refused("events list", { after: "yesterday" })).toMatch(/^3 Refused\. after \(40003\): /);
  });

  test("shows an event with its attempts, and redelivers it", async () => {
    answers = 200;
    const api = webhookCalls(app);
    const { id } = await api.create({ url: receiver.url });
    const [event] = await writeEvents(app, [{ order_number: "0000000004" }]);
    const { event_id } = event!;
    await api.settled(event_id);
    expect((await run("events resend", {}, event_id)).text).toBe("Resending to 1 endpoint.");
    expect((await api.settled(event_id)).deliveries).toMatchObject([{ attempts: 2 }]);
    await run("events resend", { endpoint: id }, event_id);
    await api.settled(event_id);
    const shown = await run<WebhookEventRecord & { attempts: WebhookAttempt[] }>("events show", {}, event_id);
    expect(shown.data.attempts.map(({ attempt }) => attempt)).toEqual([3, 2, 1]);
    for (const word of [event_id, '"order_number": "0000000004"', id, "200", "delivered"]) {
      expect(shown.text).toContain(word);
    }
    await api.remove(id);
    const nobody = await run("events resend", {}, event_id);
    expect([nobody.text, nobody.failed]).toEqual(["There is no active endpoint to send it to.", true]);
    const missing = "5 The account has no such event, or it is too old. Run `pestle events list` to see its events.";
    expect(await refused("events show", {}, NOBODY)).toBe(missing);
    expect(await refused("events resend", {}, NOBODY)).toBe(missing);
    expect(await refused("events resend", { endpoint: NOBODY }, event_id)).toBe(
      "3 Refused. endpoint_id (42200): not_found. Use the id of an endpoint of this account.",
    );
  });

  test("redelivers everything that failed since a time", async () => {
    answers = 500;
    const api = webhookCalls(app);
    const { id } = await api.create({ url: receiver.url });
    const since = new Date(Date.now() - 1_000).toISOString();
    const events = await writeEvents(app, [{}, {}]);
    for (const { event_id } of events) {
      await until(async () => (await api.event(event_id)).deliveries[0]?.attempts === 1, "it was tried");
    }
    await app.deps.db.raw("update webhook_delivery set attempts = 9, due_at = now() where endpoint_id = $1", [id]);
    app.deps.deliveries.wake();
    for (const { event_id } of events) await api.settled(event_id, "failed");
    answers = 200;
    expect((await run("events resend", { failedSince: since, endpoint: id })).text).toBe("Resending 2 events.");
    for (const { event_id } of events) await api.settled(event_id);
    expect((await run("events resend", { failedSince: since, endpoint: id })).text).toBe(
      "No failed events since then.",
    );
    await api.remove(id);
    expect(await refused("events resend", { failedSince: since, endpoint: id })).toBe(
      "5 The account has no such endpoint. Run `pestle webhooks list` to see its endpoints.",
    );
    expect(await refused("events resend")).toBe("2 Give either an event or --failed-since.");
    expect(await refused("events resend", { failedSince: since })).toMatch(/^2 Give --endpoint: /);
    expect(await refused("events resend", { missed: true }, NOBODY)).toBe("2 --missed requires --failed-since.");
  });
});

describe("pestle trigger", () => {
  /** A fake partner API that records its requests. */
  let stub: Server;
  let asked: { path: string; body: { simulation_type: string; simulation: Record<string, unknown> } }[];
  let settings: Record<string, string>;
  beforeAll(async () => {
    asked = [];
    stub = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        asked.push({ path: request.url ?? "", body: JSON.parse(Buffer.concat(chunks).toString()) });
        response.writeHead(202, { "content-type": "application/json" }).end(JSON.stringify({ event_id: NOBODY }));
      });
    });
    await new Promise<void>((resolve) => stub.listen(0, "127.0.0.1", resolve));
    settings = { ...env, BASE_URL: `http://127.0.0.1:${(stub.address() as AddressInfo).port}` };
  });
  afterAll(() => void stub.close());

  test.each(eventTypeNames)("sends a request for %s with a valid sample", async (event_type) => {
    const { data } = await run("trigger", {}, event_type.toLowerCase(), settings);
    expect(data).toEqual({ event_id: NOBODY, event_type });
    const { path, body } = asked.at(-1)!;
    expect([path, body.simulation_type]).toEqual(["/v1/simulate", "event"]);
    const { event_type: told, ...fields } = body.simulation;
    expect(told).toBe(event_type);
    const whole = { event_id: NOBODY, event_type, timestamp: 1, ...fields };
    expect(misfits(webhookBodies[event_type] as JsonSchema, whole)).toEqual([]);
  });

  test("uses the named patient or order, if the event has one", async () => {
    await run("trigger", { patient: "ay87nt", order: "7K2M9XQ4TB" }, "RX_UPDATED", settings);
    expect(asked.at(-1)!.body.simulation).toMatchObject({ patient_id: "ay87nt", order_number: "7K2M9XQ4TB" });
    expect(await refused("trigger", { order: "7K2M9XQ4TB" }, "RX_RECEIVED", settings)).toBe(
      "2 --order does not apply to RX_RECEIVED.",
    );
    expect(await refused("trigger", {}, "NOPE", settings)).toBe(
      `2 The event must be one of ${eventTypeNames.join(", ")}.`,
    );
    expect(await refused("trigger", { partner: app.demo.partners[2]!.name }, "RX_RECEIVED")).toBe(
      "5 Only sandbox accounts can trigger events.",
    );
  });
});

describe("pestle listen", () => {
  type Session = { listening_to: string; client_id: string; webhook_secret: string; signing_secret: string };
  type Line = WebhookEventRecord & { forwarded: { status: number | null; error: string | null } | null };
  /** Starts `listen` and waits until it says so. */
  async function listening(...args: string[]) {
    const followed = followCli(["listen", "--json", ...args], env);
    await until(() => followed.lines().length > 0, `it listens: ${followed.stderr()}`);
    const parsed = () => followed.lines().map((line) => JSON.parse(line));
    return {
      ...followed,
      session: parsed()[0] as Session,
      events: () => parsed().slice(1) as Line[],
      heard: (count: number) => until(() => followed.lines().length > count, `${count} events: ${followed.stderr()}`),
    };
  }

  test("forwards each event with the bytes and headers of its delivery, and independent code verifies it", async () => {
    answers = 200;
    const endpoint = await openReceiver();
    const { id } = await webhookCalls(app).create({ url: endpoint.url });
    const local = await openReceiver();
    const listener = await listening("--forward-to", local.url);
    const { client_id, client_secret } = app.demo.partners[0]!;
    expect(listener.session).toMatchObject({ listening_to: app.addresses.base_url, client_id, forward_to: local.url });
    const events = await writeEvents(app, [
      {
        order_number: "0000000005",
        more: { text: "it's é 😀 (~*!)", number: 1.5, deep: [{ 2: 1, 1: 2 }, null, true] },
      },
      { order_number: "0000000005", event_type: "ORDER_UPDATED" },
      { event_type: "RX_RECEIVED" },
    ]);
    const received = await local.arrived(2);
    const delivered = await endpoint.arrived(2);
    await listener.heard(2);
    expect(received.map(({ body }) => body).sort()).toEqual(delivered.map(({ body }) => body).sort());
    // Opt-in events go only to endpoints that request them.
    expect(received.map(({ body }) => body)).toEqual([events[0]!.body, events[2]!.body]);
    const { webhook_secret, signing_secret } = listener.session;
    for (const { body: rawBody, headers, path } of received) {
      const url = new URL(path, local.url).href;
      const verified = {
        rawBody,
        headers,
        url,
        client_secrets: [client_secret],
        webhook_secret,
        operator_name: "Larkspur",
      };
      expect(verifyWebhook(verified)).toEqual(JSON.parse(rawBody));
      expect(verifyStandardWebhook({ rawBody, headers, signing_secret })).toEqual(JSON.parse(rawBody));
      expect(new Webhook(signing_secret).verify(rawBody, headers as Record<string, string>)).toEqual(
        JSON.parse(rawBody),
      );
    }
    const names = (one: { headers: object }) => Object.keys(one.headers).sort();
    expect(names(received[0]!)).toEqual(names(delivered[0]!));
    expect(listener.events()).toMatchObject([
      { event_id: events[0]!.event_id, forwarded: { status: 200, error: null } },
      { event_id: events[2]!.event_id, forwarded: { status: 200 } },
    ]);
    expect(await listener.stop()).toBe(0);
    await webhookCalls(app).remove(id);
    await Promise.all([endpoint.close(), local.close()]);
  });

  test("waits for a program that is down, continues after a bad answer, and keeps the order", async () => {
    const port = await freePort();
    const listener = await listening(
      "--forward-to",
      `http://127.0.0.1:${port}/in`,
      "--events",
      "RX_UPDATED",
      "ORDER_UPDATED",
    );
    const events = await writeEvents(app, [{}, { event_type: "ORDER_UPDATED" }, { event_type: "RX_RECEIVED" }, {}]);
    await until(() => listener.stderr().includes("does not answer"), "it waits");
    expect(listener.events()).toEqual([]);
    const seen: string[] = [];
    const local = createServer((request, response) => {
      seen.push(String(request.headers["webhook-id"]));
      request.resume();
      request.on("end", () => response.writeHead(seen.length === 1 ? 500 : 200).end());
    });
    await new Promise<void>((resolve) => local.listen(port, "127.0.0.1", resolve));
    await listener.heard(3);
    const wanted = [events[0]!, events[1]!, events[3]!].map(({ event_id }) => event_id);
    expect(seen).toEqual(wanted);
    expect(listener.events().map(({ event_id, forwarded }) => [event_id, forwarded?.status])).toEqual(
      wanted.map((event_id, index) => [event_id, index === 0 ? 500 : 200]),
    );
    expect(listener.stderr().match(/does not answer/g)).toHaveLength(1);
    expect(await listener.stop()).toBe(0);
    local.closeAllConnections();
    await new Promise((resolve) => local.close(resolve));
  });

  test("resumes where it stopped: events in between arrive, and none twice", async () => {
    const file = join(folder, "cursor");
    const first = await listening("--cursor-file", file);
    const before = await writeEvents(app, [{}, {}]);
    await first.heard(2);
    expect(await first.stop()).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const meanwhile = await writeEvents(app, [{}, {}]);
    const second = await listening("--cursor-file", file);
    const after = await writeEvents(app, [{}]);
    await second.heard(3);
    expect(await second.stop()).toBe(0);
    const ids = (lines: { event_id: string }[]) => lines.map(({ event_id }) => event_id);
    expect(ids(first.events())).toEqual(ids(before));
    expect(ids(second.events())).toEqual(ids([...meanwhile, ...after]));
    expect(second.events()[0]!.forwarded).toBeNull();

    // Stopped in the middle of a page: the rest arrives, and finished events do not repeat.
    const kept = JSON.parse(readFileSync(file, "utf8"));
    const page = await writeEvents(app, [{}, {}, {}]);
    writeFileSync(file, JSON.stringify({ ...kept, done: [page[0]!.event_id] }));
    const third = await listening("--cursor-file", file);
    await third.heard(2);
    expect(await third.stop()).toBe(0);
    expect(ids(third.events())).toEqual(ids(page.slice(1)));
  });

  test("starts at a given time", async () => {
    const [old] = await writeEvents(app, [{}]);
    const { created_at } = await webhookCalls(app).event(old!.event_id);
    const since = new Date(Date.parse(created_at) - 1).toISOString();
    const listener = await listening("--since", since);
    await listener.heard(1);
    expect(listener.events()[0]!.event_id).toBe(old!.event_id);
    expect(await listener.stop()).toBe(0);
  });

  test("prints one line per event, without colors on request", async () => {
    const local = await openReceiver((_, response) => response.writeHead(418).end());
    const listener = followCli(["listen", "--forward-to", local.url], env);
    await until(() => listener.stderr().includes("Press Ctrl-C to stop."), "it listens");
    expect(listener.stderr()).toMatch(/signing_secret +whsec_/);
    const [event] = await writeEvents(app, [{ order_number: "0000000006" }]);
    await until(() => listener.lines().length === 1, "it was told");
    expect(listener.lines()[0]).toMatch(
      new RegExp(`^\\S+Z  RX_UPDATED         0000000006  ${event!.event_id}  418 in \\d+ ms$`),
    );
    expect(await listener.stop()).toBe(0);
    await local.close();
  });

  test("reports an error in one line", async () => {
    expect(await refused("listen", { forwardTo: "localhost:3000" })).toMatch(/^2 --forward-to takes a URL/);
    const file = join(folder, "other");
    writeFileSync(file, "not a cursor");
    expect(await refused("listen", { cursorFile: file })).toMatch(/^2 --cursor-file was not written/);
    writeFileSync(file, JSON.stringify({ client_id: "aaaaaaaaaaaa-bbbbbbbb", cursor: null, done: [] }));
    expect(await refused("listen", { cursorFile: file })).toMatch(/^2 --cursor-file belongs to another account/);
    const address = `127.0.0.1:${await freePort()}`;
    const { code, stderr } = await runCli(["listen"], { ...env, BASE_URL: `http://${address}` });
    expect([code, stderr]).toEqual([
      6,
      `pestle: No service answers at http://${address} (connect ECONNREFUSED ${address}). Is it running?\n`,
    ]);
  });
});
