import { type ExceptionId, exceptionIds, exceptionRow, type Order, overrideCodes } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claimOrder, readNotes } from "../../../src/usecases/fulfillment/claim-order.ts";
import {
  approveReview,
  raiseException,
  resolveException,
  type Worker,
} from "../../../src/usecases/fulfillment/steps.ts";
import type { WorkRefusalKey } from "../../../src/usecases/fulfillment/work-refusal.ts";
import { held } from "../../support/held-orders.ts";
import { newOrder, placed, prescribed } from "../../support/orders.ts";
import { patientCalls } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { type Numbered, staff, workplace } from "../../support/workplace.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const { technician, pharmacist, lead, admin } = staff;
const people: readonly Worker[] = [technician, pharmacist, lead, admin];
/** The name that history gives to a person who closes an exception. */
const named: Record<Worker["role"], string> = {
  technician: "operator",
  pharmacist: "pharmacist",
  lead: "pharmacist",
  admin: "operator",
};
const isPharmacist = ({ role }: Worker) => role === "pharmacist" || role === "lead";
const CODE = "prescriber_consulted";

type Shop = ReturnType<typeof workplace>;
async function expectRefused(shop: Shop, order: Numbered, by: Worker, id: ExceptionId, key: WorkRefusalKey) {
  const before = await shop.everything(order);
  await expect(resolveException(app.deps, shop.work(order, by), id, "Looked into it.", CODE)).rejects.toMatchObject({
    key,
  });
  expect(await shop.everything(order)).toEqual(before);
}

/** Closed by a person: with the reason, and not raised again by later checks. */
async function expectEnded(shop: Shop, order: Numbered, by: Worker, id: ExceptionId): Promise<void> {
  const ended = await resolveException(app.deps, shop.work(order, by), id, "Looked into it.", CODE);
  expect([ended.order_status, ended.exceptions]).toEqual(["Processing", []]);
  expect((await shop.history(order)).at(-1)).toEqual({
    actor: named[by.role],
    person_id: by.person_id,
    event: "resolve",
    from: "On Hold",
    to: "Processing",
    stage: "clinical_review",
    exception_id: id,
  });
  const written = await shop.rows(
    `select e.resolved_by, h.event
    from order_exception e
    join order_history h using (account_id, order_number)
    where order_number = $1 and e.exception_id = $2 and h.note_id is not null and h.event = 'resolve'`,
    order.order_number,
    id,
  );
  expect(written).toEqual([{ resolved_by: by.person_id, event: "resolve" }]);
  const notes = await readNotes(app.deps, shop.account_id, order.order_number);
  expect(notes.at(-1)).toMatchObject({ person_id: by.person_id, role: named[by.role], reason: "Looked into it." });
  await shop.act(order, { event: "hold" });
  expect((await shop.act(order, { event: "release" })).order.exceptions).toEqual([]);
}

describe("an exception that its rule raised", () => {
  for (const id of exceptionIds) {
    const { name, overridden_by } = exceptionRow(id);
    for (const by of people) {
      const refusal: WorkRefusalKey | null =
        overridden_by === "nobody"
          ? "cause_remains"
          : overridden_by === "pharmacist" && !isPharmacist(by)
            ? "pharmacist_needed"
            : null;
      test(`${id} ${name}, a ${by.role}: ${refusal ?? "may close it with a reason"}`, async () => {
        const { order, partner } = await held[id](app);
        expect(order.exceptions.map((one) => one.id)).toEqual([id]);
        const shop = workplace(app, partner);
        if (refusal === null) await expectEnded(shop, order, by, id);
        else await expectRefused(shop, order, by, id, refusal);
      });
    }
  }

  const gone: { [Id in ExceptionId]?: (order: Order) => Promise<unknown> } = {
    69: ({ items: [item] }) =>
      app.deps.db.raw(
        "update prescription set sig_text = 'Take one daily.', prescriber_name = 'A', written_sealed = null where prescription_id = $1",
        [item!.prescription_id],
      ),
  };
  for (const [id, remove] of Object.entries(gone)) {
    test(`can be closed by any pharmacy role once its cause is gone: ${id}`, async () => {
      const { order } = await held[Number(id) as ExceptionId](app);
      await remove(order);
      await expectEnded(workplace(app), order, technician, Number(id) as ExceptionId);
      const notes = await readNotes(app.deps, workplace(app).account_id, order.order_number);
      // Nothing was overridden, so there is nothing to sign.
      expect(notes.at(-1)).toMatchObject({ overridden: [], signature_holds: null });
    });
  }
});

