import { eventTypeNames, serviceSecret, serviceSignature, signingKey } from "@pestle/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import { signForTest, verifyStandardWebhook, verifyWebhook, type WebhookBody, WebhookRefused } from "../src/index.ts";

const url = "https://partner.example/hook";
const signing_secret = "whsec_cGVzdGxlLWV4YW1wbGUtc2VjcmV0LTAwMDE=";
const now = new Date("2026-11-15T08:30:00.000Z");
const event = {
  event_id: "0b7f5c1e-6a3d-4f52-9d0e-3c8a1b2d4e5f",
  event_type: "ORDER_UPDATED",
  timestamp: 1794731400,
  patient_id: "ay87nt",
  order_number: "7K2M9XQ4TB",
  sequence: 2,
  order_status: "Filling",
  previous_order_status: "Processing",
} satisfies WebhookBody;
const secrets = { client_secret: "the-client-secret", webhook_secret: "wh secret ~ 1" };
const sent = signForTest({ event, url, signing_secret, now, ...secrets });
const expected = { url, client_secrets: [secrets.client_secret], webhook_secret: secrets.webhook_secret };

test("the published vectors verify and return the event", () => {
  const rawBody = '{"event_type":"RX_RECEIVED","patient_id":"v3y4od"}';
  const headers = {
    "X-Service-Signature": "LaoQyTAzZAvgInawj1unwFjPQdsK",
    "X-Service-Secret": "F4JBcECdt83CUKaDm740W6LXD2MK",
  };
  const verified = verifyWebhook({ ...expected, rawBody, headers, client_secrets: ["sek"] });
  expect(verified).toEqual({ event_type: "RX_RECEIVED", patient_id: "v3y4od" });
});

test("headers match in any case, in objects and in Headers, and bodies may be bytes", () => {
  const lower = Object.fromEntries(Object.entries(sent.headers).map(([name, value]) => [name.toLowerCase(), value]));
  for (const headers of [sent.headers, lower, new Headers(sent.headers)]) {
    for (const rawBody of [sent.rawBody, Buffer.from(sent.rawBody), new TextEncoder().encode(sent.rawBody)]) {
      expect(verifyWebhook({ ...expected, rawBody, headers })).toEqual(event);
      expect(verifyStandardWebhook({ rawBody, headers, signing_secret, now })).toEqual(event);
    }
  }
});

test("the header names contain the operator's name", () => {
  const named = signForTest({ event, url, ...secrets, operator_name: "Larkspur" });
  expect(Object.keys(named.headers)).toEqual(["content-type", "X-Larkspur-Signature", "X-Larkspur-Secret"]);
  expect(verifyWebhook({ ...expected, ...named, operator_name: "Larkspur" })).toEqual(event);
  expect(() => verifyWebhook({ ...expected, ...named })).toThrow(WebhookRefused);
});

test("while a secret is being replaced, both secrets verify", () => {
  for (const client_secrets of [
    ["new", secrets.client_secret],
    [secrets.client_secret, "new"],
  ]) {
    expect(verifyWebhook({ ...expected, ...sent, client_secrets })).toEqual(event);
  }
});

test("signature and secret must match the same client secret", () => {
  const other = signingKey("other");
  const headers = { ...sent.headers, "X-Service-Secret": serviceSecret(other, secrets.webhook_secret) };
  const client_secrets = [secrets.client_secret, "other"];
  expect(() => verifyWebhook({ ...expected, ...sent, headers, client_secrets })).toThrow(WebhookRefused);
});

test("any change in transit fails verification", () => {
  const changes: Partial<Parameters<typeof verifyWebhook>[0]>[] = [
    { rawBody: sent.rawBody.replace("Filling", "Shipped") },
    { rawBody: JSON.stringify(JSON.parse(sent.rawBody), null, 1) },
    { rawBody: `\ufeff${sent.rawBody}` },
    { rawBody: Buffer.from(`\ufeff${sent.rawBody}`) },
    { url: `${url}/` },
    { method: "PUT" },
    { client_secrets: ["wrong"] },
    { webhook_secret: "wrong" },
    { headers: {} },
    { headers: { ...sent.headers, "X-Service-Signature": "" } },
    { headers: { ...sent.headers, "x-service-signature": sent.headers["X-Service-Signature"] } },
    { headers: { ...sent.headers, "X-Service-Secret": [sent.headers["X-Service-Secret"]!, "another"] } },
  ];
  for (const change of changes) {
    expect(() => verifyWebhook({ ...expected, ...sent, ...change })).toThrow(WebhookRefused);
  }
});

test("any signed event verifies, and fails with another text in it", () => {
  fc.assert(
    fc.property(fc.constantFrom(...eventTypeNames), fc.string({ unit: "grapheme" }), (event_type, reason) => {
      const any = { event_id: event.event_id, event_type, timestamp: 1, reason } as unknown as WebhookBody;
      const { rawBody, headers } = signForTest({ event: any, url, signing_secret, now, ...secrets });
      expect(rawBody).toMatch(/^[\x20-\x7e]*$/);
      expect(verifyWebhook({ ...expected, rawBody, headers })).toEqual(any);
      const forged = rawBody.replace(/"reason":"/, '"reason":"x');
      expect(() => verifyWebhook({ ...expected, rawBody: forged, headers })).toThrow(WebhookRefused);
      expect(() => verifyStandardWebhook({ rawBody: forged, headers, signing_secret, now })).toThrow(WebhookRefused);
    }),
  );
});

test("a replayed delivery fails after five minutes, and so does one from the future", () => {
  const at = (seconds: number) => ({ ...sent, signing_secret, now: new Date(now.getTime() + seconds * 1000) });
  for (const seconds of [-300, 0, 300]) expect(verifyStandardWebhook(at(seconds))).toEqual(event);
  for (const seconds of [-301, 301]) expect(() => verifyStandardWebhook(at(seconds))).toThrow(WebhookRefused);
  expect(verifyStandardWebhook({ ...at(900), tolerance_s: 900 })).toEqual(event);
  const headers = { ...sent.headers, "webhook-timestamp": String(now.getTime() / 1000 + 600) };
  expect(() => verifyStandardWebhook({ ...at(600), headers })).toThrow(WebhookRefused);
});

test("one of several Standard Webhooks signatures is enough, if its version is right", () => {
  const signature = sent.headers["webhook-signature"]!;
  const verify = (value: string) =>
    verifyStandardWebhook({ ...sent, headers: { ...sent.headers, "webhook-signature": value }, signing_secret, now });
  expect(verify(`v1,AAAA v1a,xyz ${signature}`)).toEqual(event);
  for (const wrong of [signature.replace("v1,", "v2,"), signature.replace("v1,", ""), "", "v1,"]) {
    expect(() => verify(wrong)).toThrow(WebhookRefused);
  }
});

test("an empty secret is a configuration error of the receiver, never a key", () => {
  const rawBody = sent.rawBody;
  const key = signingKey("");
  const headers = {
    "X-Service-Signature": serviceSignature(key, "POST", url, rawBody),
    "X-Service-Secret": serviceSecret(key, "s"),
  };
  const wrong = [{ client_secrets: [""] }, { client_secrets: [] }, { webhook_secret: "" }];
  for (const given of wrong) {
    expect(() => verifyWebhook({ ...expected, rawBody, headers, webhook_secret: "s", ...given })).toThrow(TypeError);
  }
  for (const empty of ["", "whsec_"]) {
    expect(() => verifyStandardWebhook({ ...sent, signing_secret: empty, now })).toThrow(TypeError);
  }
});
