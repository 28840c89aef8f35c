import type { Order } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectConventions } from "./support/conventions.ts";
import { addPatient, stranger } from "./support/patient.ts";
import { startTestApp, type TestApp } from "./support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await app.deps.db.raw("update account set rate_per_second = 100000, rate_burst = 100000");
});
afterAll(() => app.stop());

const order = (patient_id: string, prescription_id: number) => ({
  shipping: { method_id: 1 },
  patient: { patient_id, patient_safety: { medications: [], health_conditions: [], allergies: [] } },
  items: [{ prescription_id, quantity: 1, package_size: 90 }],
});

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await app.call(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await expectConventions(response, "partner");
  return { status: response.status, body: JSON.parse(text), text };
}

describe("an order", () => {
  test("is created with the prescription's address, takes its units and stock, and tells it", async () => {
    const { patient_id, prescription_id } = await addPatient(app, { patient: stranger() });
    const made = await post("/orders", order(patient_id, prescription_id));
    const created = made.body as Order;
    expect(created).toMatchObject({ order_status: "Processing", patient_id, exceptions: [] });
  });
});
