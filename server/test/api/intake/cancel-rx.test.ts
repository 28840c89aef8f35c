import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newMessage, openIntake } from "../../support/intake.ts";
import { ask, stranger } from "../../support/patient.ts";
import { prescription } from "../../support/samples/script-samples.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

/** A prescriber cancels a prescription that has orders: the answer reports their outcome. */

let app: TestApp;
let intake: Awaited<ReturnType<typeof openIntake>>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  intake = await openIntake(app);
});
afterAll(() => app.stop());

let number = 0;
async function ordered() {
  const message_id = `CX-${++number}`;
  const patient = { ids: [], first_name: "Zephyrine", ...stranger() };
  const dates = { written_date: "2026-11-10", effective_date: null, expiration_date: null };
  await intake.send(
    newMessage({ envelope: { message_id, prescriber_order_number: null }, patient, prescription: dates }),
  );
  const { rows } = await app.deps.db.raw(
    "select patient_id, prescription_id from prescription where sender_message_id = $1",
    [message_id],
  );
  const { patient_id, prescription_id } = rows[0] as { patient_id: string; prescription_id: number };
  const made = await ask(app, "/orders", {
    shipping: { method_id: 1 },
    patient: { patient_id },
    items: [{ prescription_id: Number(prescription_id), quantity: 1, package_size: 90 }],
  });
  expect(made.status).toBe(201);
  return { message_id, prescription_id, order_number: JSON.parse(made.text).order_number as string };
}
const cancel = (relates_to_message_id: string) =>
  intake.send(
    newMessage({
      envelope: { message_id: `CX-${++number}`, relates_to_message_id, prescriber_order_number: null },
      content: {
        kind: "cancel",
        discontinue: false,
        target: {
          patient: prescription.patient,
          prescriber_npi: null,
          drug_description: prescription.drug.description,
          drug_codes: [],
          written_date: null,
        },
      },
    }),
  );
const statusOf = async (order_number: string) =>
  JSON.parse((await ask(app, `/orders/${order_number}`)).text) as { order_status: string };
const prescriptionRow = async (prescription_id: number) =>
  (
    await app.deps.db.raw("select active, units_ordered::int as units from prescription where prescription_id = $1", [
      prescription_id,
    ])
  ).rows[0];

describe("a CancelRx", () => {
  test("of a prescription with a waiting order cancels the order too, and returns its units", async () => {
    const { message_id, prescription_id, order_number } = await ordered();
    const { text } = await cancel(message_id);
    expect(text).toContain("<Approved><Note>The prescription was canceled. Nothing was dispensed.</Note></Approved>");
    expect(await prescriptionRow(prescription_id)).toEqual({ active: false, units: 0 });
    expect(await statusOf(order_number)).toMatchObject({ order_status: "Canceled" });
  });

  test("of one whose order is being filled says so, and creates a review entry", async () => {
    const { message_id, prescription_id, order_number } = await ordered();
    await app.deps.db.raw("update orders set order_status = 'Filling', stage = 'fill' where order_number = $1", [
      order_number,
    ]);
    const { text } = await cancel(message_id);
    expect(text).toContain("An order is being filled");
    expect(await prescriptionRow(prescription_id)).toEqual({ active: false, units: 90 });
    expect(await statusOf(order_number)).toMatchObject({ order_status: "Filling" });
    const { rows } = await app.deps.db.raw("select facts from review where kind = 'canceled_in_filling'");
    expect(rows).toEqual([{ facts: { order_numbers: [order_number] } }]);
  });

  test("of one that has shipped says so", async () => {
    const { message_id, order_number } = await ordered();
    await app.deps.db.raw("update orders set order_status = 'Shipped', stage = null where order_number = $1", [
      order_number,
    ]);
    await app.deps.db.raw("update order_item set pending = false where order_number = $1", [order_number]);
    expect((await cancel(message_id)).text).toContain("Part of it was dispensed earlier.");
  });

  test("and a concurrent order for the same prescription: the order is rejected, canceled, or never created", async () => {
    for (let round = 0; round < 10; round++) {
      const { message_id, prescription_id, order_number } = await ordered();
      const { patient_id } = (await statusOf(order_number)) as unknown as { patient_id: string };
      const [, again] = await Promise.all([
        cancel(message_id),
        ask(app, "/orders", {
          shipping: { method_id: 1 },
          patient: { patient_id },
          items: [{ prescription_id: Number(prescription_id), quantity: 1, package_size: 30 }],
        }),
      ]);
      if (again.status === 201) {
        expect(await statusOf(JSON.parse(again.text).order_number)).toMatchObject({ order_status: "Canceled" });
      } else expect(again.status).toBe(422);
      expect(await prescriptionRow(prescription_id)).toEqual({ active: false, units: 0 });
    }
  });
});
