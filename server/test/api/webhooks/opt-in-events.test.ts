import { randomUUID } from "node:crypto";
import { type EventType, type MedicationRequest, type Order, webhookBodies } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Content } from "../../../src/domain/intake/incoming-message.ts";
import { createPerson } from "../../../src/usecases/accounts/create-person.ts";
import { addSafetyEntry } from "../../../src/usecases/fulfillment/safety-entries.ts";
import { acceptPrescription } from "../../../src/usecases/intake/accept-prescription.ts";
import { fillDue } from "../../../src/usecases/intake/order-due-prescriptions.ts";
import { tellExpiries } from "../../../src/usecases/intake/tell-expiries.ts";
import { acted } from "../../support/actions.ts";
import { newMessage, openIntake } from "../../support/intake.ts";
import { newOrder, placed, prescribed } from "../../support/orders.ts";
import { addPatient, ask, goodAddress, goodDocument, patientCalls, stranger } from "../../support/patient.ts";
import { misfits } from "../../support/samples/misfits.ts";
import { prescription } from "../../support/samples/script-samples.ts";
import { arrived, simulate } from "../../support/simulate.ts";
import { eventsOfPatient } from "../../support/stored-events.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { licenseFor } from "../../support/web.ts";
import { staff, workplace } from "../../support/workplace.ts";

/** RX_STATUS_CHANGED, PAYMENT_UPDATED and PATIENT_UPDATED: each change that a partner can see sends its event, once. */

let app: TestApp;
let shop: ReturnType<typeof workplace>;
const PHARMACIST = "pia@larkspur.example";
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  shop = workplace(app);
  const person = { email: PHARMACIST, name: "N", partner_id: null, password_hash: "x", role: "pharmacist" };
  await app.deps.db.transaction((tx) => createPerson(tx, { ...person, ...licenseFor("pharmacist") }, new Date()));
});
afterAll(() => app.stop());

const AUTOMATIC = 1;
const DAY_S = 86_400;

/** The events of one type about a patient, oldest first. Each fits the contract and says nothing about the person. */
// biome-ignore lint/suspicious/noExplicitAny: the bodies of several events
async function told(event_type: EventType, patient_id: string): Promise<any[]> {
  const rows = await eventsOfPatient(app.deps, patient_id, "order by event_position");
  return rows
    .filter((row) => row.event_type === event_type)
    .map(({ body: text, order_number, created_at }) => {
      const body = JSON.parse(text);
      expect(misfits(webhookBodies[event_type], body)).toEqual([]);
      expect(body.order_number ?? null).toBe(order_number);
      expect(body.timestamp).toBe(Math.floor(created_at.getTime() / 1000));
      expect(body).not.toHaveProperty("sequence");
      expect(text).not.toMatch(/Quillfeather|Zephyrine|quillfeather|Mission St|Thistledown|latex|D7712/i);
      return body;
    });
}
const changesOf = async (patient_id: string) =>
  (await told("RX_STATUS_CHANGED", patient_id)).map(({ change }) => change);
const paymentsOf = async ({ patient_id }: Order) =>
  (await told("PAYMENT_UPDATED", patient_id)).map(({ payment }) => payment);
const changedIn = async (patient_id: string) =>
  (await told("PATIENT_UPDATED", patient_id)).map(({ changed }) => changed);
const rxOf = async (patient_id: string, partner = 0): Promise<MedicationRequest[]> =>
  JSON.parse((await ask(app, `/patients/${patient_id}/rx`, undefined, { partner })).text).medication_request;
/** The newest event shows the prescription as `GET …/rx` does. */
const expectAsRead = async (patient_id: string, prescription_id: number, partner = 0) => {
  const { medication_requests, order_errors } = (await told("RX_STATUS_CHANGED", patient_id)).at(-1)!;
  const shown = (await rxOf(patient_id, partner)).find(({ id }) => id === prescription_id)!;
  expect(medication_requests).toEqual([{ ...shown, medication_dispenses: [] }]);
  expect(order_errors).toEqual(shown.order_errors ?? []);
};
const advance = async (advance_seconds: number, partner = 0) => {
  const { status, body } = await simulate(app, "clock", { advance_seconds }, { partner });
  expect(status).toBe(202);
  return new Date((body as { now: string }).now);
};

