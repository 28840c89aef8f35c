import type { ExceptionId, HoldableState, Order } from "@pestle/contract";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findRecheckDue } from "../../../src/db/orders/rechecks.ts";
import { savePatient } from "../../../src/db/patients/patients.ts";
import { decideChange, type Outcome } from "../../../src/domain/orders/order-change.ts";
import { shipOrder } from "../../../src/usecases/fulfillment/ship-order.ts";
import {
  approveReview,
  cancelWithReason,
  completeFill,
  resolveException,
  verifyProduct,
} from "../../../src/usecases/fulfillment/steps.ts";
import { WorkRefusal } from "../../../src/usecases/fulfillment/work-refusal.ts";
import { recheckDue } from "../../../src/usecases/orders/recheck-orders.ts";
import { patientRow } from "../../../src/usecases/patients/patient-rows.ts";
import { act, acted, eventsOf, expectRefused, historyOf, linesOf, readOrder } from "../../support/actions.ts";
import { expectBalanced } from "../../support/books.ts";
import { useCardProvider } from "../../support/card-provider.ts";
import { type Scene, scene } from "../../support/held-orders.ts";
import { placed, prescribed } from "../../support/orders.ts";
import { ask, goodAddress, goodDocument, patientCalls, stranger } from "../../support/patient.ts";
import { patientKeyOf } from "../../support/patient-key.ts";
import { simulate } from "../../support/simulate.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { webPerson } from "../../support/web.ts";
import { lotsOf, scansOf, staff, workplace } from "../../support/workplace.ts";

/** The checks run again, on the current facts, before every step that brings a package nearer to the patient. */

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
const amoxicillin = () =>
  scene(app, { prescription: prescribed("amoxicillin-500", 21, { allergies: [], refills: 5 }) });
const tell = ({ patient_id }: Pick<Scene, "patient_id">, patient_safety: Record<string, string[]>) =>
  patientCalls(app, patient_id).patch({ patient_safety });

/** Each stage before shipping, with the step that leads out of it. */
const stages = [
  "Processing/clinical_review",
  "Filling/fill",
  "Filling/product_check",
  "Filling/pack",
] as const satisfies readonly HoldableState[];
const steps: Record<HoldableState, (order: Order) => Promise<Order>> = {
  "Processing/clinical_review": (order) => approveReview(app.deps, shop.work(order, pharmacist)),
  "Filling/fill": (order) => completeFill(app.deps, shop.work(order, technician), lotsOf(order)),
  "Filling/product_check": (order) => verifyProduct(app.deps, shop.work(order, other_pharmacist), scansOf(order)),
  "Filling/pack": (order) => shipOrder(app.deps, shop.work(order, technician)),
};

async function at(stage: HoldableState, set: Scene, changes: Record<string, unknown> = {}): Promise<Order> {
  const order = await placed(app, { ...set.body, ...changes });
  expect(open(order)).toEqual([]);
  return shop.reach(order, stage);
}
const expectHeld = async ({ order_number }: Order, ids: ExceptionId[], from: HoldableState) => {
  const order = await readOrder(app, order_number);
  expect([order.order_status, open(order)]).toEqual(["On Hold", ids]);
  expect((await shop.load(order)).standing.held_from).toBe(from);
};

