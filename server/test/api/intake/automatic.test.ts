import { actionsOfReviews } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { products as demoProducts, shippingMethods } from "../../../src/seed/cast.ts";
import { prescribed } from "../../support/orders.ts";
import { addPatient, ask, stranger } from "../../support/patient.ts";
import { storedEvents } from "../../support/stored-events.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/tools/until.ts";
import { webPerson } from "../../support/web.ts";

/** Automatic Processing: an arriving prescription becomes an order automatically. Partner 1 of the demo uses it. */

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const PARTNER = 1;
const ordersOf = async (prescription_id: number) =>
  JSON.parse((await ask(app, `/orders?prescription_id=${prescription_id}`, undefined, { partner: PARTNER })).text)
    .orders;
const prescriptionOf = async (patient_id: string) =>
  JSON.parse((await ask(app, `/patients/${patient_id}/rx`, undefined, { partner: PARTNER })).text)
    .medication_request[0];

test("a prescription becomes an order with the default shipping method and brand", async () => {
  const { prescription_id, patient_id } = await addPatient(app, { partner: PARTNER, patient: stranger() });
  await until(async () => (await ordersOf(prescription_id)).length > 0, "an order is there");
  const [order] = await ordersOf(prescription_id);
  expect(order).toMatchObject({
    order_status: "Processing",
    workflow: "automatic",
    patient_id,
    brand_id: 1,
    shipping: { method_id: 1 },
    address: { street1: "4417 Thistledown Ave" },
    items: [{ prescription_id, sku: "atorvastatin-20", quantity: 1, package_size: 90 }],
  });
  const history = JSON.parse(
    (await ask(app, `/orders/${order.order_number}/history`, undefined, { partner: PARTNER })).text,
  ).history;
  expect(history).toMatchObject([{ actor: "system", event: "create", from: null, to: "Processing" }]);
  // Once, however often the job runs.
  expect(await ordersOf(prescription_id)).toHaveLength(1);
});

test("a product that the default method may not carry ships by the cheapest one that it allows", async () => {
  const prescription = prescribed("semaglutide-pen", 3);
  const { prescription_id } = await addPatient(app, { partner: PARTNER, patient: stranger(), prescription });
  await until(async () => (await ordersOf(prescription_id)).length > 0, "an order is there");
  const [order] = await ordersOf(prescription_id);
  const allowed = demoProducts.find(({ sku }) => sku === "semaglutide-pen")!.shipping_method_ids;
  const [cheapest] = shippingMethods
    .filter(({ id }) => allowed.includes(id))
    .sort((a, b) => a.price_cents - b.price_cents);
  expect([order.shipping.method_id, cheapest!.cold_chain]).toEqual([cheapest!.id, true]);
});

test("missing data holds it: no address 66, no email 65, a state without a license 67", async () => {
  const { prescription_id } = await addPatient(app, {
    partner: PARTNER,
    patient: { ...stranger(), email: null, address: null },
  });
  await until(async () => (await ordersOf(prescription_id)).length > 0, "an order is there");
  const [order] = await ordersOf(prescription_id);
  expect(order.order_status).toBe("On Hold");
  expect(order.exceptions.map(({ id }: { id: number }) => id)).toEqual([65, 66]);
});

test("if no exception covers the cause, no order is created: the prescription shows the codes until the cause is gone", async () => {
  const { prescription_id, patient_id } = await addPatient(app, {
    partner: PARTNER,
    patient: stranger(),
    prescription: { quantity: { value: 91, unit: "tablet" } },
  });
  // The event and the prescription agree from the start.
  const { order_errors } = await prescriptionOf(patient_id);
  expect(order_errors.map(({ code }: { code: number }) => code)).toEqual([42259]);
  const received = await storedEvents(app.deps, "where event_type = 'RX_RECEIVED'");
  const bodies = received.map(({ body }) => JSON.parse(body)).filter((body) => body.patient_id === patient_id);
  expect(bodies.map((body) => body.medication_requests[0].order_errors)).toEqual([order_errors]);
  expect(await ordersOf(prescription_id)).toEqual([]);
  const { rows } = await app.deps.db.raw("select kind, reasons from review where prescription_id = $1", [
    prescription_id,
  ]);
  expect(rows).toEqual([{ kind: "order_refused", reasons: ["42259"] }]);

  await app.deps.db.raw(
    "update product set written_quantities = written_quantities || 91::numeric where sku = 'atorvastatin-20'",
  );
  app.deps.copies.catalogues.clear();
  app.advance(61_000);
  await until(async () => (await ordersOf(prescription_id)).length > 0, "an order is there");
  expect((await prescriptionOf(patient_id)).order_errors).toEqual([]);
  const outcome = "select outcome from review where prescription_id = $1";
  await until(
    async () => (await app.deps.db.raw(outcome, [prescription_id])).rows[0]!["outcome"] === "ordered automatically",
    "the review is closed",
  );
});