describe("RX_STATUS_CHANGED", () => {
  test("follows a pharmacist's verdict, and is not sent if the verdict is rolled back", async () => {
    const verdictOn = async (verdict: "accepted" | "rejected") => {
      const { patient_id, prescription_id } = await arrived(app, { written_qty: 0 });
      const given = { account_id: shop.account_id, prescription_id, verdict, email: PHARMACIST, note: undefined };
      const broken = acceptPrescription(app.deps, given, app.deps.now(), async () => {
        throw new Error("broken");
      });
      await expect(broken).rejects.toThrow("broken");
      expect(await changesOf(patient_id)).toEqual([]);
      await acceptPrescription(app.deps, given, app.deps.now());
      expect(await changesOf(patient_id)).toEqual([verdict]);
      await expectAsRead(patient_id, prescription_id);
    };
    await verdictOn("accepted");
    await verdictOn("rejected");
  });

  test("tells that the prescriber replaced a prescription, and that the prescriber canceled it", async () => {
    const intake = await openIntake(app);
    const patient = { ...prescription.patient, ...stranger(), ids: [], first_name: "Zephyrine" };
    const dates = { written_date: "2026-11-10", effective_date: null, expiration_date: null };
    const send = async (relates_to_message_id: string | null, content?: Content) => {
      const message_id = randomUUID();
      const envelope = { message_id, relates_to_message_id, prescriber_order_number: null };
      const { status } = await intake.send(
        newMessage(content ? { envelope, content } : { envelope, patient, prescription: dates }),
      );
      expect(status).toBe(200);
      return message_id;
    };
    const first = await send(null);
    const second = await send(first, {
      kind: "change",
      response: "approved",
      reason_codes: [],
      note: null,
      prescription: { ...prescription, ...dates, patient },
    } as Content);
    await send(second, {
      kind: "cancel",
      discontinue: false,
      target: { patient, prescriber_npi: null, drug_description: "x", drug_codes: [], written_date: null },
    } as Content);
    const { rows } = await app.deps.db.raw(
      "select prescription_id from prescription where sender_message_id = any($1) order by received_at",
      [[first, second]],
    );
    const ids = rows.map(({ prescription_id }) => Number(prescription_id));
    const found = JSON.parse((await ask(app, "/webhook_events?event_type=RX_STATUS_CHANGED&limit=200")).text);
    const bodies = found.webhook_events
      // biome-ignore lint/suspicious/noExplicitAny: the feed's bodies
      .map(({ body }: any) => body)
      // biome-ignore lint/suspicious/noExplicitAny: the feed's bodies
      .filter((body: any) => ids.includes(body.medication_requests[0].id));
    // biome-ignore lint/suspicious/noExplicitAny: the feed's bodies
    expect(bodies.map((body: any) => [body.change, body.medication_requests[0].id])).toEqual([
      ["replaced", ids[0]],
      ["canceled", ids[1]],
    ]);
    expect(bodies[0].medication_requests[0].active).toBe(false);
    await expectAsRead(bodies[0].patient_id, ids[1]!);
  });

  test("tells 30 days before a prescription expires and when it does, once each, however far the clock moves", async () => {
    const { patient_id, prescription_id, rx } = await arrived(app);
    const ended = await arrived(app, { active: false });
    let now = await advance(1);
    const soon = new Date(now.getTime() + 10 * DAY_S * 1000).toISOString();
    const short = await arrived(app, { expire_date: soon });
    const moveTo = async (time: number) => {
      now = await advance(Math.ceil((time - now.getTime()) / 1000));
    };
    const end = Date.parse(rx.expire_date);
    await moveTo(end - 30 * DAY_S * 1000 - 60_000);
    expect(await changesOf(patient_id)).toEqual([]);
    // The partner read the date a few days ago, when it arrived.
    expect(await changesOf(short.patient_id)).toEqual(["expired"]);
    await moveTo(end - 30 * DAY_S * 1000 + 60_000);
    expect(await changesOf(patient_id)).toEqual(["expiring"]);
    await expectAsRead(patient_id, prescription_id);
    await moveTo(end - 60_000);
    await Promise.all([tellExpiries(app.deps), tellExpiries(app.deps)]);
    expect(await changesOf(patient_id)).toEqual(["expiring"]);
    await moveTo(end + 60_000);
    await Promise.all([tellExpiries(app.deps), tellExpiries(app.deps)]);
    expect(await changesOf(patient_id)).toEqual(["expiring", "expired"]);
    await expectAsRead(patient_id, prescription_id);
    expect(await changesOf(ended.patient_id)).toEqual(["canceled"]);

    const next = await arrived(app);
    await advance(800 * DAY_S);
    expect(await changesOf(next.patient_id)).toEqual(["expiring", "expired"]);
    expect(await changesOf(patient_id)).toEqual(["expiring", "expired"]);
  });

  test("follows when Automatic Processing could not create the order later, and again only if the errors change", async () => {
    const later = new Date(Date.now() + 10 * DAY_S * 1000).toISOString().slice(0, 10);
    const { patient_id, prescription_id } = await addPatient(app, {
      partner: AUTOMATIC,
      patient: stranger(),
      prescription: { quantity: { value: 91, unit: "tablet" }, effective_date: later },
    });
    const received = await told("RX_RECEIVED", patient_id);
    expect(received.map((body) => body.medication_requests[0].order_errors)).toEqual([[]]);
    await advance(11 * DAY_S, AUTOMATIC);
    expect(await changesOf(patient_id)).toEqual(["order_failed"]);
    await expectAsRead(patient_id, prescription_id, AUTOMATIC);
    const [failed] = await told("RX_STATUS_CHANGED", patient_id);
    expect(failed.order_errors.map(({ code }: { code: number }) => code)).toEqual([42259]);
    await advance(DAY_S, AUTOMATIC);
    await Promise.all([fillDue(app.deps), fillDue(app.deps)]);
    expect(await changesOf(patient_id)).toEqual(["order_failed"]);

    await app.deps.db.raw("update prescription set expires_at = received_at where prescription_id = $1", [
      prescription_id,
    ]);
    await advance(DAY_S, AUTOMATIC);
    expect(await changesOf(patient_id)).toEqual(["order_failed", "order_failed"]);
    await expectAsRead(patient_id, prescription_id, AUTOMATIC);
  });

  test("does not repeat what RX_RECEIVED said about the order", async () => {
    const quantity = { value: 91, unit: "tablet" };
    const patient = stranger();
    const { patient_id } = await addPatient(app, { partner: AUTOMATIC, patient, prescription: { quantity } });
    await advance(DAY_S, AUTOMATIC);
    expect(await changesOf(patient_id)).toEqual([]);
  });

  test("tells that an order took the last refill, with the dispense of that order", async () => {
    const { patient_id, body } = await newOrder(app, { prescription: { refills: 1 } });
    await placed(app, body);
    expect(await changesOf(patient_id)).toEqual([]);
    const last = await placed(app, { ...body, reference: "second" });
    const [event] = await told("RX_STATUS_CHANGED", patient_id);
    expect([event.change, event.medication_requests]).toEqual(["last_refill", last.medication_requests]);
    expect(event.medication_requests[0]).toMatchObject({
      refills_left: 0,
      medication_dispenses: [{ order_number: last.order_number }],
    });
    const without = await newOrder(app, { prescription: { refills: 0 } });
    await placed(app, without.body);
    expect(await changesOf(without.patient_id)).toEqual([]);
  });
});