describe("a safety fact that is added to the patient", () => {
  for (const stage of stages) {
    test(`by PATCH holds an order at ${stage} at once, and the next step is refused`, async () => {
      const set = await amoxicillin();
      const order = await at(stage, set);
      const events = await eventsOf(app, order.order_number);
      expect((await tell(set, { allergies: ["penicillin"] })).status).toBe(200);
      await expectHeld(order, [74], stage);
      expect((await historyOf(app, order.order_number)).at(-1)).toMatch(/^system raise_exception 74: \w+ > On Hold$/);
      const news = linesOf(await eventsOf(app, order.order_number)).slice(events.length);
      expect(news.map((line) => line.replace(/^\d+ /, ""))).toEqual([
        "RX_UPDATED",
        `ORDER_UPDATED ${stage.split("/")[0]} > On Hold`,
        "ORDER_EXCEPTION 74",
      ]);
      await expect(steps[stage](order)).rejects.toMatchObject({ key: "not_now" });
      // A pharmacist looks at it, and the order continues at the stage where it was.
      await resolveException(app.deps, shop.work(order, pharmacist), 74, "Tolerated in 2024.", "previously_tolerated");
      const { standing } = await shop.load(order);
      expect(standing.state).toBe(stage);
      await steps[stage](order);
      expect((await shop.load(order)).standing.state).not.toBe(stage);
    });
  }

  test("a medication by PATCH raises 75", async () => {
    const set = await scene(app, { prescription: prescribed("sertraline-50", 90) });
    const order = await at("Filling/pack", set);
    await tell(set, { medications: ["phenelzine"] });
    await expectHeld(order, [75], "Filling/pack");
  });

  test("with another order holds the open one too", async () => {
    const set = await amoxicillin();
    const order = await at("Filling/pack", set);
    const prescription_id = await set.another(prescribed("atorvastatin-20", 90, { allergies: [] }));
    const other = await placed(app, {
      ...set.body,
      patient: { ...set.body.patient, patient_safety: { allergies: ["amoxicillin"] } },
      items: [{ prescription_id, package_size: 90 }],
    });
    expect(open(other)).toEqual([]);
    await expectHeld(order, [74], "Filling/pack");
  });

  test("with a new prescription holds the open order too", async () => {
    const set = await amoxicillin();
    const order = await at("Filling/product_check", set);
    const allergies = [{ text: "penicillin", codes: [], reaction: null, severity: null }];
    await set.another(prescribed("atorvastatin-20", 90, { allergies }));
    await expectHeld(order, [74], "Filling/product_check");
  });

  test("with a simulated prescription holds the open order too", async () => {
    const set = await amoxicillin();
    const order = await at("Filling/fill", set);
    const { status } = await simulate(app, "prescription", {
      patient: { patient_id: set.patient_id, allergies: ["penicillin"] },
    });
    expect(status).toBe(202);
    await expectHeld(order, [74], "Filling/fill");
  });

  test("holds every open order of the patient, and no other order", async () => {
    const set = await amoxicillin();
    const order = await at("Filling/fill", set);
    const again = await placed(app, { ...set.body, reference: "again" });
    expect(open(again)).toEqual([68]);
    const stranger = await at("Filling/fill", await amoxicillin());
    await tell(set, { allergies: ["penicillin"] });
    await expectHeld(order, [74], "Filling/fill");
    await expectHeld(again, [68, 74], "Processing/clinical_review");
    expect((await readOrder(app, stranger.order_number)).order_status).toBe("Filling");
  });

  test("that only warns holds nothing, and the pharmacist sees it", async () => {
    const set = await amoxicillin();
    const order = await at("Filling/fill", set);
    const { revision } = await shop.load(order);
    await tell(set, { allergies: ["lactose"] });
    const loaded = await shop.load(order);
    expect([loaded.standing.state, loaded.revision]).toEqual(["Filling/fill", revision]);
    expect(loaded.found.map(({ kind }) => kind)).toContain("allergy");
  });

  for (const finish of ["step", "job"] as const) {
    test(`from a process that ended before it ran the checks holds the order at the next ${finish}`, async () => {
      const set = await amoxicillin();
      const order = await at("Filling/pack", set);
      const { record, rules } = await shop.load(order);
      const patient_safety = { ...record.patient_safety, allergies: ["penicillin"] };
      const patient_key = await patientKeyOf(app, shop.account_id, set.patient_id);
      const row = patientRow(app.deps, shop.account_id, patient_key, { ...record, patient_safety }, rules.now);
      await app.deps.db.transaction((tx) => savePatient(tx, { ...row, message_channels: [], recheck_due: true }));
      const due = () => findRecheckDue(app.deps.db, shop.account_id, patient_key);
      expect(await due()).toBeDefined();
      if (finish === "step") expect(open(await steps["Filling/pack"](order))).toEqual([74]);
      else await recheckDue(app.deps);
      await expectHeld(order, [74], "Filling/pack");
      await recheckDue(app.deps);
      expect(await due()).toBeUndefined();
    });
  }
});