describe("an exception that a person raised", () => {
  for (const id of exceptionIds) {
    for (const by of people) {
      const needs_pharmacist = exceptionRow(id).overridden_by === "pharmacist" && !isPharmacist(by);
      test(`${id}: a ${by.role} may ${needs_pharmacist ? "raise it, and not close it" : "raise it and close it"}`, async () => {
        const shop = workplace(app);
        const order = await placed(app, (await newOrder(app)).body);
        const raised = await raiseException(app.deps, shop.work(order, by), id, "It looks odd.");
        expect(raised.exceptions.map((one) => one.id)).toEqual([id]);
        const before = await shop.everything(order);
        await expect(raiseException(app.deps, shop.work(order, by), id, "Again.")).rejects.toMatchObject({
          key: "open_already",
        });
        expect(await shop.everything(order)).toEqual(before);
        // No check closes it, however often the checks run: only a person closes what a person raised.
        await raiseException(app.deps, shop.work(order, by), id === 64 ? 77 : 64, "Held.");
        const still = await resolveException(app.deps, shop.work(order, by), id === 64 ? 77 : 64, "Called.");
        expect(still.exceptions.map((one) => one.id)).toEqual([id]);
        if (needs_pharmacist) await expectRefused(shop, order, by, id, "pharmacist_needed");
        else await resolveException(app.deps, shop.work(order, by), id, "Looked into it.", CODE);
      });
    }
  }

  test("needs a reason to raise and to close; one that is not open cannot be closed", async () => {
    const shop = workplace(app);
    const order = await placed(app, (await newOrder(app)).body);
    const before = await shop.everything(order);
    const work = shop.work(order, pharmacist);
    for (const reason of ["", " ", "x".repeat(501), "a\tb"]) {
      await expect(raiseException(app.deps, work, 69, reason)).rejects.toThrow("Write 1 to");
    }
    await expect(resolveException(app.deps, work, 69, "Fine.")).rejects.toMatchObject({ key: "not_open" });
    expect(await shop.everything(order)).toEqual(before);
    await raiseException(app.deps, work, 69, "Unreadable.");
    const raised = await shop.everything(order);
    await expect(resolveException(app.deps, work, 69, " ")).rejects.toThrow("Write 1 to");
    await expect(resolveException(app.deps, work, 70, "Fine.")).rejects.toMatchObject({ key: "not_open" });
    expect(await shop.everything(order)).toEqual(raised);
  });
});

const allergic = async (allergies: string[] = []) => {
  const { body, patient_id } = await newOrder(app, {
    prescription: prescribed("amoxicillin-500", 21, { allergies: [] }),
  });
  const tell = (all: string[]) => patientCalls(app, patient_id).patch({ patient_safety: { allergies: all } });
  await tell(allergies);
  return { order: await placed(app, body), tell };
};

