import type { MedicationRequest, Order } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { footprint, newOrder, orderOf, placed, prescribed } from "../../support/orders.ts";
import { addPatient, ask, goodAddress, goodDocument, patientCalls, person, stranger } from "../../support/patient.ts";
import { onePagePdf, onePixelPng } from "../../support/samples/labels.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const read = async (path: string) => JSON.parse((await ask(app, path)).text);
const home = { street1: "4417 Thistledown Ave", street2: null, city: "San Francisco", state: "CA", zip: "94110" };

describe("an order", () => {
  test("is created with the prescription's address, takes units and stock, and reads back as answered", async () => {
    const known = stranger();
    const { patient_id, prescription_id } = await addPatient(app, { patient: known });
    const before = await footprint(app);
    const order = await placed(app, { ...orderOf({ patient_id, prescription_id }), reference: "inv-1", brand_id: 2 });
    const dispense = { ndc: "70999010130", quantity: 1, package_size: 90 };
    expect(order).toEqual({
      order_number: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{10}$/),
      order_status: "Processing",
      patient_id,
      brand_id: 2,
      reference: "inv-1",
      workflow: "api_driven",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      updated_at: order.created_at,
      shipping: { method_id: 1, carrier: "USPS", signature_confirmation: false },
      address: { first_name: person.first_name, last_name: known.last_name, ...home, phone: known.phone },
      items: [{ item_id: 1, prescription_id, sku: "atorvastatin-20", ...dispense, dispense_id: expect.any(Number) }],
      medication_requests: [
        expect.objectContaining({
          id: prescription_id,
          refills_left: 3,
          medication_dispenses: [
            {
              dispense_id: order.items[0]!.dispense_id,
              order_number: order.order_number,
              order_status: "Processing",
              ...dispense,
              shipment: null,
            },
          ],
        }),
      ],
      shipments: [],
      exception: null,
      exceptions: [],
      // The product and the shipping.
      payment: { payer: "partner", status: "authorized", amount_cents: 1200 + 495, currency: "USD", refunded_cents: 0 },
    });
    expect(await read(`/orders/${order.order_number}`)).toEqual(order);
    const after = await footprint(app);
    expect([after["units_ordered"], after["units_reserved"]]).toEqual(
      [before["units_ordered"], before["units_reserved"]].map((units) => String(Number(units) + 90)),
    );
  });

  test("has its own brand and method, or else the default brand", async () => {
    const { body } = await newOrder(app);
    const shipping = { method_id: 3, signature_confirmation: true };
    const order = await placed(app, { ...body, shipping });
    expect([order.brand_id, order.reference, order.shipping]).toEqual([1, null, { ...shipping, carrier: "FedEx" }]);
  });

  test("ships to the address in the request, as sent or as suggested", async () => {
    const { body } = await newOrder(app);
    const sent = { ...goodAddress, street1: "77 Mission St", zip: "941101234", state: "ca", phone: "(415) 555-0199" };
    const taken = await placed(app, { ...body, address: { ...sent, ignore_warnings: true } });
    expect(taken.address).toEqual({ ...sent, zip: "94110-1234", state: "CA", phone: "4155550199" });
    const { body: other } = await newOrder(app);
    const suggested = await placed(app, { ...other, address: { ...sent, accept_suggested: true } });
    const place = { street1: "1077 MISSION ST", street2: "APT 5", city: "SAN FRANCISCO" };
    expect(suggested.address).toEqual({ ...taken.address, ...place });
  });

  test("ships to the address of its first prescription that has one, or else to the patient's", async () => {
    const known = stranger();
    const elsewhere = { ...person.address!, street1: "12 Wren Ct" };
    const nowhere = await addPatient(app, { patient: { ...known, address: null } });
    const second = await addPatient(app, {
      patient: { ...known, address: elsewhere },
      prescription: prescribed("sertraline-50", 90),
    });
    const third = await addPatient(app, { patient: known, prescription: prescribed("finasteride-1", 90) });
    expect(new Set([nowhere, second, third].map(({ patient_id }) => patient_id)).size).toBe(1);
    const items = [nowhere, third, second].map(({ prescription_id }) => ({ prescription_id }));
    const order = await placed(app, { ...orderOf(nowhere), items });
    expect(order.address?.street1).toBe(home.street1);
    // The patient's default is the first known address.
    const otc = {
      shipping: { method_id: 1 },
      patient: { patient_id: nowhere.patient_id },
      items: [{ sku: "packaging-pouch" }],
    };
    expect((await placed(app, otc)).address?.street1).toBe("12 Wren Ct");
  });

  test("of several prescriptions takes units of each, and lists them by number regardless of the order of its items", async () => {
    const known = stranger();
    const first = await addPatient(app, { patient: known, prescription: { refills: 1 } });
    const second = await addPatient(app, {
      patient: known,
      prescription: prescribed("sertraline-50", 90, { refills: 1 }),
    });
    const order = await placed(app, {
      ...orderOf(first),
      items: [
        { prescription_id: second.prescription_id, package_size: 30, quantity: 2 },
        { sku: "packaging-pouch" },
        { prescription_id: first.prescription_id },
        { prescription_id: second.prescription_id, package_size: 30 },
      ],
    });
    expect(
      order.items.map(({ item_id, sku, quantity, package_size }) => [item_id, sku, quantity, package_size]),
    ).toEqual([
      [1, "sertraline-50", 2, 30],
      [2, "packaging-pouch", 1, 1],
      [3, "atorvastatin-20", 1, 90],
      [4, "sertraline-50", 1, 30],
    ]);
    const shown = order.medication_requests.map(({ id, refills_left, medication_dispenses }) => ({
      id,
      refills_left,
      dispenses: medication_dispenses.length,
    }));
    expect(shown).toEqual(
      [
        { id: first.prescription_id, refills_left: 1, dispenses: 1 },
        { id: second.prescription_id, refills_left: 1, dispenses: 2 },
      ].sort((a, b) => a.id - b.id),
    );
    expect(order.payment.amount_cents).toBe(1200 * 2 + 150 + 1200 + 1200 + 495);
    expect(await read(`/orders/${order.order_number}`)).toEqual(order);
  });

  test("can be filled in parts while units remain", async () => {
    const { patient_id, prescription_id } = await newOrder(app, { prescription: { refills: 1 } });
    const left: number[] = [];
    for (const [index, package_size] of [30, 60, 60, 30].entries()) {
      const order = await placed(app, {
        ...orderOf({ patient_id, prescription_id }, package_size),
        reference: `${index}`,
      });
      left.push(order.medication_requests[0]!.refills_left);
    }
    // Whole fills beyond the current one: 150, 90, 30 and 0 units are left.
    expect(left).toEqual([1, 1, 0, 0]);
    const { medication_request } = (await read(`/patients/${patient_id}/rx`)) as {
      medication_request: MedicationRequest[];
    };
    expect(medication_request[0]!.refills_left).toBe(0);
  });

  const named: Record<string, [item: Record<string, unknown>, sku: string]> = {
    "nothing but the prescription": [{}, "atorvastatin-20"],
    "a SKU": [{ sku: "lipora-20" }, "lipora-20"],
    "an NDC of eleven digits": [{ ndc: "70999010230" }, "lipora-20"],
    "an NDC with dashes": [{ ndc: "70999-0102-30" }, "lipora-20"],
    "an NDC of ten digits": [{ ndc: "7099910230" }, "lipora-20"],
    "a GCN": [{ gcn: "90101" }, "atorvastatin-20"],
    "a selection by SKU": [{ product_selection: "lipora-20" }, "lipora-20"],
    "a selection by name": [{ product_selection: "LIPORA (atorvastatin) 20 mg tablet" }, "lipora-20"],
    "all of them": [
      { sku: "lipora-20", ndc: "70999-0102-30", gcn: "90101", product_selection: "lipora-20" },
      "lipora-20",
    ],
  };
  for (const [what, [item, sku]] of Object.entries(named)) {
    test(`names its product by ${what}`, async () => {
      const { body } = await newOrder(app);
      const order = await placed(app, { ...body, items: [{ ...body.items[0], ...item }] });
      expect([order.items[0]!.sku, order.exceptions]).toEqual([sku, []]);
    });
  }

  test("saves the patient details it contains, but not names or the birth date", async () => {
    const { body, patient_id } = await newOrder(app);
    const calls = patientCalls(app, patient_id);
    const before = await calls.read();
    const told = { email: "new@quill.example", phone: "6285550199", gender: "N" };
    const patient_safety = { allergies: ["penicillin"] };
    const held = await placed(app, {
      ...body,
      patient: {
        ...body.patient,
        ...told,
        first_name: "Somebody",
        last_name: "Else",
        dob: before.dob,
        patient_safety,
        identity_documents: [goodDocument],
      },
    });
    expect(held.exceptions.map(({ id }) => id)).toEqual([71]);
    expect(await calls.read()).toEqual({
      ...before,
      ...told,
      patient_safety: {
        ...before.patient_safety,
        allergies: [...before.patient_safety.allergies, "penicillin"],
        entries: [
          ...before.patient_safety.entries,
          { entry_id: 2, kind: "allergy", text: "penicillin", source: "partner", recorded_at: expect.any(String) },
        ],
      },
      identity_documents: [{ id: 1, ...goodDocument, number: "****4821" }],
      updated_at: expect.any(String),
    });
    const same = await placed(app, { ...body, reference: "again" });
    expect(same.exceptions.map(({ id }) => id)).toEqual([68]);
  });

  test("accepts a custom label, and shows everything about it except the label", async () => {
    const latin1 = (text: string) => Buffer.from(text, "latin1").toString("base64");
    const labels = {
      PDF: latin1(onePagePdf),
      PNG: onePixelPng,
      ZPL: latin1("^XA\n^FO20,20^FDparcel^FS\n^XZ\n"),
    };
    for (const [format, data] of Object.entries(labels)) {
      const { body } = await newOrder(app);
      const label = { format, data, carrier: "UPS", tracking_no: "1Z999" };
      const order: Order = await placed(app, { ...body, shipping: { method_id: 1, label } });
      expect(order.shipping.label).toEqual({ format, carrier: "UPS", tracking_no: "1Z999" });
    }
  });
});
