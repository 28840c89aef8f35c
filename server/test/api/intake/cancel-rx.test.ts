import { actionsOfReviews } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listReviews } from "../../../src/db/intake/reviews.ts";
import { shipOrder } from "../../../src/usecases/fulfillment/ship-order.ts";
import { WorkRefusal } from "../../../src/usecases/fulfillment/work-refusal.ts";
import { openReview } from "../../../src/usecases/intake/message-answer.ts";
import { openPatientId } from "../../../src/usecases/patients/patient-rows.ts";
import { acted, eventsOf, historyOf, linesOf, readOrder } from "../../support/actions.ts";
import { newMessage, openIntake } from "../../support/intake.ts";
import { placed } from "../../support/orders.ts";
import { ask, stranger } from "../../support/patient.ts";
import { prescription } from "../../support/samples/script-samples.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { webPerson } from "../../support/web.ts";
import { staff, workplace } from "../../support/workplace.ts";

/** A prescriber cancels a prescription that has orders: the answer reports their outcome. */

let app: TestApp;
let intake: Awaited<ReturnType<typeof openIntake>>;
let shop: ReturnType<typeof workplace>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  shop = workplace(app);
  intake = await openIntake(app);
});
afterAll(() => app.stop());

let number = 0;
async function ordered(prescribed: { refills?: number; sig_text?: string | null } = {}) {
  const message_id = `CX-${++number}`;
  const patient = { ids: [], first_name: "Zephyrine", ...stranger() };
  const dates = { written_date: "2026-11-10", effective_date: null, expiration_date: null, ...prescribed };
  await intake.send(
    newMessage({ envelope: { message_id, prescriber_order_number: null }, patient, prescription: dates }),
  );
  const { rows } = await app.deps.db.raw(
    "select r.account_id, r.patient_key, p.id_sealed, r.prescription_id from prescription r join patient p using (account_id, patient_key) where sender_message_id = $1",
    [message_id],
  );
  const row = rows[0] as { account_id: string; patient_key: number; id_sealed: Buffer; prescription_id: number };
  const patient_id = openPatientId(app.deps, row.account_id, row);
  const { prescription_id } = row;
  const body = {
    shipping: { method_id: 1 },
    patient: { patient_id },
    items: [{ prescription_id: Number(prescription_id), quantity: 1, package_size: 90 }],
  };
  const order = await placed(app, body);
  return { message_id, prescription_id, patient_id, patient, dates, body, order, order_number: order.order_number };
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

  for (const stage of ["Filling/fill", "Filling/product_check", "Filling/pack"] as const) {
    test(`of one whose order is at ${stage} stops it with 73, says so, and creates a review entry`, async () => {
      const { message_id, prescription_id, order_number, order } = await ordered();
      await shop.reach(order, stage);
      const { text } = await cancel(message_id);
      expect(text).toContain(
        "<Approved><Note>Canceled. An order in filling was stopped; nothing was dispensed.</Note>",
      );
      expect(await prescriptionRow(prescription_id)).toEqual({ active: false, units: 90 });
      expect(await statusOf(order_number)).toMatchObject({ order_status: "On Hold", exceptions: [{ id: 73 }] });
      expect((await shop.load(order)).standing.held_from).toBe(stage);
      const reviews = (await listReviews(app.deps.db, null, true)).map((row) => openReview(app.deps.vault, row));
      const about = reviews.filter(({ kind }) => kind === "canceled_in_filling").at(-1)!;
      expect(about.facts).toEqual({ order_numbers: [order_number] });
      const sent = linesOf(await eventsOf(app, order_number)).slice(-3);
      expect(sent.map((line) => line.replace(/^\d+ /, ""))).toEqual([
        "RX_UPDATED",
        "ORDER_UPDATED Filling > On Hold",
        "ORDER_EXCEPTION 73",
      ]);
    });
  }

  test("of one in filling ends when a pharmacist cancels the order in the review", async () => {
    const { message_id, prescription_id, order_number, order } = await ordered();
    await shop.reach(order, "Filling/pack");
    await cancel(message_id);
    const reviews = (await listReviews(app.deps.db, null, false)).map((row) => openReview(app.deps.vault, row));
    const { account_id, review_id } = reviews.filter(({ kind }) => kind === "canceled_in_filling").at(-1)!;
    const pharmacist = await webPerson(app, "pharmacist");
    const path = `/dashboard/reviews/${account_id}/${review_id}`;
    expect((await pharmacist.get(path)).body.actions).toEqual(actionsOfReviews.canceled_in_filling);
    const solve = (body: object) => pharmacist.send("POST", `${path}/resolve`, body);
    expect((await solve({ action: "cancel_orders" })).status).toBe(422);
    expect(await statusOf(order_number)).toMatchObject({ order_status: "On Hold" });
    const note = "The package is back on the shelf.";
    expect((await solve({ action: "cancel_orders", note })).body).toEqual({ closed: true });
    expect(await statusOf(order_number)).toMatchObject({ order_status: "Canceled" });
    expect(await prescriptionRow(prescription_id)).toEqual({ active: false, units: 0 });
    expect((await listReviews(app.deps.db, account_id, true)).find((one) => one.review_id === review_id)).toMatchObject(
      {
        outcome: `canceled: ${note}`,
        resolved_by: pharmacist.person_id,
      },
    );
  });

  test("of one that has shipped in part says so, and ends the rest", async () => {
    const { message_id, prescription_id, order } = await ordered();
    await shop.reach(order, "Shipped");
    expect((await cancel(message_id)).text).toContain("<Approved><Note>Canceled. Part of it was dispensed earlier.");
    expect(await prescriptionRow(prescription_id)).toEqual({ active: false, units: 90 });
  });

  test("of one with a shipped order and one in filling reports both", async () => {
    const { message_id, order, body } = await ordered();
    await shop.reach(order, "Shipped");
    const again = await placed(app, { ...body, reference: "again" });
    await shop.reach(again, "Filling/pack");
    expect((await cancel(message_id)).text).toContain("Part was dispensed earlier; an open order was stopped.");
    expect(await statusOf(again.order_number)).toMatchObject({ order_status: "On Hold", exceptions: [{ id: 73 }] });
  });

  test("of one that was dispensed in full is denied, each time", async () => {
    const { message_id, prescription_id, order } = await ordered({ refills: 0 });
    await shop.reach(order, "Shipped");
    for (let time = 1; time <= 2; time++) {
      const { text } = await cancel(message_id);
      expect(text).toContain(
        "<Denied><DenialReason>Too late to cancel: all of it was dispensed earlier.</DenialReason>",
      );
      expect(await prescriptionRow(prescription_id)).toEqual({ active: true, units: 90 });
    }
  });

  test("and a step at the same moment: the order is stopped, and never ships afterwards", async () => {
    for (let round = 0; round < 8; round++) {
      const { message_id, order, order_number } = await ordered();
      await shop.reach(order, "Filling/pack");
      const [{ text }] = await Promise.all([
        cancel(message_id),
        shipOrder(app.deps, shop.work(order, staff.technician)).catch((error: unknown) => {
          if (!(error instanceof WorkRefusal)) throw error;
        }),
      ]);
      const { order_status } = await statusOf(order_number);
      expect(["On Hold", "Shipped"]).toContain(order_status);
      if (order_status === "On Hold") expect(text).toContain("An order in filling was stopped");
    }
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

/** A response that replaces the earlier prescription: an approved RxChange, or a renewal with "Replace". */
describe("a prescription that replaces an earlier one", () => {
  const replacements = {
    "an approved RxChange": { kind: "change", response: "approved" },
    "a Replace": { kind: "renewal", response: "replace" },
  } as const;
  const replace = async (kind: (typeof replacements)[keyof typeof replacements], of: Ordered) => {
    const message_id = `CX-${++number}`;
    const own = { ...prescription, ...of.dates, patient: { ...prescription.patient, ...of.patient } };
    const { status } = await intake.send(
      newMessage({
        envelope: { message_id, relates_to_message_id: of.message_id, prescriber_order_number: null },
        content: { ...kind, reason_codes: [], note: null, prescription: { ...own, sig_text: "Take one at night." } },
      }),
    );
    expect(status).toBe(200);
    const { rows } = await app.deps.db.raw("select prescription_id from prescription where sender_message_id = $1", [
      message_id,
    ]);
    return Number((rows[0] as { prescription_id: number }).prescription_id);
  };
  type Ordered = Awaited<ReturnType<typeof ordered>>;

  for (const [name, kind] of Object.entries(replacements)) {
    for (const stage of ["Processing/clinical_review", "Filling/fill", "Filling/pack"] as const) {
      test(`${name} stops an order at ${stage} with 73, and the new one can take its place`, async () => {
        const of = await ordered();
        await shop.reach(of.order, stage);
        const prescription_id = await replace(kind, of);
        expect(await prescriptionRow(of.prescription_id)).toMatchObject({ active: false });
        const held = await readOrder(app, of.order_number);
        expect([held.order_status, held.exceptions.map(({ id }) => id)]).toEqual(["On Hold", [73]]);
        const { order } = await acted(app, held, { event: "replace_prescription", prescription_id });
        expect([order.order_status, order.exceptions]).toEqual(["Processing", []]);
        expect(order.items[0]!.prescription_id).toBe(prescription_id);
      });
    }

    test(`${name} takes the place of one without a sig, and ends 69`, async () => {
      const of = await ordered({ sig_text: null });
      expect([of.order.order_status, of.order.exceptions.map(({ id }) => id)]).toEqual(["On Hold", [69]]);
      const prescription_id = await replace(kind, of);
      const order = await readOrder(app, of.order_number);
      expect([order.order_status, order.items[0]!.prescription_id]).toEqual(["Processing", prescription_id]);
      expect((await historyOf(app, of.order_number)).at(-1)).toBe("system resolve 69: On Hold > Processing");
      expect(await prescriptionRow(of.prescription_id)).toMatchObject({ active: false, units: 0 });
    });
  }
});
