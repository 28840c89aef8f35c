import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { keepRawBody, receiveWebhooks as receiveInExpress } from "../src/express.ts";
import { receiveWebhooks as receiveInFastify } from "../src/fastify.ts";
import { receiveWebhooks as receiveInHono } from "../src/hono.ts";
import { receiveWebhooks as receiveInNext } from "../src/next.ts";
import {
  createReceiver,
  nodeHandler,
  openInbox,
  type ReceiverOptions,
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
  const options: ReceiverOptions = { ...secrets, inbox, onError: (error) => errors.push(error) };
  return { options, receive: createReceiver(options), worked, errors };
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
/** One server per framework: the frameworks themselves, except Next, which calls a route with the web's own Request. */
const frameworks: Record<string, (options: ReceiverOptions) => Promise<Served>> = {
  "node:http": async (options) => listening(nodeHandler(createReceiver(options))),
  Express: async (options) => {
    const app = express();
    app.post("/hook", receiveInExpress(options));
    app.use(express.json());
    return listening(app);
  },
  "Express after a parser that keeps the bytes": async (options) => {
    const app = express();
    app.use(express.json({ verify: keepRawBody, limit: "10mb" }));
    app.post("/hook", receiveInExpress(options));
    return listening(app);
  },
  "Express after a raw parser": async (options) => {
    const app = express();
    app.post("/hook", express.raw({ type: "*/*", limit: "10mb" }), receiveInExpress(options));
    return listening(app);
  },
  async Fastify(options) {
    const app = fastify();
    app.post("/other", async ({ body }) => body);
    app.register(receiveInFastify(options), { path: "/hook" });
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
  Hono: async (options) => {
    const app = new Hono().post("/hook", receiveInHono(options));
    return { ask: async (init) => (await app.request(url, init)).status, stop: async () => {} };
  },
  "Hono after a parser": async (options) => {
    const app = new Hono().use(async ({ req }, next) => {
      if (req.method === "POST") await req.text();
      await next();
    });
    app.post("/hook", receiveInHono(options));
    return { ask: async (init) => (await app.request(url, init)).status, stop: async () => {} };
  },
  "Next's app router": async (options) => ({
    ask: async (init) => (await receiveInNext(options)(new Request(url, init))).status,
    stop: async () => {},
  }),
};

test.each(Object.keys(frameworks))(
  "%s: processes each event from the pharmacy once, and rejects all others",
  async (name) => {
    const { options, worked, errors } = openReceiver();
    const { ask, stop } = await frameworks[name]!(options);
    const post = ({ rawBody, headers }: ReturnType<typeof signForTest>) =>
      ask({ method: "POST", headers, body: rawBody });

    const delivery = signed(event("one"));
    expect(await post(delivery)).toBe(204);
    expect(await post(delivery)).toBe(204);
    expect(await post({ ...delivery, rawBody: delivery.rawBody.replace("one", "two") })).toBe(401);
    expect(await post({ ...delivery, headers: { "content-type": "application/json" } })).toBe(401);
    expect(await post({ ...delivery, rawBody: "" })).toBe(401);
    // A body parser in front has its own limits.
    expect([400, 401, 413]).toContain(await post({ ...delivery, rawBody: "x".repeat(5 * 1024 * 1024) }));
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
  expect(told).toMatchObject([
    { message: expect.stringContaining("The body was parsed before it could be verified.") },
  ]);
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
