import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "./support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

test("the demo's first call works", async () => {
  const response = await app.call("/v1/shipping_methods");
  expect(response.status).toBe(200);
  expect(((await response.json()) as { shipping_methods: unknown[] }).shipping_methods.length).toBeGreaterThan(3);
});
