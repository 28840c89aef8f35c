import type { MedicationRequest, Order, Patient } from "@pestle/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dateIn } from "../../../src/domain/values/calendar.ts";
import { newMessage, openIntake } from "../../support/intake.ts";
import { partnerEar } from "../../support/partner-ear.ts";
import { ask } from "../../support/patient.ts";
import type { prescription as sample } from "../../support/samples/script-samples.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { freshToken } from "../../support/token-request.ts";
import { until } from "../../support/tools/until.ts";

/** Both workflows from the partner's side, over HTTP only; the partner's events are read from the table. */

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const DAY_S = 24 * 3600;

/** A partner with its own token: requests and answers. */
async function openPartner(number: number) {
  const token = await freshToken(app, app.demo.partners[number]!);
  const headers = { authorization: `Bearer ${token}` };
  const call = async (path: string, body?: unknown, wanted = 200, method?: string) => {
    const answer = await ask(app, path, body, { partner: number, headers, ...(method && { method }) });
    expect([answer.status, answer.text]).toEqual([wanted, answer.text]);
    return JSON.parse(answer.text);
  };
  return {
    call,
    order: (order_number: string): Promise<Order> => call(`/v1/orders/${order_number}`),
    act: (order_number: string, event: Record<string, unknown>): Promise<{ order: Order }> =>
      call(`/v1/orders/${order_number}/partner_order_action_requests`, event, 201),
    simulate: (simulation_type: string, simulation: unknown) =>
      call("/v1/simulate", { simulation_type, simulation }, 202),
    rx: async (patient_id: string): Promise<MedicationRequest[]> =>
      (await call(`/v1/patients/${patient_id}/rx`)).medication_request,
    history: async (order_number: string): Promise<string[]> =>
      ((await call(`/v1/orders/${order_number}/history?limit=200`)).history as Record<string, unknown>[])
        .map(({ actor, event, from, to, exception_id }) =>
          [actor, event, exception_id, `${from ?? "new"} > ${to}`].filter((word) => word !== null).join(" "),
        )
        .reverse(),
  };
}