describe("a step whose checks find something new", () => {
  /** Facts that no request reported: only the step can find them. */
  const unseen = async ({ prescription_id }: Scene) =>
    app.deps.db.raw(
      "update prescription set sig_text = '', prescriber_name = 'A', written_sealed = null where prescription_id = $1",
      [prescription_id],
    );

  for (const stage of stages) {
    test(`holds the order instead of leaving ${stage}, and keeps what was done`, async () => {
      const set = await scene(app);
      const order = await at(stage, set);
      const before = await shop.load(order);
      await unseen(set);
      const stopped = await steps[stage](order);
      expect([stopped.order_status, open(stopped)]).toEqual(["On Hold", [69]]);
      await expectHeld(order, [69], stage);
      const after = await shop.load(order);
      expect([after.row.filled_by, after.details, after.order.shipments]).toEqual([
        before.row.filled_by,
        before.details,
        [],
      ]);
      const [line] = (await shop.history(order)).slice(-1);
      expect(line).toMatchObject({ actor: "system", person_id: null, event: "raise_exception", exception_id: 69 });
      await resolveException(
        app.deps,
        shop.work(order, pharmacist),
        69,
        "Called the practice: one daily.",
        "previously_tolerated",
      );
      // The same finding does not hold it again, at this step or at a later one.
      const shipped = await shop.reach(await readOrder(app, order.order_number), "Shipped");
      expect(shipped.order_status).toBe("Shipped");
    });
  }

  test("moves no money and makes no label", async () => {
    const provider = useCardProvider(app);
    const set = await scene(app);
    const order = await at("Filling/pack", set, { payment: { payer: "patient", token: "tok_visa" } });
    await unseen(set);
    const stopped = await steps["Filling/pack"](order);
    expect([open(stopped), stopped.payment.status]).toEqual([[69], "authorized"]);
    expect(provider.booksOf(order.order_number).taken).toBe(0);
  });

  test("says so on the dashboard, also in a bulk request", async () => {
    const web = await webPerson(app, "technician");
    const set = await scene(app);
    const order = await at("Filling/fill", set);
    await unseen(set);
    const path = `/dashboard/orders/${shop.account_id}/${order.order_number}/work`;
    const { status, body } = await web.send("POST", path, { event: "complete_fill", items: lotsOf(order) });
    expect([status, body.state, body.held_from]).toEqual([200, "On Hold", "Filling/fill"]);
    expect(body.exceptions).toMatchObject([{ id: 69, name: "Sig Requires Clarification" }]);
    const other = await scene(app);
    const packed = await at("Filling/pack", other);
    await unseen(other);
    const orders = [{ account_id: shop.account_id, order_number: packed.order_number }];
    const bulk = await web.send("POST", "/dashboard/bulk", { event: "ship", orders });
    expect(bulk.body).toMatchObject({ done: 0, results: [{ done: false, key: "held" }] });
  });
});

test("a step runs the safety check once", async () => {
  const loaded = await shop.load(await at("Filling/pack", await scene(app)));
  const runs = (outcome: Outcome) => {
    let count = 0;
    const safety = {
      get data() {
        count++;
        return (loaded.rules.safety as { data: never }).data;
      },
    };
    expect(decideChange(loaded, outcome, { ...loaded.rules, safety }).open).toEqual([]);
    return count;
  };
  const once = runs({});
  expect(once).toBeGreaterThan(0);
  expect(runs({ event: "ship", after: { order: { ...loaded.order, captured_cents: 1 } } })).toBe(once);
});