describe("an override of the safety engine", () => {
  test("is signed with user, time, findings and reason, and any change to these is detected", async () => {
    for (const id of [74, 75] as const) {
      const { order } = await held[id](app);
      const shop = workplace(app);
      await resolveException(app.deps, shop.work(order, pharmacist), id, "The prescriber knows.", CODE);
      const read = () => readNotes(app.deps, shop.account_id, order.order_number);
      const [note] = await read();
      expect(note).toMatchObject({ overridden: [id], role: "pharmacist", signature_holds: true });
      expect(note).toMatchObject({ code: CODE, license_number: pharmacist.license, reason: "The prescriber knows." });
      expect(note!.found.length).toBeGreaterThan(0);
      const { note_id } = note!;
      const [kept] = await shop.rows("select * from order_note where note_id = $1", note_id);
      const tampered = {
        person_id: "somebody else",
        role: "technician",
        at: new Date(0),
        signature: Buffer.alloc(16),
      };
      for (const [column, value] of [...Object.entries(tampered), ["signature", null] as const]) {
        await shop.rows(`update order_note set ${column} = $1 where note_id = $2`, value, note_id);
        expect([column, (await read())[0]!.signature_holds]).toEqual([column, false]);
        await shop.rows(`update order_note set ${column} = $1 where note_id = $2`, kept![column], note_id);
      }
      expect((await read())[0]!.signature_holds).toBe(true);
      // The text cannot be changed or copied from another note: it would not decrypt.
      const other = await held[id](app);
      await resolveException(app.deps, shop.work(other.order, pharmacist), id, "I do not care.", CODE);
      await shop.rows(
        `update order_note n set text_sealed = o.text_sealed from order_note o
        where n.note_id = $1 and o.order_number = $2`,
        note_id,
        other.order.order_number,
      );
      await expect(read()).rejects.toThrow();
    }
  });

  test("needs a code and an explanation, and the audit log shows exception, code and license", async () => {
    const { order } = await held[74](app);
    const shop = workplace(app);
    const work = shop.work(order, pharmacist);
    const before = await shop.everything(order);
    await expect(resolveException(app.deps, work, 74, "The prescriber knows.")).rejects.toMatchObject({
      key: "code_needed",
    });
    for (const short of ["ok", "123456789", "  fine     "]) {
      await expect(resolveException(app.deps, work, 74, short, CODE)).rejects.toMatchObject({ key: "text_too_short" });
    }
    expect(await shop.everything(order)).toEqual(before);
    await resolveException(app.deps, work, 74, "0123456789", "other");
    const audited = await shop.rows(
      "select person_id, role, subject from audit_entry where action = 'exception_overridden' and subject like $1",
      `${order.order_number} %`,
    );
    const subject = `${order.order_number} exception 74 other license ${pharmacist.license}`;
    expect(audited).toEqual([{ person_id: pharmacist.person_id, role: "pharmacist", subject }]);
  });

  test("needs a current license, not only the role", async () => {
    const { order } = await held[75](app);
    const shop = workplace(app);
    for (const by of [pharmacist, lead]) {
      await expectRefused(shop, order, { ...by, license: null }, 75, "license_needed");
    }
    // An admin is not a pharmacist, even with a license on file.
    await expectRefused(shop, order, { ...admin, license: "RPH-1004" }, 75, "pharmacist_needed");
    expect(overrideCodes).toContain(CODE);
  });

  test("applies to the findings until there is another one", async () => {
    const { order, tell } = await allergic(["penicillin"]);
    const shop = workplace(app);
    await resolveException(app.deps, shop.work(order, pharmacist), 74, "Tolerated in 2024.", "previously_tolerated");
    const recheck = async () => {
      await shop.act(order, { event: "hold" });
      return (await shop.act(order, { event: "release" })).order.exceptions.map(({ id }) => id);
    };
    expect(await recheck()).toEqual([]);
    await tell(["penicillin", "peanuts"]);
    expect(await recheck()).toEqual([]);
    // The new allergy holds the order at once.
    await tell(["penicillin", "amoxicillin"]);
    expect((await shop.load(order)).standing.open).toEqual([74]);
    await resolveException(app.deps, shop.work(order, pharmacist), 74, "The same as before.", "previously_tolerated");
    expect(await recheck()).toEqual([]);
    const notes = await readNotes(app.deps, shop.account_id, order.order_number);
    expect(notes.map(({ signature_holds }) => signature_holds)).toEqual([true, true]);
    expect(notes[1]!.found).not.toEqual(notes[0]!.found);
  });
});

describe("approving a review", () => {
  test("needs a pharmacist with a current license", async () => {
    const { order } = await allergic();
    const shop = workplace(app);
    const before = await shop.everything(order);
    const refused: [Worker, WorkRefusalKey][] = [
      [technician, "not_your_role"],
      [admin, "not_your_role"],
      [{ ...admin, license: "RPH-1004" }, "not_your_role"],
      [{ ...pharmacist, license: null }, "license_needed"],
      [{ ...lead, license: null }, "license_needed"],
    ];
    for (const [by, key] of refused) {
      await expect(approveReview(app.deps, shop.work(order, by))).rejects.toMatchObject({ key });
    }
    expect(await shop.everything(order)).toEqual(before);
    expect((await approveReview(app.deps, shop.work(order, lead))).order_status).toBe("Filling");
  });

  test("holds the order instead if the checks now find something, and succeeds once that is resolved", async () => {
    const { order } = await allergic();
    const shop = workplace(app);
    expect(order.order_status).toBe("Processing");
    await claimOrder(app.deps, shop.work(order, pharmacist));
    // A change that no request reports, so that only the step can find it.
    await app.deps.db.raw(
      "update prescription set sig_text = '', prescriber_name = 'A', written_sealed = null where prescription_id = $1",
      [order.items[0]!.prescription_id],
    );
    const stopped = await approveReview(app.deps, shop.work(order, pharmacist));
    expect([stopped.order_status, stopped.exceptions.map(({ id }) => id)]).toEqual(["On Hold", [69]]);
    expect((await shop.history(order)).at(-1)).toMatchObject({
      actor: "system",
      person_id: null,
      event: "raise_exception",
      exception_id: 69,
    });
    expect((await shop.load(order)).row.claimed_by).toBe(null);
    await resolveException(app.deps, shop.work(order, pharmacist), 69, "Called the practice.", "prescriber_consulted");
    expect((await approveReview(app.deps, shop.work(order, pharmacist))).order_status).toBe("Filling");
  });

  test("is not blocked by a warning", async () => {
    const { order, tell } = await allergic();
    await tell(["peanuts"]);
    const approved = await approveReview(app.deps, workplace(app).work(order, pharmacist));
    expect(approved.order_status).toBe("Filling");
  });
});
