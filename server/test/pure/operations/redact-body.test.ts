import fc from "fast-check";
import { expect, test } from "vitest";
import { redactBody } from "../../../src/domain/operations/redact-body.ts";
import { createRequestLog } from "../../../src/request-log.ts";

const shown = (body: unknown) => JSON.parse(redactBody(body)!);

test("a rejected body shows its fields, codes and choices, and only the shape of all other values", () => {
  const body = {
    patient: { patient_id: 18_361_524, email: "Zoë.Müller@mail.example", date_of_birth: "1985-03-07", pregnant: true },
    items: [{ sku: "semaglutide-1", quantity: 2, prescription_id: "183615" }],
    reference: null,
    notes: "n".repeat(500),
    events: ["RX_RECEIVED", "RX_UPDATED", "Ann", "d", "e", "f", "g"],
    payment: { payer: "partner", token: "tok_visa" },
    shipping: { method_id: 3, signature_confirmation: true },
    gender: "F",
    "Ann Example": 1,
  };
  expect(shown(body)).toEqual({
    patient: {
      patient_id: "<number>",
      email: "xxx.xxxxxx@xxxx.xxxxxxx",
      date_of_birth: "9999-99-99",
      pregnant: "<boolean>",
    },
    items: [{ sku: "xxxxxxxxxxx-9", quantity: 2, prescription_id: "999999" }],
    reference: null,
    notes: "<500 characters>",
    events: ["RX_RECEIVED", "RX_UPDATED", "xxx", "x", "x", "<2 more>"],
    payment: { payer: "partner", token: "xxx_xxxx" },
    shipping: { method_id: 3, signature_confirmation: true },
    gender: "x",
    "xxx xxxxxxx": "<number>",
  });
});

test("a choice that the contract does not offer shows its shape, and a body without fields shows nothing", () => {
  expect(shown({ payer: "Ann Example", quantity: "2" })).toEqual({ payer: "xxx xxxxxxx", quantity: "9" });
  for (const nothing of [undefined, null, "text", [], {}]) expect(redactBody(nothing)).toBeNull();
});

test("of a hidden text only its punctuation is left, and the result has a bound", () => {
  const text = fc.string({ maxLength: 60, unit: "grapheme" });
  fc.assert(
    fc.property(text, (value) => {
      const left = shown({ name: value }).name as string;
      expect(left.replaceAll(/[x9]/g, "")).toBe(value.replaceAll(/[\p{L}\p{M}\p{N}]/gu, ""));
    }),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (body) => {
      expect(redactBody(body)!.length).toBeLessThanOrEqual(2_002);
    }),
  );
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`field_${i}`, { inner: i }]));
  expect(redactBody(wide)!.length).toBe(2_002);
});

test("the buffer keeps a bounded number of bodies, and takes new ones once they are written", () => {
  const log = createRequestLog();
  const request = {
    account_id: "a",
    at: new Date(0),
    request_id: "r",
    credential_id: "c",
    method: "POST",
    route: "/orders",
    status: 422,
    duration_ms: 1,
    refused: undefined,
    body: "{}",
  };
  for (let i = 0; i < 3_000; i++) log.add(request);
  const bodies = () => log.oldest(10_000).filter(({ body }) => body !== null).length;
  expect([log.oldest(10_000).length, bodies()]).toEqual([3_000, 2_000]);
  log.remove(2_500);
  for (let i = 0; i < 10; i++) log.add(request);
  expect(bodies()).toBe(10);
});
