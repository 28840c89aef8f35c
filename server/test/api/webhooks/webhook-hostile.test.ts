import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../../../../chaos/until.ts";
import { openWebhookClient } from "../../../src/adapters/webhook-client.ts";
import { openRawReceiver, openReceiver, type Receiver } from "../../support/receiver.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { selfSigned } from "../../support/tools/self-signed.ts";
import { SOON_MS } from "../../support/tools/until.ts";
import { addEndpoint, deliveryOf, type TestEndpoint, writeEvents } from "../../support/webhooks.ts";

/** Endpoints that misbehave in every known way, all at once, next to a healthy one. */

const CONNECT_TIMEOUT_MS = 400;
const RESPONSE_TIMEOUT_MS = 10_000;
const MEGABYTE = Buffer.alloc(1024 * 1024, "x");

type Misbehaviour = {
  open(): Promise<Pick<Receiver, "url" | "close">>;
  /** The expected outcome of the attempt. */
  status: number | null;
  error: string | null;
};
let tls: { key: string; cert: string };
const folder = mkdtempSync(join(tmpdir(), "pestle-tls-"));
let lookups = 0;

const head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n";
const misbehaviours: Record<string, Misbehaviour> = {
  "hangs without a word": { open: () => openRawReceiver(() => {}), status: null, error: "timeout" },
  "drips its headers": {
    open: () => openRawReceiver((socket) => drip(socket, `${head}x-long: ${"y".repeat(5_000)}`)),
    status: null,
    error: "timeout",
  },
  // The status arrived in time, and says that the event was received.
  "drips its body after a good status": {
    open: () => openRawReceiver((socket) => drip(socket, "z".repeat(5_000), `${head}content-length: 5000\r\n\r\n`)),
    status: 200,
    error: null,
  },
  "sends 100 MB": {
    open: () =>
      openReceiver((_, response) => {
        response.writeHead(200, { "content-length": 100 * MEGABYTE.length });
        let left = 100;
        const more = () => {
          while (left > 0 && !response.destroyed) {
            left -= 1;
            if (!response.write(MEGABYTE)) {
              response.once("drain", more);
              return;
            }
          }
          response.end();
        };
        more();
      }),
    status: 200,
    error: null,
  },
  "redirects to itself for ever": {
    open: () => openReceiver((_, response) => response.writeHead(302, { location: "/hook" }).end()),
    status: 302,
    error: "redirect",
  },
  "resets the connection": {
    open: () => openRawReceiver((socket) => socket.once("data", () => socket.resetAndDestroy())),
    status: null,
    error: "reset",
  },
  "closes in the middle of its headers": {
    open: () => openRawReceiver((socket) => socket.once("data", () => socket.end(head))),
    status: null,
    error: "reset",
  },
  "speaks no HTTP": {
    open: () => openRawReceiver((socket) => socket.once("data", () => socket.end("220 mail.example ESMTP\r\n"))),
    status: null,
    error: "not_http",
  },
  "answers 200 with garbage": {
    open: () =>
      openReceiver((_, response) =>
        response.writeHead(200, { "content-type": "\xff\xfe" }).end(Buffer.from([0, 255, 0, 13, 10])),
      ),
    status: 200,
    error: null,
  },
  "sends headers without end": {
    open: () =>
      openRawReceiver((socket) => socket.once("data", () => socket.write(`${head}x: ${"y".repeat(200_000)}`))),
    status: null,
    error: "not_http",
  },
  "presents an untrusted certificate": {
    open: () => openReceiver(undefined, tls),
    status: null,
    error: "tls",
  },
  "answers without TLS on an https URL": {
    open: async () => {
      const receiver = await openReceiver();
      return { ...receiver, url: receiver.url.replace("http:", "https:") };
    },
    status: null,
    error: "tls",
  },
  "refuses the connection": {
    open: async () => {
      const receiver = await openRawReceiver(() => {});
      await receiver.close();
      return { url: receiver.url, close: async () => {} };
    },
    status: null,
    error: "refused",
  },
  "has a name that leads to this machine at first and inside the network afterwards": {
    open: async () => {
      const receiver = await openReceiver((_, response) => response.writeHead(500, { connection: "close" }).end());
      return { ...receiver, url: receiver.url.replace("127.0.0.1", "rebinding.test") };
    },
    status: null,
    error: "blocked_address",
  },
  "has an unknown host name": {
    open: async () => ({ url: "http://nobody.test:9/hook", close: async () => {} }),
    status: null,
    error: "unknown_host",
  },
  "has a name server that never answers": {
    open: async () => ({ url: "http://silent.test:9/hook", close: async () => {} }),
    status: null,
    error: "connect_timeout",
  },
};

