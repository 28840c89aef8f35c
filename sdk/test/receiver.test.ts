import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import fastify from "fastify";
import { expect, test } from "vitest";
import {
  createReceiver,
  fastifyPlugin,
  fetchHandler,
  nodeHandler,
  openInbox,
  type Receive,
  signForTest,
  verify,
  type WebhookBody,
  WebhookRefused,
  type WebhookSecrets,
} from "../src/webhooks.ts";

const url = "https://partner.example/hook";
const client_secret = "the-client-secret";
const webhook_secret = "wh secret ~ 1";
const signing_secret = "whsec_cGVzdGxlLWV4YW1wbGUtc2VjcmV0LTAwMDE=";
const secrets: WebhookSecrets = { url, client_secrets: [client_secret], webhook_secret, signing_secret };
const event = (event_id: string, reason = "gone") =>
  ({ event_id, event_type: "ENDPOINT_DISABLED", timestamp: 1, endpoint_id: "e", reason }) as WebhookBody;
const signed = (given: WebhookBody) =>
  signForTest({ event: given, url, client_secret, webhook_secret, signing_secret });

function openReceiver() {
  const worked: string[] = [];
  const errors: unknown[] = [];
  const inbox = openInbox({
    on: {
      ENDPOINT_DISABLED({ event_id, reason }) {
        // Thrown by the receiver's own handler, this says nothing about the sender.
        if (reason === "fail") throw new WebhookRefused("the receiver's own trouble");
        worked.push(event_id);
      },
    },
  });
  const receive = createReceiver({ ...secrets, inbox, onError: (error) => errors.push(error) });
  return { receive, worked, errors };
}

async function listening(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return {
    ask: async (init: RequestInit) => (await fetch(address, init)).status,
    stop: async () => void server.close(),
  };
}

type Served = { ask(init: RequestInit): Promise<number>; stop(): Promise<void> };
/** One server per kind of handler. */
const frameworks: Record<string, (receive: Receive) => Promise<Served>> = {
  "node:http": async (receive) => listening(nodeHandler(receive)),
  "Express behind a raw parser": async (receive) =>
    listening(async (request, response) => {
      const body = await buffer(request);
      await nodeHandler(receive)(Object.assign(request, { body }), response, () => {});
    }),
  async Fastify(receive) {
    const app = fastify();
    app.post("/other", async ({ body }) => body);
    app.register(fastifyPlugin(receive), { path: "/hook" });
    await app.listen({ port: 0, host: "127.0.0.1" });
    const { port } = app.server.address() as AddressInfo;
    const other = await fetch(`http://127.0.0.1:${port}/other`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"parsed":true}',
    });
    expect(await other.json()).toEqual({ parsed: true });
    const address = `http://127.0.0.1:${port}/hook`;
    return { ask: async (init) => (await fetch(address, init)).status, stop: async () => void (await app.close()) };
  },
  "the web's own Request and Response": async (receive) => ({
    ask: async (init) => (await fetchHandler(receive)(new Request(url, init))).status,
    stop: async () => {},
  }),
};

test.each(Object.keys(frameworks))(
  "%s: processes each event from the pharmacy once, and rejects all others",
  async (name) => {
    const { receive, worked, errors } = openReceiver();
    const { ask, stop } = await frameworks[name]!(receive);
    const post = ({ rawBody, headers }: ReturnType<typeof signForTest>) =>
      ask({ method: "POST", headers, body: rawBody });

    const delivery = signed(event("one"));
    expect(await post(delivery)).toBe(204);
    expect(await post(delivery)).toBe(204);
    expect(await post({ ...delivery, rawBody: delivery.rawBody.replace("one", "two") })).toBe(401);
    expect(await post({ ...delivery, headers: { "content-type": "application/json" } })).toBe(401);
    expect(await post({ ...delivery, rawBody: "" })).toBe(401);
    // A body parser in front has its own limits.
    expect([401, 413]).toContain(await post({ ...delivery, rawBody: "x".repeat(5 * 1024 * 1024) }));
    expect([404, 405]).toContain(await ask({ method: "GET" }));
    expect(await post(signed(event("three", "fail")))).toBe(500);
    expect(worked).toEqual(["one"]);
    expect(errors).toMatchObject([{ message: "the receiver's own trouble" }]);
    await stop();
  },
);

test("with an already parsed body, Express gets a clear error instead of a failed verification", async () => {
  const { receive } = openReceiver();
  const told: unknown[] = [];
  const { ask, stop } = await listening(async (request, response) => {
    const body = JSON.parse(String(await buffer(request)));
    await nodeHandler(receive)(Object.assign(request, { body }), response, (error) => {
      told.push(error);
      response.writeHead(500).end();
    });
  });
  const { rawBody, headers } = signed(event("one"));
  expect(await ask({ method: "POST", headers, body: rawBody })).toBe(500);
  expect(told).toMatchObject([{ message: "The body was parsed before it could be verified." }]);
  await stop();
});

test("one call verifies both schemes, and each that is present must be valid", () => {
  const { rawBody, headers } = signed(event("one"));
  const { signing_secret: _standard, ...service } = secrets;
  for (const given of [secrets, service, { signing_secret }]) {
    expect(verify(rawBody, headers, given)).toEqual(event("one"));
  }
  const wrong: WebhookSecrets[] = [
    { ...secrets, webhook_secret: "wrong" },
    { ...secrets, signing_secret: "whsec_d3Jvbmc=" },
    { ...secrets, operator_name: "Larkspur" },
  ];
  for (const given of wrong) expect(() => verify(rawBody, headers, given)).toThrow(WebhookRefused);
  const later = new Date(Date.now() + 400_000);
  expect(() => verify(rawBody, headers, { ...secrets, now: later })).toThrow(WebhookRefused);
  expect(verify(rawBody, headers, { ...secrets, now: later, tolerance_s: 500 })).toEqual(event("one"));
});

test("a missing secret is a configuration error, never a successful verification", () => {
  const { rawBody, headers } = signed(event("one"));
  for (const given of [{}, { url }, { url, webhook_secret }, { client_secrets: [client_secret] }]) {
    expect(() => verify(rawBody, headers, given)).toThrow(TypeError);
    expect(() => verify(rawBody, headers, { ...given, signing_secret: "" })).toThrow(TypeError);
  }
});
