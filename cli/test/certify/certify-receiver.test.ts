import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { RequestListener } from "node:http";
import {
  type CertifiedCheck,
  type CertifyFacts,
  type CertifyReport,
  faultOfReport,
  hasPassed,
  type ReceiverCheck,
  readReceiverState,
  receiverCheckNames,
  signReport,
} from "@pestle/contract";
import { ReportRefused, verifyCertifyReport } from "@pestle/sdk";
import { createReceiver, nodeHandler, openInbox, type WebhookBody } from "@pestle/sdk/webhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { certifyReceiver } from "../../src/certify/certify-receiver.ts";
import { reachReceiver } from "../../src/certify/send-delivery.ts";
import { CLIENT_SECRET, KEY, plantedFaults, SIGNING_SECRET, WEBHOOK_SECRET } from "./planted-receivers.ts";
import { plantedReceiver, serveReceivers } from "./serve-planted.ts";

/** The SDK's receiver, as a partner would use it. */
function sdkReceiver(url: string): RequestListener {
  const state = { events: [] as string[], orders: {} as Record<string, { sequence: number; missing: number[] }> };
  const inbox = openInbox({
    otherwise(event: WebhookBody, { missing }) {
      state.events.push(event.event_id);
      if (!("sequence" in event)) return;
      const sequence = Math.max(state.orders[event.order_number]?.sequence ?? 0, event.sequence);
      state.orders[event.order_number] = { sequence, missing: [...missing] };
    },
  });
  const secrets = { url, client_secrets: [CLIENT_SECRET], webhook_secret: WEBHOOK_SECRET };
  const hook = nodeHandler(createReceiver({ ...secrets, signing_secret: SIGNING_SECRET, inbox }));
  return (request, response) =>
    request.url?.endsWith("/state") ? void response.end(JSON.stringify(state)) : void hook(request, response);
}

const faults = Object.entries(plantedFaults);
const NO_ANSWER_MS = 300;
const USUAL_MS = 60_000;

let served: Awaited<ReturnType<typeof serveReceivers>>;
beforeAll(async () => {
  served = await serveReceivers([
    plantedReceiver({}),
    (url) => sdkReceiver(url),
    () => (_request, response) => void response.end("[]"),
    ...faults.map(([, { parts }]) => plantedReceiver(parts)),
  ]);
});
afterAll(() => served.close());

const runOf = (url: string) => ({
  url,
  operator_name: "Service",
  user_agent: "certify test",
  secrets: { key: KEY, secret: WEBHOOK_SECRET, signing_secret: SIGNING_SECRET },
  other_secrets: { key: "other", secret: "other", signing_secret: "whsec_b3RoZXIgc2VjcmV0" },
  now: new Date(),
  run_id: randomBytes(6).toString("hex"),
  test: false,
});
const certified = (
  index: number,
  { with_state = true, time_limit_ms = USUAL_MS, names = receiverCheckNames as readonly ReceiverCheck[] } = {},
): Promise<CertifiedCheck[]> => {
  const url = served.urls[index]!;
  const state_url = with_state ? url.replace(/hook$/, "state") : undefined;
  return certifyReceiver(runOf(url), reachReceiver({ url, state_url, time_limit_ms }), names);
};
const named = (checks: readonly CertifiedCheck[], result: CertifiedCheck["result"]) =>
  checks.filter((check) => check.result === result).map(({ name }) => name);