let app: TestApp;
let well: Receiver;
const bad: { name: string; endpoint: TestEndpoint; receiver: Pick<Receiver, "url" | "close"> }[] = [];
beforeAll(async () => {
  const files = selfSigned(folder, "other.test");
  tls = { key: readFileSync(files.key, "utf8"), cert: readFileSync(files.cert, "utf8") };
  const webhook_client = openWebhookClient({
    loopback_ports: "any",
    connect_timeout_ms: CONNECT_TIMEOUT_MS,
    response_timeout_ms: RESPONSE_TIMEOUT_MS,
    resolve(hostname) {
      if (hostname === "silent.test") return new Promise(() => {});
      if (hostname !== "rebinding.test") return Promise.resolve([]);
      lookups += 1;
      return Promise.resolve([lookups === 1 ? "127.0.0.1" : "10.11.12.13"]);
    },
  });
  app = await startTestApp({ webhook_client });
  for (const [name, { open }] of Object.entries(misbehaviours)) {
    const receiver = await open();
    bad.push({ name, receiver, endpoint: await addEndpoint(app, { url: receiver.url }) });
  }
  well = await openReceiver();
  await addEndpoint(app, { url: well.url });
});
afterAll(async () => {
  await app.stop();
  for (const { receiver } of bad) await receiver.close();
  await well.close();
  rmSync(folder, { recursive: true, force: true });
});

test("none of them delays the first attempts at a healthy endpoint", async () => {
  const slowest: number[] = [];
  for (let round = 1; round <= 20; round++) {
    const written_ms = Date.now();
    await writeEvents(
      app,
      Array.from({ length: 10 }, (_, index) => ({ order_number: `ORDER${round}${index}` })),
    );
    await well.arrived(round * 10);
    slowest.push(...well.received.slice(-1).map(({ at_ms }) => at_ms - written_ms));
  }
  expect(well.received).toHaveLength(200);
  // The others misbehave in every round; a machine is not busy with other work in every round.
  expect(slowest.sort((a, b) => a - b)[10]).toBeLessThan(SOON_MS);
});

describe("an endpoint that", () => {
  for (const [index, [name, { status, error }]] of Object.entries(misbehaviours).entries()) {
    test(`${name} is handled as the contract says`, async () => {
      const { endpoint } = bad[index]!;
      const attempt = await until("an attempt is written down", async () => {
        const { rows } = await app.deps.db.raw(
          "select * from webhook_attempt where account_id = $1 and endpoint_id = $2 order by at desc limit 1",
          [endpoint.account_id, endpoint.endpoint_id],
        );
        // The second lookup is the one for the connection.
        return name.startsWith("has a name that leads") && rows[0]?.["status"] === 500 ? undefined : rows[0];
      });
      expect(attempt).toMatchObject({ status, error, delivery_status: error === null ? "delivered" : "pending" });
      expect(attempt["duration_ms"]).toBeLessThan(RESPONSE_TIMEOUT_MS + SOON_MS);
      const { waiting } = await deliveryOf(app, { event_id: String(attempt["event_id"]) }, endpoint);
      expect(waiting === undefined).toBe(error === null);
    });
  }
});

/** One byte at a time, for longer than any timeout. */
function drip(socket: import("node:net").Socket, text: string, at_once = ""): void {
  socket.once("data", () => {
    socket.write(at_once);
    let sent = 0;
    const timer = setInterval(() => {
      if (socket.destroyed || sent === text.length) clearInterval(timer);
      else socket.write(text[sent++]!);
    }, 50);
    socket.on("close", () => clearInterval(timer));
  });
}