test("API Driven: a prescription, the partner's order, two holds, a parcel, a refund and a reorder", async () => {
  const partner = await openPartner(0);
  const person = {
    patient_id: "odalys-77",
    first_name: "Odalys",
    last_name: "Brightwater",
    dob: "1969-04-21",
    email: "odalys@brightwater.example",
    phone: "9165550119",
    address: { street1: "77 Heron Bend Ln", street2: null, city: "Sacramento", state: "CA", zip: "95814" },
  };
  const hears = partnerEar(app, 0, ["Odalys B", "Brightwater", "1969-04-21", "Heron Bend", "9165550119"]);

  // 1. The service receives a prescription and says so.
  const { patient_id, prescription_id } = await partner.simulate("prescription", {
    drug_name: "Atorvastatin 20 mg tablet",
    written_qty: 30,
    days_supply: 30,
    refills_left: 2,
    patient: person,
  });
  expect(patient_id).toBe(person.patient_id);
  expect(await hears()).toEqual(["RX_RECEIVED Atorvastatin 20 mg tablet"]);

  // 2. The partner matches the patient and reads the prescription.
  const patient: Patient = await partner.call(`/v1/patients/${patient_id}`);
  expect(patient).toMatchObject({ first_name: "Odalys", last_name: "Brightwater", dob: "1969-04-21" });
  const [received] = await partner.rx(patient_id);
  expect(received).toMatchObject({ id: prescription_id, refills_left: 2, medication_dispenses: [] });

  // 3. A dry run, and the order.
  const body = {
    reference: "invoice-1",
    shipping: { method_id: 1 },
    patient: { patient_id },
    items: [{ prescription_id, quantity: 1, package_size: 30 }],
    payment: { payer: "patient", token: "tok_declined" },
  };
  const refused = await partner.call("/v1/orders?dry_run=true", { ...body, shipping: { method_id: 99 } });
  expect([refused.would_create, refused.errors.map(({ code }: { code: number }) => code)]).toEqual([false, [42291]]);
  const tried = await partner.call("/v1/orders?dry_run=true", body);
  expect([tried.would_create, tried.order.order_status, tried.exceptions[0].id]).toEqual([true, "On Hold", 77]);
  expect(await hears()).toEqual([]);
  const created: Order = await partner.call("/v1/orders", body, 201);
  const { order_number } = created;
  expect(created.exceptions.map(({ id }) => id)).toEqual([77, 80]);
  expect(created.payment).toMatchObject({ payer: "patient", status: "declined" });
  expect(await hears()).toEqual([
    "1 RX_UPDATED On Hold",
    "1 ORDER_UPDATED new > On Hold",
    "1 ORDER_EXCEPTION 77",
    "2 ORDER_EXCEPTION 80",
    "PAYMENT_UPDATED declined 0",
  ]);
  expect(created.exception!.order_actions.map(({ event_key }) => event_key)).toEqual([
    "update_address",
    "accept_suggested_address",
    "confirm_address",
    "cancel",
  ]);
  expect((await partner.rx(patient_id))[0]).toMatchObject({
    refills_left: 2,
    medication_dispenses: [{ order_number }],
  });

  // 4. Each hold has an action that resolves it; meanwhile a held order does not progress.
  await partner.call("/v1/simulate", { simulation_type: "order", simulation: { order_number, to: "Shipped" } }, 422);
  const moved = await partner.act(order_number, { event: "accept_suggested_address", exception_id: 77 });
  expect(moved.order.address!.street1).toMatch(/^1077 /);
  expect(await hears()).toEqual([]);
  const paid = await partner.act(order_number, { event: "retry_payment", token: "tok_visa" });
  expect([paid.order.order_status, paid.order.payment.status]).toEqual(["Processing", "authorized"]);
  expect(await hears()).toEqual([
    "PAYMENT_UPDATED pending 0",
    "3 RX_UPDATED Processing",
    "3 ORDER_UPDATED On Hold > Processing",
    "PAYMENT_UPDATED authorized 0",
  ]);
  await partner.act(order_number, { event: "hold" });
  expect(await hears()).toEqual([
    "4 RX_UPDATED On Hold",
    "4 ORDER_UPDATED Processing > On Hold",
    "4 ORDER_EXCEPTION 64",
  ]);
  await partner.act(order_number, { event: "release" });
  expect(await hears()).toEqual(["5 RX_UPDATED Processing", "5 ORDER_UPDATED On Hold > Processing"]);

  // 5. The pharmacy fills and ships it; the carrier delivers as days pass.
  await partner.simulate("order", { order_number, to: "Filling" });
  expect(await hears()).toEqual(["6 RX_UPDATED Filling", "6 ORDER_UPDATED Processing > Filling"]);
  await partner.simulate("order", { order_number, to: "Shipped" });
  expect(await hears()).toEqual([
    "7 RX_UPDATED Shipped",
    "7 SHIPMENT_UPDATED label_created",
    "7 ORDER_UPDATED Filling > Shipped",
    "PAYMENT_UPDATED captured 0",
  ]);
  expect((await partner.order(order_number)).payment).toMatchObject({ status: "captured", amount_cents: 1695 });
  await partner.simulate("clock", { advance_seconds: 10 * DAY_S });
  expect(await hears()).toEqual([
    "8 SHIPMENT_UPDATED in_transit",
    "9 SHIPMENT_UPDATED out_for_delivery",
    "10 RX_UPDATED Delivered",
    "10 SHIPMENT_UPDATED delivered",
    "10 ORDER_UPDATED Shipped > Delivered",
  ]);
  const delivered = await partner.order(order_number);
  const [shipment] = delivered.shipments;
  expect(shipment).toMatchObject({ carrier: "USPS", method: "Standard Mail", status: "delivered" });
  expect(delivered.medication_requests[0]!.medication_dispenses[0]).toMatchObject({
    order_status: "Delivered",
    shipment,
  });
  expect(await partner.rx(patient_id)).toEqual(delivered.medication_requests);

  // 6. A partial refund, then the rest, and never more than was captured.
  await partner.act(order_number, { event: "partial_refund", reason_id: 101, amount_cents: 500 });
  const refunded = await partner.act(order_number, { event: "refund", reason_id: 105 });
  expect(refunded.order.payment).toMatchObject({ status: "refunded", amount_cents: 1695, refunded_cents: 1695 });
  const again = { event: "partial_refund", reason_id: 101, amount_cents: 1 };
  await partner.call(`/v1/orders/${order_number}/partner_order_action_requests`, again, 422);
  expect(await hears()).toEqual(["PAYMENT_UPDATED captured 500", "PAYMENT_UPDATED refunded 1695"]);
  expect(await partner.history(order_number)).toEqual([
    "partner create 77 new > On Hold",
    "system raise_exception 77 On Hold > On Hold",
    "system raise_exception 80 On Hold > On Hold",
    "partner resolve 77 On Hold > On Hold",
    "system resolve 80 On Hold > Processing",
    "partner raise_exception 64 Processing > On Hold",
    "partner resolve 64 On Hold > Processing",
    "pharmacist approve_review Processing > Filling",
    "technician complete_fill Filling > Filling",
    "pharmacist verify_product Filling > Filling",
    "technician ship Filling > Shipped",
    "carrier track Shipped > Shipped",
    "carrier track Shipped > Shipped",
    "carrier deliver Shipped > Delivered",
    "partner refund Delivered > Delivered",
    "partner refund Delivered > Delivered",
  ]);

  // 7. A reorder to the final address.
  await partner.simulate("clock", { advance_seconds: 20 * DAY_S });
  const reordered: Order = await partner.call(
    `/v1/orders/${order_number}/reorders`,
    { payment: { token: "tok_visa" } },
    201,
  );
  expect(reordered).toMatchObject({ order_status: "Processing", reference: "invoice-1", address: delivered.address });
  expect(await hears()).toEqual([
    "1 RX_UPDATED Processing",
    "1 ORDER_UPDATED new > Processing",
    "PAYMENT_UPDATED authorized 0",
  ]);
  await partner.simulate("order", { order_number: reordered.order_number, to: "Delivered" });
  expect(await hears()).toEqual([
    "2 RX_UPDATED Filling",
    "2 ORDER_UPDATED Processing > Filling",
    "3 RX_UPDATED Shipped",
    "3 SHIPMENT_UPDATED label_created",
    "3 ORDER_UPDATED Filling > Shipped",
    "PAYMENT_UPDATED captured 0",
    "4 RX_UPDATED Delivered",
    "4 SHIPMENT_UPDATED delivered",
    "4 ORDER_UPDATED Shipped > Delivered",
  ]);
  const [rx] = await partner.rx(patient_id);
  expect(rx).toMatchObject({ refills_left: 1, active: true });
  expect(rx!.medication_dispenses.map((dispense) => [dispense.order_number, dispense.order_status])).toEqual(
    expect.arrayContaining([
      [order_number, "Delivered"],
      [reordered.order_number, "Delivered"],
    ]),
  );
  const { orders } = await partner.call(`/v1/orders?patient_id=${patient_id}`);
  expect(orders.map((order: Order) => order.order_number)).toEqual([reordered.order_number, order_number]);
});

