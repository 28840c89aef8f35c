import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type AuditProof, auditKeyId, type HashedEntry, leafHash, nodeHash, signRoot } from "@pestle/contract";
import {
  type Brand,
  Conflict,
  createPestle,
  isPestleError,
  type Order,
  type OrderRequest,
  PestleError,
  ProofRefused,
  RequestRefused,
  signForTest as signForTestToo,
  Unavailable,
  verifyAuditProof,
  verifyAuditProofAsync,
  type WebhookBody,
  WebhookRefused,
  webhooks,
} from "@pestle/sdk";
import { receiveWebhooks } from "@pestle/sdk/express";
import { receiveWebhooks as receiveInNext } from "@pestle/sdk/next";
import { createFakePharmacy, recordTransport, replayTransport } from "@pestle/sdk/testing";
import { createReceiver, type InboxStore, nodeHandler, openInbox, signForTest } from "@pestle/sdk/webhooks";
import express from "express";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, startTestApp, type TestApp } from "../../server/test/support/test-app.ts";
import { clientOf, optionsOf } from "./support/client-of.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const client_secret = "the-client-secret";
const client_secrets = [client_secret];
const webhook_secret = "the-webhook-secret";
const signing_secret = "whsec_cGVzdGxlLWV4YW1wbGUtc2VjcmV0LTAwMDE=";
const order_actions = [{ event_key: "release", action: "Release the hold" } as const];
const eventOf = (event_id: string, sequence: number) =>
  ({
    event_id,
    event_type: "ORDER_EXCEPTION",
    timestamp: 1794731400,
    patient_id: "ay87nt",
    order_number: "7K2M9XQ4TB",
    sequence,
    exception: { id: 64, name: "Partner Hold", message: "", raised_at: "2026-11-15T08:30:00.000Z", order_actions },
    order_actions,
  }) as unknown as WebhookBody;

async function heldPort(): Promise<{ port: number; free: () => Promise<void> }> {
  const server: Server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, free: async () => void (await Promise.all([once(server, "close"), server.close()])) };
}

