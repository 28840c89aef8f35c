import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { requestSigner, signingKey } from "@pestle/contract";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../../../chaos/until.ts";
import {
  createCredential,
  finishRotation,
  rotateCredential,
} from "../../../src/usecases/accounts/manage-credentials.ts";
import { openReceiver, type Received, type Receiver } from "../../support/receiver.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { addEndpoint, type TestEndpoint, writeEvents } from "../../support/webhooks.ts";

/** What arrives at a partner, verified by independent programs. */

/** Each text of each kind many times. The campaign `webhooks` verifies 85,000. */
const BODIES = 2_000;
const VERIFIER = fileURLToPath(new URL("../../support/tools/verify-signatures.py", import.meta.url));

let app: TestApp;
let receiver: Receiver;
let endpoint: TestEndpoint;
beforeAll(async () => {
  app = await startTestApp();
  receiver = await openReceiver();
  endpoint = await addEndpoint(app, { url: `${receiver.url}/ünder & über?a=1&b=(2)*'!~` });
  const texts = [
    "plain",
    "O'Brien's (dose)!",
    "crème brûlée ~ *",
    "💊👩‍⚕️",
    '\u2028\u0000\\"',
    "ÿ".repeat(400),
    "日本語",
    "%2B+ +",
  ];
  for (let first = 0; first < BODIES; first += 1_000) {
    await writeEvents(
      app,
      Array.from({ length: 1_000 }, (_, index) => {
        const number = first + index;
        const long = number % 50 === 0 ? "long 'text' é 💊 ".repeat(1_200).slice(0, 20 * 1024) : "";
        return {
          more: { number, text: texts[number % texts.length], long, nested: { clé: [number / 7, null, true] } },
        };
      }),
    );
  }
  await receiver.arrived(BODIES);
}, 120_000);
afterAll(async () => {
  await app.stop();
  await receiver.close();
});

test("Python's standard library verifies all three signatures of 2,000 requests", () => {
  const { client_secret } = app.demo.partners[0]!;
  const lines = receiver.received.map(({ headers, body }) =>
    JSON.stringify({
      client_secret,
      url: endpoint.url,
      webhook_secret: endpoint.secret,
      signing_secret: endpoint.signing_secret,
      body: Buffer.from(body, "latin1").toString("base64"),
      signature: headers["x-service-signature"],
      secret: headers["x-service-secret"],
      webhook_id: headers["webhook-id"],
      webhook_timestamp: headers["webhook-timestamp"],
      webhook_signature: headers["webhook-signature"],
    }),
  );
  const run = (input: string) =>
    execFileSync("python3", [VERIFIER], { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] }).trim();
  expect(run(lines.join("\n"))).toBe(String(BODIES));
  // And it detects a wrong one.
  expect(() => run(lines[0]!.replace(/"signature":".{4}/, '"signature":"AAAA'))).toThrow();
});

test("the public standardwebhooks package verifies 2,000 requests", () => {
  const webhook = new Webhook(endpoint.signing_secret);
  const ids = new Set<string>();
  for (const { headers, body } of receiver.received) {
    const { event_id } = webhook.verify(body, headers as Record<string, string>) as { event_id: string };
    ids.add(event_id);
  }
  expect(ids.size).toBe(BODIES);
  expect(() =>
    webhook.verify(`${receiver.received[0]!.body} `, receiver.received[0]!.headers as Record<string, string>),
  ).toThrow();
});

test("the samples included bodies of 20 KB, accents and emoji, and every byte was ASCII", () => {
  const bodies = receiver.received.map(({ body }) => body);
  expect(Math.max(...bodies.map((body) => body.length))).toBeGreaterThan(20 * 1024);
  expect(bodies.some((body) => body.includes("\\ud83d\\udc8a"))).toBe(true);
  for (const body of bodies) expect(/^[\x20-\x7e]*$/.test(body) && !/[!'()*~]/.test(body)).toBe(true);
});

test("the signing code produces the contract's vectors", () => {
  const secrets = { key: signingKey("sek"), secret: "wh secret ~ 1", signing_secret: "whsec_c2Vr" };
  const sign = requestSigner("Larkspur", "test", "https://partner.example/hook", secrets);
  expect(sign("id", '{"event_type":"RX_RECEIVED","patient_id":"v3y4od"}', 1)).toMatchObject({
    "X-Larkspur-Signature": "LaoQyTAzZAvgInawj1unwFjPQdsK",
    "X-Larkspur-Secret": "F4JBcECdt83CUKaDm740W6LXD2MK",
    "webhook-id": "id",
    "webhook-timestamp": "1",
  });
});

test("requests stay signed with the pinned secret through a rotation, and with a live one after it ends", async () => {
  const { account_id } = endpoint;
  const { db, vault } = app.deps;
  const first = await db.transaction((tx) =>
    createCredential({ vault }, tx, { account_id, name: "rotating", scopes: ["partners"] }, new Date()),
  );
  await db.raw(
    "update webhook_endpoint set signing_credential_id = $2, signing_credential_secret_id = $3 where endpoint_id = $1",
    [endpoint.endpoint_id, first.client_id.split("-")[1], first.secret_id],
  );
  const signedWith = async (secrets: Record<string, string>) => {
    const [event] = await writeEvents(app, [{}]);
    // A busy machine may repeat earlier requests in between.
    const ofEvent = () => receiver.received.find(({ headers }) => headers["webhook-id"] === event!.event_id);
    await until("the event arrives", async () => ofEvent() !== undefined);
    return Object.entries(secrets).find(([, secret]) => isSignedWith(ofEvent()!, secret))?.[0];
  };
  const secrets: Record<string, string> = { first: first.client_secret };
  expect(await signedWith(secrets)).toBe("first");
  const second = await db.transaction((tx) => rotateCredential({ vault }, tx, first.client_id, new Date()));
  secrets["second"] = second.client_secret;
  expect(await signedWith(secrets)).toBe("first");
  await db.transaction((tx) => finishRotation(tx, first.client_id, new Date()));
  expect(await signedWith(secrets)).toBe("second");
  await until("nothing waits", async () => (await db.raw("select 1 from webhook_delivery")).rows.length === 0);
});

function isSignedWith({ headers, body }: Received, client_secret: string): boolean {
  const secrets = { key: signingKey(client_secret), secret: endpoint.secret, signing_secret: endpoint.signing_secret };
  const sign = requestSigner("Service", "test", endpoint.url, secrets);
  return sign("", body, 0)["X-Service-Signature"] === headers["x-service-signature"];
}
