import { endpoints } from "@pestle/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { holdToContract } from "../../../../chaos/contract/contract.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { effort } from "../../support/tools/effort.ts";

// A small run of the campaign: `npm run campaign -- contract` runs it at full size.
const OF_EACH = effort(96);

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

test("every operation answers every request built from the OpenAPI document as documented", async () => {
  const { operations, requests, answers, faults } = await holdToContract({ demo: app.demo, count: OF_EACH, seed: 8 });
  expect(faults).toEqual([]);
  expect(operations).toBe(endpoints.length);
  expect(Object.keys(answers).sort()).toEqual(endpoints.map(({ operation_id }) => operation_id).sort());
  expect(requests).toBe(endpoints.length * OF_EACH);
}, 300_000);
