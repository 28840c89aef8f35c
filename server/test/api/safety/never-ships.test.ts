import type { HoldableState, Order } from "@pestle/contract";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { shipOrder } from "../../../src/usecases/fulfillment/ship-order.ts";
import {
  approveReview,
  completeFill,
  rejectProduct,
  resolveException,
  verifyProduct,
} from "../../../src/usecases/fulfillment/steps.ts";
import { acted, readOrder } from "../../support/actions.ts";
import { expectBalanced } from "../../support/books.ts";
import { type Scene, scene } from "../../support/held-orders.ts";
import { footprint, orderOf, placed, post, prescribed } from "../../support/orders.ts";
import { addPatient, ask, goodDocument, patientCalls, stranger } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { lotsOf, scansOf, staff, workplace } from "../../support/workplace.ts";

/** Sequences by which a partner, a prescriber or the staff might ship what must never ship. */

let app: TestApp;
let shop: ReturnType<typeof workplace>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  shop = workplace(app);
});
afterEach(() => expectBalanced(app, 0));
afterAll(() => app.stop());

const { technician, pharmacist, other_pharmacist } = staff;
const open = ({ exceptions }: Order) => exceptions.map(({ id }) => id);
const now = async ({ order_number }: Order) => {
  const order = await readOrder(app, order_number);
  return [order.order_status, open(order)];
};
const tell = ({ patient_id }: Pick<Scene, "patient_id">, body: object) => patientCalls(app, patient_id).patch(body);
const conditions = (...health_conditions: string[]) => ({ patient_safety: { health_conditions } });
const man = (dob = "1985-04-02") => ({ ...stranger(), gender: "M" as const, dob });
const sildenafil = () => scene(app, { patient: man(), prescription: prescribed("sildenafil-50", 10, { refills: 3 }) });

const stages = ["Processing/clinical_review", "Filling/fill", "Filling/product_check", "Filling/pack"] as const;
const steps: Record<(typeof stages)[number], (order: Order) => Promise<Order>> = {
  "Processing/clinical_review": (order) => approveReview(app.deps, shop.work(order, pharmacist)),
  "Filling/fill": (order) => completeFill(app.deps, shop.work(order, technician), lotsOf(order)),
  "Filling/product_check": (order) => verifyProduct(app.deps, shop.work(order, other_pharmacist), scansOf(order)),
  "Filling/pack": (order) => shipOrder(app.deps, shop.work(order, technician)),
};
async function at(stage: HoldableState, set: Scene): Promise<Order> {
  const order = await placed(app, set.body);
  expect(open(order)).toEqual([]);
  return shop.reach(order, stage);
}

describe("a condition that the partner tells", () => {
  for (const stage of stages) {
    test(`at ${stage} stops the order at once, and the next step is refused`, async () => {
      const set = await sildenafil();
      const order = await at(stage, set);
      expect((await tell(set, conditions("heart attack last month"))).status).toBe(200);
      expect(await now(order)).toEqual(["On Hold", [75]]);
      await expect(steps[stage](order)).rejects.toMatchObject({ key: "not_now" });
    });
  }

  test.each([
    ["a misspelled word", "retinitus pigmentosa", true],
    ["invisible characters", "pri\u200bapism", true],
    ["full-width letters", "ｐｒｉａｐｉｓｍ", true],
    ["a code", "H35.52", true],
    ["a denial", "Priapism? No", false],
  ])("is understood as %s", async (_why, text, holds) => {
    const set = await sildenafil();
    const order = await placed(app, set.body);
    await tell(set, conditions(text));
    expect(await now(order)).toEqual(holds ? ["On Hold", [75]] : ["Processing", []]);
  });

  test("does not end with the removal of the entry, an empty list or a denial", async () => {
    const set = await sildenafil();
    await tell(set, conditions("retinitis pigmentosa"));
    const order = await placed(app, set.body);
    expect(open(order)).toEqual([75]);
    const { entries } = (await patientCalls(app, set.patient_id).read()).patient_safety;
    expect((await patientCalls(app, set.patient_id).removeEntry(entries.at(-1)!.entry_id)).status).toBe(204);
    await tell(set, conditions());
    await tell(set, conditions("no retinitis pigmentosa"));
    expect(await now(order)).toEqual(["On Hold", [75]]);
    await expect(steps["Processing/clinical_review"](order)).rejects.toMatchObject({ key: "not_now" });
  });

  test("that is worse than the one a pharmacist resolved holds the order again", async () => {
    const set = await sildenafil();
    await tell(set, conditions("priapism"));
    const order = await placed(app, set.body);
    await resolveException(app.deps, shop.work(order, pharmacist), 75, "Years ago.", "benefit_outweighs_risk");
    expect(await now(order)).toEqual(["Processing", []]);
    await tell(set, conditions("priapism", "retinitis pigmentosa"));
    expect(await now(order)).toEqual(["On Hold", [75]]);
  });
});