describe("a prescription that ended under an open order", () => {
  const expire = ({ prescription_id }: Scene) =>
    app.deps.db.raw("update prescription set expires_at = now() - interval '1 hour' where prescription_id = $1", [
      prescription_id,
    ]);

  for (const stage of stages) {
    test(`by expiry holds it with 73 instead of leaving ${stage}`, async () => {
      const set = await scene(app);
      const order = await at(stage, set);
      await expire(set);
      expect(open(await steps[stage](order))).toEqual([73]);
      await expectHeld(order, [73], stage);
      await expect(
        resolveException(app.deps, shop.work(order, pharmacist), 73, "Let it go.", "previously_tolerated"),
      ).rejects.toMatchObject({
        key: "cause_remains",
      });
      const prescription_id = await set.another();
      const { order: freed } = await acted(app, order, { event: "replace_prescription", prescription_id });
      // Packages and labels can have the old directions: a pharmacist reviews again, and the order is filled again.
      expect([freed.order_status, open(freed)]).toEqual(["Processing", []]);
      const { standing, row, details } = await shop.load(order);
      expect([standing.state, row.filled_by, details.map(({ lot }) => lot)]).toEqual([
        "Processing/clinical_review",
        null,
        [null],
      ]);
    });
  }

  for (const [why, columns] of [
    ["a cancellation", "active = false"],
    ["a rejection", "acceptance = 'rejected'"],
    ["expiry", "expires_at = now() - interval '1 hour'"],
  ]) {
    test(`by ${why} ships for no role. The partner replaces the prescription or cancels, and the pharmacy cancels`, async () => {
      const set = await scene(app);
      const order = await at("Filling/pack", set);
      await app.deps.db.raw(`update prescription set ${columns} where prescription_id = $1`, [set.prescription_id]);
      expect(open(await steps["Filling/pack"](order))).toEqual([73]);
      for (const by of Object.values(staff)) {
        const resolve = resolveException(app.deps, shop.work(order, by), 73, "Let it go.", "prescriber_consulted");
        await expect(resolve).rejects.toMatchObject({ key: "cause_remains" });
        await expect(shipOrder(app.deps, shop.work(order, by))).rejects.toMatchObject({ key: "not_now" });
      }
      const { exception } = await readOrder(app, order.order_number);
      const offered = exception!.order_actions.map(({ event_key }) => event_key);
      expect(offered).toEqual(["replace_prescription", "cancel"]);
      const again = { event: "replace_prescription", prescription_id: set.prescription_id };
      expect((await act(app, order.order_number, again)).status).toBe(422);
      const canceled = await cancelWithReason(app.deps, shop.work(order, staff.technician), "No prescription.");
      expect(canceled.order_status).toBe("Canceled");
    });
  }

  test("by expiry: the job holds it without a step", async () => {
    const set = await scene(app);
    const order = await at("Filling/fill", set);
    await expire(set);
    await recheckDue(app.deps);
    await expectHeld(order, [73], "Filling/fill");
  });

  test("six months after it was written, for schedules 3 and 4, even if it is valid for longer", async () => {
    const set = await scene(app, { prescription: prescribed("zolpidem-5", 30, { refills: 2 }) });
    const order = await at("Filling/pack", set, {
      patient: { ...set.body.patient, identity_documents: [goodDocument] },
    });
    await app.deps.db.raw(
      "update prescription set written_date = written_date - 190, expires_at = now() + interval '90 days' where prescription_id = $1",
      [set.prescription_id],
    );
    expect(open(await steps["Filling/pack"](order))).toEqual([73]);
    const again = await ask(app, "/orders", { ...set.body, reference: "again" });
    expect(again.text).toContain("42257");
  });

  test("offers the partner to remove the item, or another prescription", async () => {
    const set = await scene(app);
    const order = await placed(app, { ...set.body, items: [set.body.items[0], { sku: "pill-organizer" }] });
    await expire(set);
    await recheckDue(app.deps);
    const { exceptions } = await readOrder(app, order.order_number);
    expect(exceptions[0]!.order_actions.map(({ event_key }) => event_key)).toEqual([
      "replace_prescription",
      "remove_item",
      "cancel",
    ]);
    const { order: left } = await acted(app, order, { event: "remove_item", item_id: 1 });
    expect([left.order_status, left.items.length]).toEqual(["Processing", 1]);
  });
});

describe("a hold that only a pharmacist may end", () => {
  const allergic = async () => {
    const set = await amoxicillin();
    await tell(set, { allergies: ["penicillin"] });
    const order = await placed(app, set.body);
    expect(open(order)).toEqual([74]);
    return { set, order };
  };
  /** The record without the allergy, however a partner achieves that. */
  const withoutAllergy = (set: Scene) => tell(set, { allergies: ["none known"] });

  test("stays open when the allergy is removed from the record, with its finding", async () => {
    const { set, order } = await allergic();
    await withoutAllergy(set);
    await expectHeld(order, [74], "Processing/clinical_review");
    expect((await shop.load(order)).found.map(({ exception_id }) => exception_id)).toContain(74);
    await expect(resolveException(app.deps, shop.work(order, technician), 74, "It is gone.")).rejects.toMatchObject({
      key: "pharmacist_needed",
    });
    await resolveException(
      app.deps,
      shop.work(order, pharmacist),
      74,
      "The patient never had it.",
      "previously_tolerated",
    );
    expect((await readOrder(app, order.order_number)).order_status).toBe("Processing");
  });

  test("stays open after every action and change that a partner can send", async () => {
    const { set, order } = await allergic();
    await withoutAllergy(set);
    await ask(app, `/orders/${order.order_number}/shipping_address`, goodAddress, { method: "PUT" });
    await patientCalls(app, set.patient_id).patch({ email: "other@quill.example" });
    await expectHeld(order, [74], "Processing/clinical_review");
    await expectRefused(app, order, { event: "verify" }, [[42462, "event"]]);
    await expectRefused(app, order, { event: "release" }, [[42463, "event"]]);
    await expectRefused(app, order, { event: "confirm_address" }, [[42463, "event"]]);
  });

  test("stays open when the other drug's order is canceled", async () => {
    const set = await scene(app, { prescription: prescribed("phenelzine-15", 60) });
    const first = await placed(app, set.body);
    const prescription_id = await set.another(prescribed("sertraline-50", 90));
    const order = await placed(app, { ...set.body, items: [{ prescription_id, package_size: 90 }] });
    expect(open(order)).toEqual([75]);
    await acted(app, first, { event: "cancel" });
    await ask(app, `/orders/${order.order_number}/shipping_address`, goodAddress, { method: "PUT" });
    await expectHeld(order, [75], "Processing/clinical_review");
  });

  test("is not the case for holds that a partner repairs", async () => {
    const set = await scene(app, { patient: { address: null } });
    const order = await placed(app, set.body);
    expect(open(order)).toEqual([66]);
    const { order: freed } = await acted(app, order, { event: "update_address", address: goodAddress });
    expect([freed.order_status, open(freed)]).toEqual(["Processing", []]);
  });
});