describe("certify", () => {
  test.each([
    ["a good receiver", 0],
    ["the SDK's receiver", 1],
  ])("passes %s in every check", async (_, index) => {
    const checks = await certified(index);
    expect(checks.filter(({ result }) => result !== "passed")).toEqual([]);
    expect(checks.map(({ name }) => name)).toEqual(receiverCheckNames);
    expect(hasPassed(checks, true)).toBe(true);
  });

  test("checks the answers alone of a receiver that does not show its state", async () => {
    const checks = await certified(0, { with_state: false });
    expect(named(checks, "failed")).toEqual([]);
    expect(named(checks, "not_checked")).toEqual(["stores_before_answer"]);
    expect([hasPassed(checks, false), hasPassed(checks, true)]).toEqual([true, false]);
  });

  test("fails a receiver whose state has another shape", async () => {
    const [check] = await certified(2, { names: ["stores_before_answer"] });
    expect(check?.finding).toEqual({ code: "state_unreadable", status: null });
  });

  test("knows at least twenty faults", () => expect(faults.length).toBeGreaterThanOrEqual(20));

  // Only the check that must find the fault, and one that must not: all of them would take seconds.
  test.each(faults.map(([name, { check, parts }], index) => [name, check, parts, index + 3] as const))(
    "catches a receiver that %s, with %s",
    async (_, check, { never_answers }, index) => {
      const time_limit_ms = never_answers ? NO_ANSWER_MS : USUAL_MS;
      const first = check === "no_redirect" || check === "accepts_event" ? [] : (["accepts_event"] as const);
      const checks = await certified(index, { time_limit_ms, names: [...first, check] });
      expect(named(checks, "failed")).toEqual([check]);
      expect(hasPassed(checks, true)).toBe(false);
    },
  );

  test("ends after the first correct delivery that is not taken", async () => {
    const index = 3 + faults.findIndex(([, { parts }]) => parts.redirects);
    const [redirect, first, ...rest] = await certified(index);
    expect([redirect?.finding, first?.finding]).toEqual(Array(2).fill({ code: "redirect", status: 307 }));
    expect(new Set(rest.map(({ result }) => result))).toEqual(new Set(["not_checked"]));
  });
});

test.each([
  [{ events: ["a"] }, { events: ["a"], orders: undefined }],
  [
    { events: [], orders: { A: { sequence: 2 } } },
    { events: [], orders: { A: { sequence: 2, missing: null } } },
  ],
  [
    { events: [], orders: { A: { sequence: 2, missing: [1] } }, more: 1 },
    { events: [], orders: { A: { sequence: 2, missing: [1] } } },
  ],
  [null, undefined],
  [[], undefined],
  [{ events: [1] }, undefined],
  [{ events: [], orders: [] }, undefined],
  [{ events: [], orders: { A: {} } }, undefined],
  [{ events: [], orders: { A: { sequence: 1, missing: ["1"] } } }, undefined],
])("the state %j is read as %j", (given, read) => expect(readReceiverState(given)).toEqual(read));

describe("a report", () => {
  const pair = () => {
    const { publicKey: public_key, privateKey: private_key } = generateKeyPairSync("ed25519", {
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    return { public_key, private_key };
  };
  const keys = pair();
  const facts: CertifyFacts = {
    form: 1,
    kind: "receiver",
    subject: "https://partner.example/hook",
    account_id: "k3v9x2m4q7ab",
    environment: "sandbox",
    at: "2026-11-18T12:00:00.000Z",
    run_by: "developer",
    effects_checked: true,
    passed: false,
    checks: [{ name: "refuses_old", result: "failed", finding: { code: "accepted", status: 200 } }],
    pestle_version: "1.0.0",
  };
  const report = signReport(facts, keys);

  test("is verified by the SDK with a key that you trust", () => {
    expect(verifyCertifyReport(report, keys.public_key)).toBe(report);
    expect(() => verifyCertifyReport({ ...report, passed: true }, keys.public_key)).toThrow(ReportRefused);
    expect(() => verifyCertifyReport(report, "not a key")).toThrow(ReportRefused);
  });

  test("is valid as it was signed, also with its fields in another order", () => {
    const shuffled = Object.fromEntries(Object.entries(report).reverse()) as CertifyReport;
    for (const given of [report, shuffled, JSON.parse(JSON.stringify(report))]) {
      expect(faultOfReport(given)).toBeUndefined();
      expect(faultOfReport(given, [pair().public_key, keys.public_key])).toBeUndefined();
    }
  });

  test.each([
    ["a result", { passed: true }],
    ["a nested value", { checks: [{ ...facts.checks[0], result: "passed" }] }],
    ["another field", { run_by: "pharmacy" }],
    ["an added field", { note: "certified" }],
    ["the key", { public_key: pair().public_key }],
    ["the form", { form: 2 }],
  ])("that was changed in %s is refused", (_, changed) => {
    expect(faultOfReport({ ...report, ...changed } as CertifyReport)).toBeTypeOf("string");
  });

  test("of a key that is not trusted is refused", () => {
    expect(faultOfReport(report, [pair().public_key])).toBe("No trusted key signed the report.");
  });
});