test("Automatic Processing: an e-prescription becomes an order, waits for an email address and stock, and arrives", async () => {
  const partner = await openPartner(1);
  const { ncpdp_id } = app.demo.partners[1]!;
  const intake = await openIntake(app);
  const today = dateIn(app.deps.config.TIME_ZONE, new Date());
  const hears = partnerEar(app, 1, ["Okonkwo", "Juniper Hollow", "1987-02-28", "9165550142"]);

  // 1. A prescriber's system sends it through the network; only the network gets the pharmacy's answer.
  const written: Partial<typeof sample> = {
    drug: {
      description: "Minoxidil 2.5 mg tablet",
      codes: [{ system: "ndc", code: "70999100130" }],
      strength: null,
      schedule: "0",
    },
    quantity: { value: 30, unit: "tablet" },
    days_supply: 30,
    refills: 1,
    allergies: [],
    written_date: today,
    effective_date: null,
    expiration_date: null,
  };
  const message = newMessage({ envelope: { to: ncpdp_id }, prescription: written, patient: { email: null } });
  const answer = await intake.send(message);
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("<Status>")]);

  // 2. Its order exists without a request, and says what it waits for.
  const listed = async (): Promise<Order[]> => (await partner.call("/v1/orders")).orders;
  await until(async () => (await listed()).length > 0, "the order is there");
  const [made] = await listed();
  const { order_number, patient_id } = made!;
  expect(made).toMatchObject({ workflow: "automatic", order_status: "On Hold", exceptions: [{ id: 65 }, { id: 76 }] });
  expect(await hears()).toEqual([
    "RX_RECEIVED Minoxidil 2.5 mg tablet",
    "1 RX_UPDATED On Hold",
    "1 ORDER_UPDATED new > On Hold",
    "1 ORDER_EXCEPTION 65",
    "1 ORDER_EXCEPTION 76",
  ]);
  const patient: Patient = await partner.call(`/v1/patients/${patient_id}`);
  expect([patient.first_name, patient.email]).toEqual(["Marisol", null]);
  expect((await partner.rx(patient_id))[0]).toMatchObject({
    order_errors: [],
    medication_dispenses: [{ order_number }],
  });

  // 3. The partner fixes its own data; the supplier's delivery arrives automatically.
  const mended = await partner.act(order_number, { event: "update_email", email: "marisol@okonkwo.example" });
  expect(mended.order.exceptions.map(({ id }) => id)).toEqual([76]);
  expect((await partner.call(`/v1/patients/${patient_id}`)).email).toBe("marisol@okonkwo.example");
  expect(await hears()).toEqual(["PATIENT_UPDATED email"]);
  await partner.simulate("clock", { advance_seconds: 8 * DAY_S });
  expect(await hears()).toEqual(["2 RX_UPDATED Processing", "2 ORDER_UPDATED On Hold > Processing"]);

  // 4. Delivery, by the clock.
  await partner.simulate("order", { order_number, to: "Shipped" });
  expect(await hears()).toEqual([
    "3 RX_UPDATED Filling",
    "3 ORDER_UPDATED Processing > Filling",
    "4 RX_UPDATED Shipped",
    "4 SHIPMENT_UPDATED label_created",
    "4 ORDER_UPDATED Filling > Shipped",
    "PAYMENT_UPDATED captured 0",
  ]);
  await partner.simulate("clock", { advance_seconds: 8 * DAY_S });
  expect(await hears()).toEqual([
    "5 SHIPMENT_UPDATED in_transit",
    "6 SHIPMENT_UPDATED out_for_delivery",
    "7 RX_UPDATED Delivered",
    "7 SHIPMENT_UPDATED delivered",
    "7 ORDER_UPDATED Shipped > Delivered",
  ]);
  const delivered = await partner.order(order_number);
  expect(await partner.rx(patient_id)).toEqual(delivered.medication_requests);
  expect(await partner.history(order_number)).toEqual([
    "system create 65 new > On Hold",
    "system raise_exception 65 On Hold > On Hold",
    "system raise_exception 76 On Hold > On Hold",
    "partner resolve 65 On Hold > On Hold",
    "system resolve 76 On Hold > Processing",
    "pharmacist approve_review Processing > Filling",
    "technician complete_fill Filling > Filling",
    "pharmacist verify_product Filling > Filling",
    "technician ship Filling > Shipped",
    "carrier track Shipped > Shipped",
    "carrier track Shipped > Shipped",
    "carrier deliver Shipped > Delivered",
  ]);

  // 5. The refill is lost in transit: the money is refunded, and no refill is left to order.
  await partner.simulate("clock", { advance_seconds: 30 * DAY_S });
  const address = { ...delivered.address!, street1: "102 Juniper Hollow Rd" };
  const refill: Order = await partner.call(`/v1/orders/${order_number}/reorders`, { address }, 201);
  expect(refill).toMatchObject({ order_status: "On Hold", exceptions: [{ id: 76 }] });
  await partner.simulate("clock", { advance_seconds: 8 * DAY_S });
  await partner.simulate("order", { order_number: refill.order_number, to: "Shipped" });
  await partner.simulate("clock", { advance_seconds: 20 * DAY_S });
  expect(await hears()).toEqual([
    "1 RX_UPDATED On Hold",
    "1 ORDER_UPDATED new > On Hold",
    "1 ORDER_EXCEPTION 76",
    "RX_STATUS_CHANGED last_refill",
    "2 RX_UPDATED Processing",
    "2 ORDER_UPDATED On Hold > Processing",
    "3 RX_UPDATED Filling",
    "3 ORDER_UPDATED Processing > Filling",
    "4 RX_UPDATED Shipped",
    "4 SHIPMENT_UPDATED label_created",
    "4 ORDER_UPDATED Filling > Shipped",
    "PAYMENT_UPDATED captured 0",
    "5 SHIPMENT_UPDATED in_transit",
    "6 SHIPMENT_UPDATED lost",
  ]);
  const lost = await partner.act(refill.order_number, { event: "refund", reason_id: 102 });
  expect(lost.order).toMatchObject({ order_status: "Shipped", payment: { status: "refunded" } });
  const { errors } = await partner.call(`/v1/orders/${refill.order_number}/reorders`, { reference: "again" }, 422);
  expect(errors.map(({ code }: { code: number }) => code)).toEqual([42250]);
  expect(await hears()).toEqual(["PAYMENT_UPDATED refunded 1695"]);
});
