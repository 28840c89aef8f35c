import { endpoints } from "@pestle/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askSpecmatic, hasJava } from "../../../../chaos/specmatic.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

// Where the whole check is asked for, Java is part of it.
test.skipIf(!hasJava() && process.env["CI"] === undefined)(
  "Specmatic finds no answer outside the OpenAPI document, and no operation that it cannot have",
  async () => {
    const { operations, tests, answers, faults } = await askSpecmatic({ demo: app.demo, every_query: false });
    expect(faults).toEqual([]);
    const expected = endpoints.filter(({ server }) => server !== "intake").map(({ operation_id }) => operation_id);
    expect(Object.keys(answers).sort()).toEqual([...expected].sort());
    expect(operations).toBe(expected.length);
    expect(tests).toBeGreaterThan(300);
  },
  300_000,
);