describe("PAYMENT_UPDATED", () => {
  test("follows each change of what the partner pays, and not the creation", async () => {
    const order = await placed(app, (await newOrder(app)).body);
    await shop.reach(order, "Filling/pack");
    expect(await paymentsOf(order)).toEqual([]);
    const shipped = await shop.reach(order, "Shipped");
    expect(await paymentsOf(order)).toEqual([shipped.payment]);
    expect(shipped.payment).toMatchObject({ payer: "partner", status: "captured", refunded_cents: 0 });
    await acted(app, order, { event: "partial_refund", reason_id: 101, amount_cents: 100 });
    await acted(app, order, { event: "refund", reason_id: 101 });
    const refunded = shipped.payment.amount_cents;
    expect((await paymentsOf(order)).slice(1)).toEqual([
      { ...shipped.payment, refunded_cents: 100 },
      { ...shipped.payment, status: "refunded", refunded_cents: refunded },
    ]);
  });

  test("tells how a patient's card was decided, a new attempt, and the release of a canceled order", async () => {
    const { body } = await newOrder(app);
    const order = await placed(app, { ...body, payment: { payer: "patient", token: "tok_declined" } });
    const statuses = async () => (await paymentsOf(order)).map(({ status }) => status);
    expect(await statuses()).toEqual(["declined"]);
    await acted(app, order, { event: "retry_payment", token: "tok_visa" });
    expect(await statuses()).toEqual(["declined", "pending", "authorized"]);
    await shop.reach(order, "Canceled");
    expect(await statuses()).toEqual(["declined", "pending", "authorized", "voided"]);
  });
});