test("the README's calls work against the demo", async () => {
  const demo = { ...app.demo, ...app.demo.partners[0]! };
  const reported: unknown[][] = [];
  const report = (...told: unknown[]) => reported.push(told);

  const pestle = createPestle({
    client_id: demo.client_id,
    client_secret: demo.client_secret,
    base_url: demo.base_url,
    auth_url: demo.sandbox_auth_url,
  });
  const methods = await pestle.shippingMethods();
  const [product] = await pestle.products({ sku: ["atorvastatin-20"] });

  const { patient_id, prescription_id } = await pestle.simulate.prescription({ drug_name: "atorvastatin" });
  const order = await pestle.orders.create({
    reference: "inv-20931",
    shipping: { method_id: methods[0]!.id },
    patient: { patient_id },
    items: [{ prescription_id }],
  });

  await pestle.orders.hold(order.order_number);
  const { exception } = await pestle.orders.get(order.order_number);
  for (const { event_key, action } of exception!.order_actions) report(event_key, action);
  const released = await pestle.orders.act(order.order_number, { event: "release" });
  await pestle.orders.act(order.order_number, { event: "cancel" });

  await pestle.patients.update(patient_id, { phone: "4155550134" }, { minimal: true });

  const { status, request_id, body } = await pestle.request<{ brands: Brand[] }>("GET", "/v1/brands");

  for await (const { order_number, order_status } of pestle.orders.list({ patient_id })) {
    report(order_number, order_status);
  }
  const waiting = await pestle.orders.list({ order_status: "On Hold" }).take(10);
  const { orders, next_cursor } = await pestle.orders.list({ limit: 50 }).firstPage();

  expect(methods.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  expect(product).toMatchObject({ sku: "atorvastatin-20" });
  expect([order.order_status, released.order.order_status]).toEqual(["Processing", "Processing"]);
  expect([status, request_id?.length, body.brands.length]).toEqual([200, 36, 2]);
  expect(reported).toEqual([
    ["release", "Release the hold"],
    ["cancel", "Cancel the order"],
    [order.order_number, "Canceled"],
  ]);
  expect([waiting.length, orders.length, next_cursor]).toEqual([0, 1, null]);
});

test("the README's order code succeeds, or reports what is wrong", async () => {
  const reported: unknown[][] = [];
  const report = (...told: unknown[]) => reported.push(told);
  const pestle = clientOf(app);
  const { patient_id, prescription_id } = await pestle.simulate.prescription({ drug_name: "atorvastatin" });
  const wanted: OrderRequest = {
    reference: "inv-20932",
    shipping: { method_id: 1 },
    patient: { patient_id },
    items: [{ prescription_id }],
  };

  async function place(request: OrderRequest): Promise<Order | undefined> {
    try {
      return await pestle.orders.create(request, { idempotency_key: request.reference! });
    } catch (error) {
      if (error instanceof Conflict) return error.order;
      if (error instanceof Unavailable) return pestle.orders.find(request);
      if (error instanceof RequestRefused) {
        for (const { code, field, problem, did_you_mean } of error.fields) report(code, field, problem, did_you_mean);
      } else if (error instanceof PestleError) {
        report(error.status, error.request_id);
      } else throw error;
      return undefined;
    }
  }

  const placed = await pestle.orders.create(wanted);
  expect(await place(wanted)).toEqual(placed);
  expect(await place({ ...wanted, shipping: { method_id: 99 } })).toBeUndefined();
  expect(reported).toEqual([[42291, "shipping.method_id", "not_found", undefined]]);
});

test("the README's receiver and feed loop process each event once, on any address", async () => {
  const pestle = clientOf(app);
  const queue: unknown[][] = [];
  const stop = new AbortController();
  let awaited: string | undefined;
  const enqueue = (...told: unknown[]) => {
    queue.push(told);
    if (told[0] === awaited) stop.abort();
  };
  const reported: unknown[] = [];
  const report = (error: unknown) => reported.push(error);
  const { port, free } = await heldPort();
  const url = `http://127.0.0.1:${port}/hook`;
  await free();
  const servers: Server[] = [];
  const createServerHere = (listener: RequestListener) => {
    const server = createServer(listener);
    servers.push(server);
    return server;
  };

  await (async (createServer: typeof createServerHere) => {
    const inbox = openInbox({
      on: {
        RX_RECEIVED: ({ patient_id, medication_requests }) => enqueue(patient_id, medication_requests.length),
        ORDER_EXCEPTION: ({ order_number, order_actions }) => enqueue(order_number, order_actions),
        ORDER_UPDATED: ({ order_number, order_status }, { late }) => {
          if (!late) enqueue(order_number, order_status);
        },
      },
      async onGap({ order_number }) {
        for await (const { body } of pestle.events.list({ order_number })) await inbox.take(body);
      },
    });
    const receive = createReceiver({
      url,
      client_secrets: [client_secret],
      webhook_secret,
      signing_secret,
      inbox,
      onError: (error) => report(error),
    });
    createServer(nodeHandler(receive)).listen(port);

    const app = express();
    app.post("/hook", receiveWebhooks({ url, client_secrets, webhook_secret, signing_secret, inbox }));
    createServer(app).listen(0);

    const event = eventOf("0b7f5c1e-6a3d-4f52-9d0e-3c8a1b2d4e5f", 1);
    await Promise.all(servers.map((server) => server.listening || once(server, "listening")));
    const delivery = signForTest({ event, url, client_secret, webhook_secret, signing_secret });
    const answer = await fetch(url, { method: "POST", headers: delivery.headers, body: delivery.rawBody });
    const other = `http://127.0.0.1:${(servers[1]!.address() as AddressInfo).port}/hook`;
    const elsewhere = await fetch(other, { method: "POST", headers: delivery.headers, body: delivery.rawBody });
    expect([answer.status, elsewhere.status]).toEqual([204, 204]);
    expect(queue).toEqual([["7K2M9XQ4TB", order_actions]]);
    const forged = await fetch(url, { method: "POST", headers: delivery.headers, body: `${delivery.rawBody} ` });
    expect(forged.status).toBe(401);

    queue.length = 0;
    const { signal } = stop;
    const received = await pestle.simulate.prescription({ drug_name: "atorvastatin" });
    awaited = received.patient_id;
    const first = await pestle.events.list({ limit: 1 }).firstPage();
    let saved: string | undefined = first.end_cursor;
    for await (const { events, cursor } of pestle.events.follow({ cursor: saved, signal })) {
      for (const { body } of events) await inbox.take(body);
      saved = cursor;
    }
    expect(saved).not.toBe(first.end_cursor);
    expect(queue.at(-1)).toEqual([received.patient_id, 1]);
  })(createServerHere);
  expect(reported).toEqual([]);
  for (const server of servers) server.close();
});

test("the README's verification accepts signed requests and rejects all others", () => {
  const url = "https://partner.example/hook";
  const queue: unknown[] = [];
  const enqueue = (...told: unknown[]) => queue.push(told);
  const event = eventOf("0b7f5c1e-6a3d-4f52-9d0e-3c8a1b2d4e5f", 2);

  function receiveByHand(rawBody: Buffer, headers: IncomingHttpHeaders): number {
    try {
      const event = webhooks.verify(rawBody, headers, { url, client_secrets, webhook_secret, signing_secret });
      if (event.event_type === "ORDER_EXCEPTION") enqueue(event.event_id, event.order_actions);
      return 204;
    } catch (error) {
      if (error instanceof WebhookRefused) return 401;
      throw error;
    }
  }

  const delivery = signForTestToo({ event, url, client_secret, webhook_secret, signing_secret });
  expect(receiveByHand(Buffer.from(delivery.rawBody), delivery.headers)).toBe(204);
  expect(queue).toEqual([[event.event_id, order_actions]]);
  expect(receiveByHand(Buffer.from(delivery.rawBody.replace("64", "65")), delivery.headers)).toBe(401);
});

test("the README's store survives a restart, and two concurrent processes process an event once", async () => {
  const database = await createTestDatabase("");
  const pool = new pg.Pool({ connectionString: database.url });
  await pool.query(`
    create table seen_event (event_id text primary key);
    create table heard_order (order_number text primary key, highest int, missing int[]);
    create table work (event_id text)`);

  const store: InboxStore<pg.PoolClient> = {
    async once(event_id, work) {
      const client = await pool.connect();
      try {
        await client.query("begin");
        const noted = await client.query("insert into seen_event values ($1) on conflict do nothing", [event_id]);
        if (noted.rowCount === 1) await work(client);
        await client.query("commit");
        return noted.rowCount === 1;
      } catch (error) {
        await client.query("rollback");
        throw error;
      } finally {
        client.release();
      }
    },
    async hear(order_number, change, client) {
      await client.query("insert into heard_order values ($1, 0, '{}') on conflict do nothing", [order_number]);
      const load = "select * from heard_order where order_number = $1 for update";
      const { highest, missing } = change((await client.query(load, [order_number])).rows[0]);
      const save = "update heard_order set highest = $2, missing = $3 where order_number = $1";
      await client.query(save, [order_number, highest, missing]);
    },
  };

  const gaps: (readonly number[])[] = [];
  let fails = true;
  const process = () =>
    openInbox({
      store,
      on: {
        async ORDER_EXCEPTION({ event_id }, { context }) {
          await context.query("insert into work values ($1)", [event_id]);
          if (event_id === "d" && fails) throw new Error("no luck");
        },
      },
      onGap: ({ missing }) => void gaps.push(missing),
    });
  const [one, other] = [process(), process()];
  const taken = await Promise.all([one, other, one].map((inbox) => inbox.take(eventOf("a", 1))));
  expect(taken.sort()).toEqual(["duplicate", "duplicate", "worked"]);
  await one.take(eventOf("c", 4));
  await expect(other.take(eventOf("d", 2))).rejects.toThrow("no luck");
  fails = false;
  expect(await process().take(eventOf("d", 2))).toBe("worked");
  expect(await process().take(eventOf("a", 1))).toBe("duplicate");
  expect(gaps).toEqual([[2, 3]]);
  expect((await pool.query("select event_id from work order by 1")).rows).toEqual(
    ["a", "c", "d"].map((event_id) => ({ event_id })),
  );
  expect((await pool.query("select highest, missing from heard_order")).rows).toEqual([{ highest: 4, missing: [3] }]);
  await pool.end();
  await database.drop();
});

test("the README's advice knows the fields of each kind of error", async () => {
  function advise(error: unknown): string {
    if (!isPestleError(error)) throw error;
    switch (error.kind) {
      case "conflict":
        return `The order exists: ${error.order?.order_number}`;
      case "refused":
        return error.fields.map(({ code, field, message }) => `${code} ${field}: ${message}`).join("\n");
      case "rate_limited":
      case "unavailable":
        return `Try again in ${error.retry_after_s ?? 60} seconds.`;
      default:
        return `${error.message} (request ${error.request_id})`;
    }
  }

  const order = { order_number: "7K2M9XQ4TB" } as Order;
  expect(advise(new Conflict("taken", { order }))).toBe("The order exists: 7K2M9XQ4TB");
  expect(advise(new Unavailable("away", { retry_after_s: 5 }))).toBe("Try again in 5 seconds.");
  expect(advise(new PestleError("odd", { request_id: "r" }))).toBe("odd (request r)");
  expect(() => advise(new TypeError("not ours"))).toThrow("not ours");
  const refused = await clientOf(app)
    .orders.create({} as OrderRequest)
    .catch(advise);
  expect(refused).toMatch(/^42200 /);
});

test("the README's fake pharmacy needs no server", async () => {
  const webhook_secret = "word";
  const url = "https://partner.example/hook";
  const worked: string[] = [];
  const inbox = openInbox({ otherwise: ({ event_type }) => void worked.push(event_type) });

  await (async () => {
    const pharmacy = createFakePharmacy();
    const pestle = createPestle(pharmacy.options);
    const { patient_id, prescription_id } = pharmacy.prescription({ drug_name: "Atorvastatin 20 mg tablet" });
    const order = await pestle.orders.create({
      shipping: { method_id: 1 },
      patient: { patient_id },
      items: [{ prescription_id }],
    });
    pharmacy.decline(order.order_number);
    await pestle.orders.act(order.order_number, { event: "retry_payment", token: "tok_visa" });
    pharmacy.move(order.order_number, "Shipped");
    expect(pharmacy.order(order.order_number)).toMatchObject({ order_status: "Shipped" });
  })();

  await (async () => {
    const pharmacy = createFakePharmacy({ deliver: (request) => POST(request) });
    const { client_secret } = pharmacy.options;
    const { signing_secret } = pharmacy.addEndpoint({ url, secret: webhook_secret });
    const POST = receiveInNext({ url, client_secrets: [client_secret], webhook_secret, signing_secret, inbox });
    pharmacy.prescription();
    const delivered = await pharmacy.deliverWebhooks();
    expect([delivered.map(({ status }) => status), worked]).toEqual([[204], ["RX_RECEIVED"]]);
  })();

  const options = optionsOf(app);
  const recorder = recordTransport();
  const recorded = await createPestle({ ...options, fetch: recorder.fetch }).brands();
  const replay = replayTransport(recorder.exchanges);
  const replayed = await createPestle({ ...options, fetch: replay.fetch }).brands();
  expect(replayed).toEqual(recorded);
  expect(JSON.stringify(recorder.exchanges)).not.toContain(options.client_secret);
});

test("the README's verification of an audit proof accepts the pharmacy's proof and no other", async () => {
  function whoSawIt(proof: AuditProof, public_key: string): string[] {
    try {
      const { entries } = verifyAuditProof(proof, public_key);
      return entries.map(({ at, role, action }) => `${at} ${role} ${action}`);
    } catch (error) {
      if (error instanceof ProofRefused) return [error.message];
      throw error;
    }
  }

  const { proof, public_key } = auditProof();
  expect(whoSawIt(proof, public_key)).toEqual(["2026-11-17T01:30:17.123000Z pharmacist order_read"]);
  expect(await verifyAuditProofAsync(proof, { roots: [proof.root] })).toEqual(verifyAuditProof(proof, [public_key]));
  const changed = { ...proof, entries: [{ ...proof.entries[0]!, position: 1 }] };
  expect(whoSawIt(changed, public_key)).toEqual(["Entry 7 is not in the log that the root describes."]);
  expect(whoSawIt(proof, auditProof().public_key)[0]).toContain("No trusted key signed the root");
  expect(whoSawIt(proof, "no key")).toEqual(["The proof or a key cannot be read."]);
});

/** A log of two entries, and the proof of the first. */
function auditProof(): { proof: AuditProof; public_key: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const public_key = publicKey.export({ type: "spki", format: "pem" }) as string;
  const entry: HashedEntry = {
    ...{ form: 1, audit_id: 7, at: "2026-11-17T01:30:17.123000Z", person_id: "p", role: "pharmacist" },
    ...{ credential_id: null, os_user: null, address: null, account_id: "a", action: "order_read" },
    ...{ subject: "7K2M9XQ4TB", request_id: null, field_groups: ["order"], patient_keys: [1], salt: "s" },
  };
  const beside = leafHash({ ...entry, audit_id: 8 });
  const unsigned = {
    form: 1,
    ...{ log_id: "l", size: 2, at: "2026-11-17T02:00:00.000Z", key_id: auditKeyId(public_key) },
    root: nodeHash(leafHash(entry), beside).toString("hex"),
  } as const;
  const root = signRoot(unsigned, privateKey.export({ type: "pkcs8", format: "pem" }) as string);
  const entries = [{ position: 0, entry, path: [beside.toString("hex")] }];
  return { proof: { form: 1, account_id: "a", order_number: "7K2M9XQ4TB", root, entries }, public_key };
}

test("every snippet in the README is in this file, which is compiled and run", () => {
  const lines = (text: string) => text.split("\n").map((line) => line.trim());
  const here = lines(readFileSync(new URL(import.meta.url), "utf8")).join("\n");
  const snippets = [...readFileSync(new URL("../README.md", import.meta.url), "utf8").matchAll(/```ts\n(.*?)```/gs)];
  expect(snippets).toHaveLength(18);
  for (const [, snippet] of snippets) {
    const imports = [...snippet!.matchAll(/import (type )?\{ (.*?) \} from "@pestle\/sdk(?:\/\w+)?"/g)];
    for (const name of imports.flatMap(([, , list]) => list!.split(", ")))
      expect(here).toMatch(new RegExp(`[ \\n]${name}(,| \\} from)`));
    const code = lines(snippet!.replace(/^import .*\n/gm, ""))
      .join("\n")
      .trim();
    expect(here).toContain(code);
  }
});

test("the README's table names every method", () => {
  const told = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const { request: _told, ...pestle } = clientOf(app);
  for (const [name, part] of Object.entries(pestle)) {
    const row = told
      .split("\n")
      .find((line) => line.startsWith(typeof part === "function" ? "| the client" : `| \`${name}\` |`));
    const methods = typeof part === "function" ? [name] : Object.keys(part);
    for (const method of methods) expect(row).toContain(`\`${method}\``);
  }
});