test("a finding that a pharmacist resolved does not hold the order again when another one ends", async () => {
  const set = await amoxicillin();
  await tell(set, { allergies: ["penicillin", "amoxicillin"] });
  const order = await placed(app, set.body);
  await resolveException(app.deps, shop.work(order, pharmacist), 74, "Tolerated in 2024.", "previously_tolerated");
  await tell(set, { allergies: ["penicillin"] });
  expect((await readOrder(app, order.order_number)).order_status).toBe("Processing");
  await tell(set, { allergies: ["penicillin", "amoxicillin"] });
  const shipped = await shop.reach(await readOrder(app, order.order_number), "Shipped");
  expect(shipped.order_status).toBe("Shipped");
});

describe("the patient's name in an order", () => {
  const named = async (sent: Record<string, string>, suffix: string | null = null) => {
    const { last_name, ...contact } = stranger();
    const set = await scene(app, { patient: { ...contact, first_name: "Maribel", last_name, suffix } });
    const told = { ...sent, ...(sent["last_name"] && { last_name: sent["last_name"].replace("LAST", last_name) }) };
    return placed(app, { ...set.body, patient: { ...set.body.patient, ...told } });
  };

  for (const [why, sent] of Object.entries({
    "another person": { first_name: "Somebody", last_name: "Else" },
    "another first name": { first_name: "Ines", last_name: "LAST" },
    "another last name": { first_name: "Maribel", last_name: "LASTson" },
  })) {
    test(`holds the order with 71 for a person: ${why}`, async () => {
      const order = await named(sent);
      expect([order.order_status, open(order)]).toEqual(["On Hold", [71]]);
      const { dob } = (await shop.load(order)).record;
      await expectRefused(app, order, { event: "verify", dob }, [[42462, "event"]]);
      const done = await resolveException(app.deps, shop.work(order, technician), 71, "Called: she married.");
      expect(done.order_status).toBe("Processing");
    });
  }

  for (const [why, sent, suffix] of [
    ["the same", { first_name: "Maribel", last_name: "LAST" }],
    ["another case and accents", { first_name: "MARIBÉL", last_name: "LAST" }],
    ["only one of them", { first_name: "Maribel" }],
    ["an initial", { first_name: "M", last_name: "LAST" }],
    ["with the middle name", { first_name: "Maribel Luz", last_name: "LAST" }],
    ["with the suffix", { first_name: "Maribel", last_name: "LAST Jr" }, "Jr"],
  ] as const) {
    test(`does not hold it: ${why}`, async () => {
      expect(open(await named(sent, suffix))).toEqual([]);
    });
  }

  test("with another birth date too is still for a person", async () => {
    const order = await named({ first_name: "Somebody", last_name: "Else", dob: "1957-03-09" });
    expect(open(order)).toEqual([71]);
    const { dob } = (await shop.load(order)).record;
    await expectRefused(app, order, { event: "verify", dob }, [[42462, "event"]]);
  });
});

describe("a step at the same moment as a new allergy", () => {
  for (const stage of stages) {
    test(`never leaves ${stage} after the allergy is on record`, async () => {
      for (let round = 0; round < 8; round++) {
        const set = await amoxicillin();
        const order = await at(stage, set);
        const [patched, stepped] = await Promise.all([
          tell(set, { allergies: ["penicillin"] }),
          steps[stage](order).catch((error: unknown) => {
            if (error instanceof WorkRefusal) return null;
            throw error;
          }),
        ]);
        expect(patched.status).toBe(200);
        const now = await readOrder(app, order.order_number);
        // Either the step came first, and the order is held at the next stage unless it has shipped, or it did not happen.
        if (now.order_status === "Shipped") expect(stepped?.order_status).toBe("Shipped");
        else expect([now.order_status, open(now)]).toEqual(["On Hold", [74]]);
      }
    });
  }
});

test("an action cannot slip past the checks: a release lets nothing pass that is on record", async () => {
  const set = await amoxicillin();
  const order = await at("Filling/pack", set);
  await acted(app, order, { event: "hold" });
  await tell(set, { allergies: ["penicillin"] });
  const { body } = await act(app, order.order_number, { event: "release" });
  expect(open(body.order)).toEqual([74]);
});