describe("PATIENT_UPDATED", () => {
  test("names what the partner changed, without its value, and nothing if nothing changed", async () => {
    const { patient_id } = await addPatient(app, { patient: stranger() });
    const calls = patientCalls(app, patient_id);
    const patch = { email: "new.quillfeather@partner.example", phone: "4155550188" };
    expect((await calls.patch(patch)).status).toBe(200);
    expect((await calls.patch(patch)).status).toBe(200);
    expect((await calls.patch({ email: 7 })).status).toBe(422);
    expect(await changedIn(patient_id)).toEqual([["email", "phone"]]);
    await calls.patch({ patient_safety: { allergies: ["latex"] } });
    await calls.addAddress(goodAddress);
    await calls.addDocument(goodDocument);
    expect((await changedIn(patient_id)).slice(1)).toEqual([["patient_safety"], ["addresses"], ["identity_documents"]]);
    expect(await told("PATIENT_UPDATED", patient_id)).toHaveLength(4);
  });

  test("names what an e-prescription, an order, an action and the pharmacy changed", async () => {
    const known = { ...stranger(), email: null };
    const { patient_id } = await addPatient(app, { patient: known });
    expect(await changedIn(patient_id)).toEqual([]);
    const address = { ...prescription.patient.address!, street1: "2212 Mission St" };
    const again = await addPatient(app, { patient: { ...known, address, weight_kg: 71 } });
    expect(again.patient_id).toBe(patient_id);
    expect(await changedIn(patient_id)).toEqual([["addresses"]]);
    await addPatient(app, { patient: { ...known, address, weight_kg: 72 } });
    expect(await changedIn(patient_id)).toHaveLength(1);

    const items = [{ prescription_id: again.prescription_id, quantity: 1, package_size: 90 }];
    const patient = { patient_id, patient_safety: { allergies: ["latex"] } };
    const order = await placed(app, { shipping: { method_id: 1 }, patient, items });
    expect((await changedIn(patient_id)).slice(1)).toEqual([["patient_safety"]]);
    await acted(app, order, { event: "update_email", email: "new.quillfeather@partner.example" });
    expect((await changedIn(patient_id)).slice(2)).toEqual([["email"]]);
    await addSafetyEntry(app.deps, shop.work(order, staff.pharmacist), "condition", "asthma");
    expect((await changedIn(patient_id)).slice(3)).toEqual([["patient_safety"]]);
  });

  test("is not sent for an order that is refused or only tried", async () => {
    const { body, patient_id } = await newOrder(app, { prescription: prescribed("atorvastatin-20", 90) });
    const patient = { ...body.patient, patient_safety: { allergies: ["latex"] } };
    expect((await ask(app, "/orders?dry_run=true", { ...body, patient })).status).toBe(200);
    expect((await ask(app, "/orders", { ...body, patient, shipping: { method_id: 999 } })).status).toBe(422);
    expect(await changedIn(patient_id)).toEqual([]);
  });
});