describe("a pharmacist ends the review of a refused order with", () => {
  /** The review of a prescription whose written quantity the product does not have. */
  async function refused(value: number) {
    const { prescription_id } = await addPatient(app, {
      partner: PARTNER,
      patient: stranger(),
      prescription: { quantity: { value, unit: "tablet" } },
    });
    const { rows } = await app.deps.db.raw("select account_id, review_id from review where prescription_id = $1", [
      prescription_id,
    ]);
    const path = `/dashboard/reviews/${rows[0]!["account_id"]}/${rows[0]!["review_id"]}`;
    const outcome = async () => {
      const [row] = (
        await app.deps.db.raw(
          `select v.outcome, r.order_due_at is not null as due from review v join prescription r using (account_id, prescription_id)
          where v.prescription_id = $1`,
          [prescription_id],
        )
      ).rows;
      return row;
    };
    return { prescription_id, path, outcome };
  }

  test("an order by the method that the pharmacist chooses, or with the reason why there is none", async () => {
    const pharmacist = await webPerson(app, "pharmacist");
    const { prescription_id, path, outcome } = await refused(93);
    const page = (await pharmacist.get(path)).body;
    expect(page.actions).toEqual(actionsOfReviews.order_refused);
    expect(page.methods).toContainEqual({ method_id: 2, name: expect.any(String), allowed: true });
    const order = (method_id?: number) =>
      pharmacist.send("POST", `${path}/resolve`, { action: "make_order", method_id });
    expect((await order()).body.error.message).toBe("Choose a shipping method.");
    const still = await order(2);
    expect([still.status, still.body.error.message]).toEqual([
      422,
      expect.stringMatching(/^The order cannot be made: /),
    ]);
    expect(await outcome()).toEqual({ outcome: null, due: true });
    await app.deps.db.raw(
      "update product set written_quantities = written_quantities || 93::numeric where sku = 'atorvastatin-20'",
    );
    app.deps.copies.catalogues.clear();
    const made = await order(2);
    expect(made.body).toEqual({ closed: true, order_number: expect.any(String) });
    expect(await ordersOf(prescription_id)).toMatchObject([
      { order_number: made.body.order_number, shipping: { method_id: 2 } },
    ]);
    expect(await outcome()).toEqual({ outcome: `made order ${made.body.order_number}`, due: false });
    expect((await order(2)).status).toBe(422);
    expect(await ordersOf(prescription_id)).toHaveLength(1);
  });

  test("a question to the prescriber, or a decision not to order, and Pestle stops trying", async () => {
    const pharmacist = await webPerson(app, "pharmacist");
    const lead = await webPerson(app, "lead", null, {});
    const asked = await refused(94);
    expect((await lead.get(asked.path)).body.actions).toEqual(["make_order", "stop_ordering"]);
    const question = { action: "ask_prescriber", code: "S", reason: "94 tablets, or 90?" };
    expect((await lead.send("POST", `${asked.path}/resolve`, question)).body.error.key).toBe("license_needed");
    expect(await asked.outcome()).toEqual({ outcome: null, due: true });
    expect((await pharmacist.send("POST", `${asked.path}/resolve`, question)).body).toEqual({ closed: true });
    expect(await asked.outcome()).toEqual({ outcome: "asked the prescriber", due: false });
    const { rows } = await app.deps.db.raw("select kind from prescriber_message where prescription_id = $1", [
      asked.prescription_id,
    ]);
    expect(rows).toEqual([{ kind: "change" }]);

    const stopped = await refused(95);
    const stop = { action: "stop_ordering", note: "The partner sends a new prescription." };
    expect((await lead.send("POST", `${stopped.path}/resolve`, stop)).body).toEqual({ closed: true });
    expect(await stopped.outcome()).toEqual({ outcome: `not ordered: ${stop.note}`, due: false });
  });
});

test("a prescription with a future fill date becomes an order on that day, by the account's clock", async () => {
  const later = new Date(Date.now() + 10 * 24 * 3600 * 1000).toISOString().slice(0, 10);
  const { prescription_id } = await addPatient(app, {
    partner: PARTNER,
    patient: stranger(),
    prescription: { effective_date: later },
  });
  expect(await ordersOf(prescription_id)).toEqual([]);
  const moved = { simulation_type: "clock", simulation: { advance_seconds: 11 * 24 * 3600 } };
  expect((await ask(app, "/simulate", moved, { partner: PARTNER })).status).toBe(202);
  await until(async () => (await ordersOf(prescription_id)).length > 0, "an order is there");
});