describe("a diagnosis in a prescription", () => {
  const diagnoses = [{ code: "H3552", system: "icd10cm", description: null }];

  test("holds its own order", async () => {
    const set = await sildenafil();
    const prescription_id = await set.another({ diagnoses });
    const order = await placed(app, { ...set.body, items: [{ prescription_id, package_size: 10 }] });
    expect(open(order)).toEqual([75]);
  });

  test("of another drug holds the open order, and the partner cannot remove it", async () => {
    const set = await sildenafil();
    const order = await at("Filling/pack", set);
    await set.another({ ...prescribed("atorvastatin-20", 90), diagnoses });
    expect(await now(order)).toEqual(["On Hold", [75]]);
    const { entries } = (await patientCalls(app, set.patient_id).read()).patient_safety;
    const entry = entries.find(({ kind }) => kind === "condition")!;
    expect(entry).toMatchObject({ source: "prescriber", text: "H3552" });
    expect((await patientCalls(app, set.patient_id).removeEntry(entry.entry_id)).status).toBe(422);
  });

  test("that the tables have no rule for is no finding", async () => {
    const set = await scene(app, {
      prescription: { diagnoses: [{ code: "Z0000", system: "icd10cm", description: null }] },
    });
    const order = await placed(app, set.body);
    const { found } = await shop.load(order);
    expect(found.filter(({ kind }) => kind === "condition")).toEqual([]);
  });
});

describe("the patient's sex", () => {
  const finasteride = (patient: object) => scene(app, { patient, prescription: prescribed("finasteride-1", 30) });

  for (const stage of stages) {
    test(`corrected at ${stage} stops what is not for a woman`, async () => {
      const set = await finasteride(man());
      const order = await at(stage, set);
      expect((await tell(set, { gender: "F" })).status).toBe(200);
      expect(await now(order)).toEqual(["On Hold", [75]]);
    });
  }

  test("changed by the partner does not end the hold", async () => {
    const set = await finasteride({ ...man(), gender: "F" });
    const order = await placed(app, set.body);
    expect(open(order)).toEqual([75]);
    await tell(set, { gender: "M" });
    expect(await now(order)).toEqual(["On Hold", [75]]);
  });
});

describe("two drugs that must not meet", () => {
  test("ordered at the same moment never both ship", async () => {
    const set = await scene(app, { prescription: prescribed("sertraline-50", 90) });
    const phenelzine = await set.another(prescribed("phenelzine-15", 60));
    const other = { ...set.body, items: [{ prescription_id: phenelzine, package_size: 60 }], reference: "other" };
    const orders = await Promise.all([placed(app, set.body), placed(app, other)]);
    const reached = await Promise.allSettled(orders.map((order) => shop.reach(order, "Shipped")));
    expect(reached.filter(({ status }) => status === "fulfilled").length).toBeLessThan(2);
  });

  test("stay apart if the first is canceled and ordered again", async () => {
    const set = await scene(app, { prescription: prescribed("sertraline-50", 90) });
    await tell(set, { patient_safety: { medications: ["Nardil"] } });
    const first = await placed(app, set.body);
    await acted(app, first, { event: "cancel" });
    const again = await placed(app, { ...set.body, reference: "again" });
    expect(open(again)).toContain(75);
  });
});

describe("a lot", () => {
  test("that expired since it was filled does not leave the pharmacy", async () => {
    for (const stage of ["Filling/product_check", "Filling/pack"] as const) {
      const order = await at(stage, await scene(app));
      await app.deps.db.raw("update item_lot set expires_on = current_date - 1 where order_number = $1", [
        order.order_number,
      ]);
      await expect(steps[stage](order)).rejects.toMatchObject({ key: "lot_expired" });
      // A pharmacist sends it back, and it ships with another lot.
      const back = await rejectProduct(app.deps, shop.work(order, pharmacist), "The lot has expired.");
      expect(back.order_status).toBe("Filling");
      for (const step of ["Filling/fill", "Filling/product_check", "Filling/pack"] as const) await steps[step](order);
      expect(await now(order)).toEqual(["Shipped", []]);
    }
  });
});

describe("bad input", () => {
  const refused = async (send: () => Promise<{ status: number }>) => {
    const before = await footprint(app);
    expect((await send()).status).toBe(422);
    expect(await footprint(app)).toEqual(before);
  };

  test.each([
    ["10,000 allergies", { patient_safety: { allergies: Array.from({ length: 10_000 }, (_, n) => `a${n}`) } }],
    ["an allergy of 50 KB", { patient_safety: { allergies: ["a".repeat(50_000)] } }],
    ["a condition with control characters", { patient_safety: { health_conditions: ["preg\u0000nant"] } }],
    ["an allergy that is a number", { patient_safety: { allergies: [5] } }],
    ["a list that is a text", { patient_safety: { allergies: "penicillin" } }],
    ["a birth date", { dob: "2001-01-01" }],
    ["a negative weight", { weight_kg: -3 }],
    ["a name", { first_name: "Somebody" }],
  ])("in a PATCH changes nothing: %s", async (_why, body) => {
    const { patient_id } = await addPatient(app, { patient: stranger() });
    await refused(() => patientCalls(app, patient_id).patch(body));
  });

  test.each([
    ["a birth date in the future", { patient: { dob: "2099-01-01" } }],
    ["a birth date before 1900", { patient: { dob: "1850-01-01" } }],
    ["a quantity of 0", { item: { quantity: 0 } }],
    ["a negative quantity", { item: { quantity: -1 } }],
    ["a quantity of 10,000", { item: { quantity: 10_000 } }],
    ["a negative package size", { item: { package_size: -90 } }],
    ["more than was written", { item: { package_size: 500_000 } }],
    [
      "10,000 allergies",
      { patient: { patient_safety: { allergies: Array.from({ length: 10_000 }, (_, n) => `a${n}`) } } },
    ],
  ])("in an order creates nothing: %s", async (_why, changes: { patient?: object; item?: object }) => {
    const set = await scene(app);
    const body = orderOf(set);
    await refused(() =>
      post(app, {
        ...body,
        patient: { ...body.patient, ...changes.patient },
        items: [{ ...body.items[0], ...changes.item }],
      }),
    );
  });

  test("a prescription of another patient is refused", async () => {
    const [mine, theirs] = [await scene(app), await scene(app)];
    await refused(() => post(app, { ...mine.body, items: theirs.body.items }));
  });

  test("directions of 50 KB hold the order", async () => {
    const set = await scene(app, { prescription: { sig_text: "take 1 tablet daily ".repeat(2_500) } });
    const order = await placed(app, set.body);
    expect(open(order)).toEqual([69]);
    await expect(steps["Processing/clinical_review"](order)).rejects.toMatchObject({ key: "not_now" });
  });
});

test("a controlled drug waits for the document, and the partner's verify does not replace it", async () => {
  const set = await scene(app, { prescription: prescribed("zolpidem-5", 30, { refills: 1 }) });
  const { status, text } = await ask(app, "/orders", set.body);
  expect([status, text.includes("4220")]).toEqual([422, true]);
  const order = await placed(app, {
    ...set.body,
    patient: { ...set.body.patient, identity_documents: [goodDocument] },
  });
  await tell(set, conditions("sleepwalking on Ambien"));
  expect(await now(order)).toEqual(["On Hold", [75]]);
});
