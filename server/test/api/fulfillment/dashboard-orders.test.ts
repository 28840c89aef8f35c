import type {
  ClinicalReview,
  DashboardFigures,
  DashboardHome,
  DashboardNotification,
  DashboardNotifications,
  DashboardOrder,
  DashboardOrders,
  DashboardPatient,
  Order,
} from "@pestle/contract";
import { MOST_NOTIFICATIONS, NOTIFICATION_DAYS } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ASSIGNED_MS } from "../../../src/usecases/fulfillment/claim-order.ts";
import { tidy } from "../../../src/usecases/operations/tidy.ts";
import { newOrder, placed, prescribed } from "../../support/orders.ts";
import { goodDocument, patientCalls } from "../../support/patient.ts";
import { simulate } from "../../support/simulate.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { testLicense, type WebPerson, webPerson } from "../../support/web.ts";

let app: TestApp;
let technician: WebPerson;
let pharmacist: WebPerson;
let lead: WebPerson;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  [technician, pharmacist, lead] = [
    await webPerson(app, "technician"),
    await webPerson(app, "pharmacist"),
    await webPerson(app, "lead"),
  ];
});
afterAll(() => app.stop());

const account_id = () => app.demo.partners[0]!.account_id;
const path = ({ order_number }: Pick<Order, "order_number">) => `/dashboard/orders/${account_id()}/${order_number}`;
const order = async (given: Parameters<typeof newOrder>[1] = {}) => placed(app, (await newOrder(app, given)).body);
/** The same person in another prescription. */
const idsOf = ({ patient_id }: { patient_id: string }) => [{ kind: "medical_record" as const, value: patient_id }];
/** Nothing that the safety check would mention. */
const clean = { prescription: { allergies: [] } };
const work = (by: WebPerson, which: Pick<Order, "order_number">, body: object) =>
  by.send("POST", `${path(which)}/work`, body);
const page = async (by: WebPerson, which: Pick<Order, "order_number">): Promise<DashboardOrder> =>
  (await by.get(path(which))).body;
const audited = async (subject: string, action: string) => {
  const { rows } = await app.deps.db.raw(
    "select person_id, request_id from audit_entry where account_id = $1 and subject = $2 and action = $3",
    [account_id(), subject, action],
  );
  return rows;
};
const lots = ({ items }: Order) => items.map(({ item_id }) => ({ item_id, lot: "L77", lot_expires_on: "2099-01-01" }));
const scans = ({ items }: Order) => items.map(({ item_id, ndc, sku }) => ({ item_id, code: ndc ?? sku! }));

describe("an order's page", () => {
  test("offers a pharmacist's steps only to a pharmacist with a current license", async () => {
    const made = await order();
    const expired = { ...testLicense, license_expires_on: "2001-01-31" };
    const people: [WebPerson, string | null][] = [
      [pharmacist, null],
      [lead, null],
      [await webPerson(app, "admin", null, testLicense), "not_your_role"],
      [await webPerson(app, "lead", null, {}), "license_needed"],
      [await webPerson(app, "pharmacist", null, {}), "license_needed"],
      [await webPerson(app, "pharmacist", null, expired), "license_needed"],
    ];
    for (const [by, key] of people) {
      const { can, cannot } = await page(by, made);
      expect(can.includes("approve_review")).toBe(key === null);
      expect(cannot.find(({ event }) => event === "approve_review")?.key ?? null).toBe(key);
      if (key === null) continue;
      expect((await work(by, made, { event: "approve_review" })).body.error.key).toBe(key);
    }
    expect((await page(pharmacist, made)).state).toBe("Processing/clinical_review");
  });

  test("takes an order from review to delivery, and offers each role its own actions", async () => {
    const made = await order();
    const seen = await page(technician, made);
    expect([seen.state, seen.can]).toEqual([
      "Processing/clinical_review",
      ["claim", "assign", "raise_exception", "update_address", "cancel", "note"],
    ]);
    expect(seen.cannot.map(({ event, key }) => [event, key])).toEqual([["approve_review", "not_your_role"]]);
    const refused = await work(technician, made, { event: "approve_review" });
    expect([refused.status, refused.body.error.key]).toEqual([409, "not_your_role"]);
    const claimed = await work(pharmacist, made, { event: "claim" });
    expect(claimed.body.claim).toMatchObject({ person_id: pharmacist.person_id, name: "A pharmacist", mine: true });
    expect((await page(technician, made)).cannot.map(({ key }) => key)).toContain("claimed");
    expect((await work(technician, made, { event: "cancel", reason: "no" })).body.error.key).toBe("claimed");

    const approved = await work(pharmacist, made, { event: "approve_review", revision: claimed.body.revision });
    expect([approved.status, approved.body.state, approved.body.claim]).toEqual([200, "Filling/fill", null]);
    const stale = await work(technician, made, { event: "complete_fill", revision: 1, items: lots(made) });
    expect([stale.status, stale.body.error.key]).toEqual([409, "stale"]);
    const filled = await work(pharmacist, made, { event: "complete_fill", items: lots(made) });
    expect(filled.body.filled_by).toMatchObject({ me: true });
    expect(filled.body.cannot).toContainEqual(expect.objectContaining({ event: "verify_product", key: "same_person" }));
    expect(filled.body.lines[0]).toMatchObject({ lot: "L77" });
    const wrong = await work(lead, made, { event: "verify_product", scans: [{ item_id: 1, code: "00000000000" }] });
    expect(wrong.body.error.key).toBe("wrong_product");
    const verified = await work(lead, made, { event: "verify_product", scans: scans(made) });
    expect(verified.body.state).toBe("Filling/pack");
    expect([verified.body.can.includes("print"), verified.body.can.includes("ship")]).toEqual([true, false]);
    expect((await work(technician, made, { event: "ship" })).body.error.key).toBe("not_printed");
    const printed = await work(technician, made, { event: "print" });
    expect([printed.body.state, printed.body.can.includes("ship")]).toEqual(["Filling/pack", true]);
    expect(printed.body.parcel).toMatchObject({ printed_by: "A technician", current: true });
    const shipped = await work(technician, made, { event: "ship" });
    expect([shipped.body.state, shipped.body.shipments.length]).toEqual(["Shipped", 1]);
    expect(shipped.body.shipments[0].tracking_no).toBe(printed.body.parcel.tracking_no);
    expect(shipped.body.parcel).toBe(null);
    expect(shipped.body.shipments[0].scans[0]).toMatchObject({ status: "label_created" });
    const tracked = await work(technician, made, {
      event: "track",
      status: "in_transit",
      description: "Left the hub.",
    });
    expect(tracked.body.shipments[0].status).toBe("in_transit");
    const delivered = await work(technician, made, { event: "deliver" });
    expect(delivered.body.state).toBe("Delivered");
    const refunded = await work(technician, made, { event: "refund", reason_id: 101, amount_cents: 100 });
    expect(refunded.body.order.payment.refunded_cents).toBe(100);
    expect(refunded.body.payments[0]).toMatchObject({ kind: "refund", reason: "Damaged", amount_cents: 100 });
    const told = (refunded.body as DashboardOrder).timeline.filter(({ kind }) => kind === "history");
    expect(told.map((entry) => ("event" in entry ? entry.event : ""))).toEqual([
      "refund",
      "deliver",
      "track",
      "ship",
      "verify_product",
      "complete_fill",
      "approve_review",
      "create",
    ]);
    expect(told[5]).toMatchObject({ who: "A pharmacist", role: "technician" });
    // The log names each step, in its order; a refused step is not in it, but the wrong package is.
    const text = "select action from audit_entry where subject = $1 and person_id is not null order by audit_id";
    const { rows: entries } = await app.deps.db.raw(text, [made.order_number]);
    expect(entries.map(({ action }) => action).filter((action) => action !== "order_viewed")).toEqual([
      "order_claimed",
      "order_approved",
      "order_filled",
      "product_missed",
      "order_checked",
      "order_printed",
      "order_shipped",
      "order_tracked",
      "order_delivered",
      "order_refunded",
    ]);
  });

  test("masks the patient until a user reveals it, and logs both views", async () => {
    const patient = { first_name: "Zsófia", last_name: "O’Hara", dob: "1971-03-04" };
    const made = await order({ patient });
    const seen = await pharmacist.get(path(made));
    expect(seen.body.patient).toMatchObject({ initials: "ZO", birth_year: "1971" });
    for (const secret of ["Zsófia", "O’Hara", "1971-03-04", made.address!.street1, made.address!.city]) {
      expect(seen.text).not.toContain(secret);
    }
    expect(seen.headers.get("cache-control")).toBe("no-store");
    expect(await audited(made.order_number, "order_viewed")).toMatchObject([
      { person_id: pharmacist.person_id, request_id: seen.headers.get("x-request-id") },
    ]);
    expect(await audited(made.order_number, "order_revealed")).toEqual([]);
    const shown = await technician.send("POST", `${path(made)}/reveal`);
    expect(shown.body).toMatchObject({ patient, address: made.address, suggestion: null });
    expect(await audited(made.order_number, "order_revealed")).toMatchObject([{ person_id: technician.person_id }]);
    const views = (await page(pharmacist, made)).timeline.filter(({ kind }) => kind === "view");
    expect(views.map((entry) => ("action" in entry ? [entry.who, entry.action] : []))).toEqual([
      ["A technician", "order_revealed"],
      ["A pharmacist", "order_viewed"],
    ]);
  });

  test("shows whether the patient was asked, and each entry with its source and history", async () => {
    const allergy = { text: "Tartrazine", codes: [], reaction: null, severity: null };
    const made = await order({ prescription: { allergies: [allergy] } });
    await patientCalls(app, made.patient_id).patch({ patient_safety: { medications: [] } });
    const seen = await pharmacist.get(path(made));
    expect(seen.body.safety_status).toEqual({
      allergy: "listed",
      medication: "none_known",
      condition: "not_asked",
    });
    expect(seen.text).not.toContain("Tartrazine");

    const added = await technician.send("POST", `${path(made)}/safety_entries`, {
      kind: "condition",
      text: " Asthma ",
    });
    expect(added.status).toBe(200);
    expect(added.body.patient.patient_safety).toMatchObject({
      health_conditions: ["Asthma"],
      conditions_status: "listed",
      entries: [
        { entry_id: 1, source: "prescriber" },
        { entry_id: 2, kind: "condition", text: "Asthma", source: "pharmacy" },
      ],
    });
    expect(await audited(made.order_number, "safety_entry_added")).toMatchObject([
      { person_id: technician.person_id, request_id: added.headers.get("x-request-id") },
    ]);

    const remove = (by: WebPerson, body: object) => by.send("POST", `${path(made)}/safety_entries/remove`, body);
    expect((await remove(technician, { entry_id: 1, reason: "Not true." })).status).toBe(404);
    const unlicensed = await remove(await webPerson(app, "lead", null, {}), { entry_id: 1, reason: "Not true." });
    expect([unlicensed.status, unlicensed.body.error?.key]).toEqual([409, "license_needed"]);
    expect((await remove(pharmacist, { entry_id: 1, reason: " " })).status).toBe(422);
    expect((await remove(pharmacist, { entry_id: 9, reason: "Not true." })).status).toBe(422);
    const removed = await remove(pharmacist, { entry_id: 1, reason: "The prescriber corrected it." });
    expect(removed.body).toMatchObject({
      patient: { patient_safety: { allergies: [], allergies_status: "not_asked", entries: [{ entry_id: 2 }] } },
      removed_entries: [
        {
          entry_id: 1,
          text: "Tartrazine",
          source: "prescriber",
          removed: { by: "pharmacy", reason: "The prescriber corrected it.", at: expect.any(String) },
        },
      ],
    });
    expect(await audited(made.order_number, "safety_entry_removed")).toMatchObject([
      { person_id: pharmacist.person_id },
    ]);
    const actions = (await page(pharmacist, made)).timeline.flatMap((one) => (one.kind === "view" ? one.action : []));
    expect(actions).toEqual(expect.arrayContaining(["safety_entry_added", "safety_entry_removed"]));
  });

  test("shows a pharmacist what the review needs, with the checks and their tables, and identifies no one", async () => {
    const patient = {
      first_name: "Zelda",
      last_name: "Quimby",
      dob: "1971-03-04",
      gender: "F" as const,
      weight_kg: 71.5,
    };
    const sig = "Take 1 to 2 tablets by mouth once daily.";
    const given = {
      patient,
      prescription: prescribed("atorvastatin-20", 90, { sig_text: sig, allergies: "none" as const }),
    };
    const earlier = await newOrder(app, given);
    const { body } = await newOrder(app, { ...given, patient: { ...patient, ids: idsOf(earlier) } });
    const first = await placed(app, earlier.body);
    await patientCalls(app, first.patient_id).patch({ patient_safety: { medications: ["Melatonin"] } });
    const made = await placed(app, body);
    expect(made.patient_id).toBe(first.patient_id);
    const seen = await pharmacist.get(`${path(made)}/clinical`);
    const shown = seen.body as ClinicalReview;
    expect(shown.patient).toEqual({ age: expect.any(Number), sex: "F", weight_kg: 71.5 });
    expect(shown.facts).toMatchObject([
      { kind: "allergy", status: "none_known", entries: [], none: { by: "prescriber" } },
      { kind: "medication", status: "listed", entries: [{ text: "Melatonin", source: "partner" }], none: null },
      { kind: "condition", status: "not_asked", entries: [], none: null },
    ]);
    expect(shown.fills).toMatchObject([
      {
        order_number: first.order_number,
        name: "Atorvastatin 20 mg tablet",
        units: 90,
        shipped_at: null,
        active: true,
      },
    ]);
    expect(shown.lines).toMatchObject([
      {
        sig_text: sig,
        daily: {
          read: true,
          per_day: { min: 1, max: 2 },
          unit: "tablet",
          ingredients: [{ name: "atorvastatin", unit: "mg", min: 20, max: 40 }],
          lasts_days: { min: 45, max: 90 },
        },
        prescriber: { name: expect.any(String) },
      },
    ]);
    const safety = app.deps.safety.current();
    expect(shown.tables_version).toBe("data" in safety ? safety.data.version : "");
    const check = (name: string) => shown.checks.find((one) => one.check === name)!;
    expect(check("condition").gaps).toEqual(["conditions_not_asked"]);
    expect(check("allergy")).toMatchObject({ compared: 0, findings: 0, gaps: [] });
    expect(check("interaction").tables).toContainEqual({ name: "interactions", rows: expect.any(Number) });
    expect(check("duplicate").findings).toBe(1);
    expect(shown.findings).toContainEqual(
      expect.objectContaining({ kind: "duplicate_therapy", version: shown.tables_version, overridden: false }),
    );
    for (const secret of ["Zelda", "Quimby", "1971-03-04", made.address!.street1])
      expect(seen.text).not.toContain(secret);
    expect(await audited(made.order_number, "clinical_viewed")).toMatchObject([
      { person_id: pharmacist.person_id, request_id: seen.headers.get("x-request-id") },
    ]);
    expect((await lead.get(`${path(made)}/clinical`)).status).toBe(200);
    for (const by of [technician, await webPerson(app, "admin")]) {
      expect((await by.get(`${path(made)}/clinical`)).status).toBe(404);
    }
  });

  test("shows an override with name, code and reason, and marks what it covers", async () => {
    const allergy = { text: "Atorvastatin", codes: [], reaction: null, severity: null };
    const made = await order({ prescription: { allergies: [allergy] } });
    const held = (await pharmacist.get(`${path(made)}/clinical`)).body as ClinicalReview;
    expect(held.findings).toMatchObject([{ kind: "allergy", exception_id: 74, overridden: false }]);
    expect(held.overrides).toEqual([]);
    const reason = "The patient takes it since 2019 without a reaction.";
    const resolve = { event: "resolve", exception_id: 74, code: "previously_tolerated", reason };
    expect((await work(pharmacist, made, resolve)).status).toBe(200);
    const after = (await pharmacist.get(`${path(made)}/clinical`)).body as ClinicalReview;
    expect(after.findings).toMatchObject([{ kind: "allergy", overridden: true }]);
    expect(after.overrides).toMatchObject([
      { who: "A pharmacist", exception_ids: [74], code: "previously_tolerated", reason, signature_holds: true },
    ]);
  });

  test("if the audit log cannot be written, the page is not shown", async () => {
    const made = await order();
    await app.deps.db.raw("alter table audit_entry rename to audit_entry_gone");
    const seen = await pharmacist
      .get(path(made))
      .finally(() => app.deps.db.raw("alter table audit_entry_gone rename to audit_entry"));
    expect([seen.status, seen.text.includes("initials")]).toEqual([500, false]);
  });

  test("shows the received prescription next to the item", async () => {
    const made = await order();
    const [line] = (await page(pharmacist, made)).lines;
    expect(line).toMatchObject({ sku: "atorvastatin-20", units: 90, lot: null });
    expect(line!.prescription).toMatchObject({ id: made.items[0]!.prescription_id, written_qty: 90, daw: false });
    expect(line!.prescription).not.toHaveProperty("patient_id");
    expect(line!.differences.filter(({ notable }) => notable)).toEqual([]);
  });

  test("a role in the table resolves an exception, with a reason that appears in the timeline", async () => {
    const made = await order();
    const raised = await work(technician, made, { event: "raise_exception", exception_id: 69, reason: "Unreadable." });
    expect([raised.body.state, raised.body.exceptions[0].id]).toEqual(["On Hold", 69]);
    expect(raised.body.can_raise).not.toContain(69);
    expect(raised.body.exceptions[0].cannot_resolve).toMatch(/pharmacist/);
    expect(raised.body.can).not.toContain("resolve");
    expect(raised.body.exceptions[0].needs_code).toBe(true);
    const without = { event: "resolve", exception_id: 69, reason: "Called the practice." };
    expect((await work(pharmacist, made, without)).body.error.key).toBe("code_needed");
    const resolved = await work(pharmacist, made, {
      event: "resolve",
      exception_id: 69,
      reason: "Called the practice.",
      code: "prescriber_consulted",
    });
    expect(resolved.body.state).toBe("Processing/clinical_review");
    expect(resolved.body.timeline[0]).toMatchObject({ event: "resolve", reason: "Called the practice." });
    expect(resolved.body.timeline).toContainEqual(
      expect.objectContaining({
        kind: "note",
        overridden: [69],
        code: "prescriber_consulted",
        license_number: testLicense.license_number,
        signature_holds: true,
      }),
    );
    await work(technician, made, { event: "note", reason: "<script>alert(1)</script>" });
    expect((await page(pharmacist, made)).timeline).toContainEqual(
      expect.objectContaining({ kind: "note", reason: "<script>alert(1)</script>", who: "A technician" }),
    );
  });

  test("the pharmacy changes an address under the partner's rules, and suggestions are revealed", async () => {
    const made = await order();
    const address = { ...made.address!, street1: "78 Market St" };
    const doubtful = await work(technician, made, { event: "update_address", address });
    expect([doubtful.status, doubtful.body.errors[0].code]).toEqual([422, 42230]);
    const changed = await work(technician, made, {
      event: "update_address",
      address: { ...address, street1: "12 Market St" },
    });
    expect(changed.status).toBe(200);
    expect((await technician.send("POST", `${path(made)}/reveal`)).body.address.street1).toBe("12 Market St");
    expect(changed.body.timeline[0]).toMatchObject({ kind: "history", event: "update_address", role: "operator" });
  });

  test("a user who works on the order prints its documents, and the audit log records it", async () => {
    const made = await order();
    const early = await technician.get(`${path(made)}/documents/label`);
    expect([early.status, early.body.error.key]).toEqual([409, "not_shipped"]);
    await work(pharmacist, made, { event: "approve_review" });
    await work(technician, made, { event: "complete_fill", items: lots(made) });
    const verified = await work(pharmacist, made, { event: "verify_product", scans: scans(made) });
    expect(verified.body.documents.map(({ kind }: { kind: string }) => kind)).toEqual(["prescription", "leaflet"]);
    const printed = await work(technician, made, { event: "print" });
    expect(printed.body.documents.map(({ kind }: { kind: string }) => kind)).toEqual(
      expect.arrayContaining(["label", "slip"]),
    );
    for (const { kind, item_id } of printed.body.documents) {
      const answer = await technician.get(
        `${path(made)}/documents/${kind}${item_id === null ? "" : `?item_id=${item_id}`}`,
      );
      expect([kind, answer.status, answer.headers.get("content-type")]).toEqual([kind, 200, "application/pdf"]);
      expect(answer.text.startsWith("%PDF-")).toBe(true);
    }
    expect(await audited(made.order_number, "document_viewed")).toHaveLength(4);
    expect((await technician.get(`${path(made)}/documents/diary`)).status).toBe(404);
    // No font has this letter, so the label says so and is not printed.
    const renamed = { ...made.address!, last_name: "Ng \u{13000}" };
    expect((await work(technician, made, { event: "update_address", address: renamed })).status).toBe(200);
    const unprintable = await work(technician, made, { event: "print" });
    expect([unprintable.status, unprintable.body.error.key]).toEqual([409, "unprintable"]);
    expect(unprintable.body.error.message).toContain("(U+13000) in the recipient's last name");
  });

  test("a product that is no drug has no lot to record, and a drug has", async () => {
    const { body } = await newOrder(app, clean);
    const made = await placed(app, { ...body, items: [...body.items, { sku: "pill-organizer" }] });
    const seen = await page(technician, made);
    expect(seen.lines.map(({ sku, has_lot }) => [sku === "pill-organizer", has_lot])).toEqual([
      [false, true],
      [true, false],
    ]);
    await work(pharmacist, made, { event: "approve_review" });
    const [drug, organizer] = [lots(made)[0]!, lots(made)[1]!];
    const none = ({ item_id }: { item_id: number }) => ({ item_id });
    const refused = await work(technician, made, { event: "complete_fill", items: [none(drug), none(organizer)] });
    expect(refused.body.error.key).toBe("lot_missing");
    const half = { ...none(organizer), lot: "L1" };
    expect((await work(technician, made, { event: "complete_fill", items: [drug, half] })).body.error.key).toBe(
      "lot_missing",
    );
    const filled = await work(technician, made, { event: "complete_fill", items: [drug, none(organizer)] });
    expect(filled.body.lines.map(({ lot }: { lot: string | null }) => lot)).toEqual(["L77", null]);
    await work(pharmacist, made, { event: "verify_product", scans: scans(made) });
    await work(technician, made, { event: "print" });
    expect((await work(technician, made, { event: "ship" })).body.state).toBe("Shipped");
  });

  test("an unknown order or account is 404", async () => {
    const made = await order();
    const other = app.demo.partners[1]!.account_id;
    for (const wrong of [
      `/dashboard/orders/${other}/${made.order_number}`,
      `/dashboard/orders/${account_id()}/0000000000`,
      `/dashboard/orders/none/${made.order_number}`,
      `/dashboard/orders/${account_id()}/x`,
    ]) {
      expect((await pharmacist.get(wrong)).status).toBe(404);
      expect((await pharmacist.send("POST", `${wrong}/work`, { event: "note", reason: "x" })).status).toBe(404);
      expect((await pharmacist.send("POST", `${wrong}/reveal`)).status).toBe(404);
    }
  });

  test("an invalid body is rejected field by field", async () => {
    const made = await order();
    const bodies: [object, string][] = [
      [{}, "event"],
      [{ event: "create" }, "event"],
      [{ event: "complete_fill", items: [] }, "items"],
      [{ event: "complete_fill", items: [{ item_id: "1", lot: "x", lot_expires_on: "2099-01-01" }] }, "item_id"],
      [{ event: "resolve", exception_id: 63, reason: "x" }, "exception_id"],
      [{ event: "resolve", exception_id: 69, reason: "x", code: "because" }, "code"],
      [{ event: "cancel" }, "reason"],
      [{ event: "note", reason: "x", revision: "1" }, "revision"],
      [{ event: "track", status: "eaten" }, "status"],
      [{ event: "refund", reason_id: 1.5 }, "reason_id"],
    ];
    for (const [body, field] of bodies) {
      const answer = await work(pharmacist, made, body);
      expect([answer.status, answer.body.errors?.[0]?.error_detail[0].field]).toEqual([422, field]);
    }
  });
});

test("a patient's page shows prescriptions, orders, fills and messages, masked until a reveal, and who looked", async () => {
  const patient = { first_name: "Ottoline", last_name: "Vexley", dob: "1959-08-09", phone: "415-555-0142" };
  const { body, patient_id, prescription_id } = await newOrder(app, { ...clean, patient });
  const made = await placed(app, body);
  await pharmacist.send("POST", `${path(made)}/messages`, { text: "Is the address right?" });
  const { patient_key } = await page(pharmacist, made);
  const address = `/dashboard/patients/${account_id()}/${patient_key}`;
  const seen = await pharmacist.get(address);
  const shown = seen.body as DashboardPatient;
  expect(shown).toMatchObject({
    patient_key,
    environment: "sandbox",
    patient: { initials: "OV", birth_year: "1959" },
    clinical: { patient: { sex: expect.anything() }, facts: [{ kind: "allergy" }, {}, {}] },
    prescriptions: [{ id: prescription_id, sig_text: expect.any(String), prescriber_name: expect.any(String) }],
    orders: [{ order_number: made.order_number, order_status: "Processing", stage: "clinical_review" }],
    fills: [{ order_number: made.order_number, shipped_at: null, active: true }],
    messages: [{ order_number: made.order_number, author: "pharmacy", text: "Is the address right?" }],
    looks: null,
  });
  for (const secret of ["Ottoline", "Vexley", "1959-08-09", "555-0142", made.address!.street1]) {
    expect(seen.text).not.toContain(secret);
  }
  expect(seen.headers.get("cache-control")).toBe("no-store");
  const revealed = await technician.send("POST", `${address}/reveal`);
  expect(revealed.body.patient).toMatchObject({ ...patient, patient_id, addresses: [{ default: true }] });
  const masked = (await technician.get(address)).body as DashboardPatient;
  expect([masked.clinical, masked.looks]).toEqual([null, null]);
  const { looks } = (await lead.get(address)).body as DashboardPatient;
  expect(looks!.slice(0, 4).map(({ who, action }) => [who, action])).toEqual([
    ["A lead", "patient_viewed"],
    ["A technician", "patient_viewed"],
    ["A technician", "patient_revealed"],
    ["A pharmacist", "patient_viewed"],
  ]);
  for (const absent of [`/dashboard/patients/${account_id()}/99999999`, `/dashboard/patients/${account_id()}/x`]) {
    expect([(await lead.get(absent)).status, (await lead.send("POST", `${absent}/reveal`)).status]).toEqual([404, 404]);
  }
  const other = app.demo.partners[1]!.account_id;
  expect((await lead.get(`/dashboard/patients/${other}/${patient_key}`)).status).toBe(404);
});

describe("the queues", () => {
  const rows = async (query: string): Promise<DashboardOrders> =>
    (await technician.get(`/dashboard/orders?${query}`)).body;

  test("show the oldest orders first, page by page, and each order once", async () => {
    for (let i = 0; i < 5; i++) await order();
    const all = await rows("queue=clinical_review&limit=200");
    const times = all.orders.map(({ stage_since }) => stage_since);
    expect(times).toEqual([...times].sort());
    const walked: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const one: DashboardOrders = await rows(`queue=clinical_review&limit=2&cursor=${cursor}`);
      walked.push(...one.orders.map(({ order_number }) => order_number));
      cursor = one.next;
    }
    expect(walked).toEqual(all.orders.map(({ order_number }) => order_number));
    const newest = await rows("queue=clinical_review&limit=200&sort=newest");
    expect(newest.orders.map(({ order_number }) => order_number)).toEqual([...walked].reverse());
    expect(all.orders[0]).toMatchObject({
      partner: "Willow Telehealth",
      environment: "sandbox",
      method: "Standard Mail",
    });
  });

  test("each filter returns exactly the matching orders", async () => {
    const made = await order();
    await work(pharmacist, made, { event: "raise_exception", exception_id: 71, reason: "x" });
    const mine = await order();
    await work(technician, mine, { event: "claim" });
    const filters: [query: string, fits: (row: DashboardOrders["orders"][number]) => boolean, some: boolean][] = [
      ["exception_id=71", (row) => row.exception_ids.includes(71), true],
      ["order_status=On+Hold", (row) => row.order_status === "On Hold", true],
      ["order_status=Processing", (row) => row.order_status === "Processing", true],
      ["stage=fill", (row) => row.stage === "fill", false],
      ["environment=production", (row) => row.environment === "production", false],
      ["environment=sandbox", (row) => row.environment === "sandbox", true],
      [`account_id=${account_id()}`, (row) => row.account_id === account_id(), true],
      [`account_id=${app.demo.partners[1]!.account_id}`, () => false, false],
      ["schedule=0", (row) => row.schedule === "0", true],
      ["schedule=2", (row) => row.schedule === "2", false],
      ["brand_id=1", (row) => row.brand === "Larkspur", true],
      [`state=${made.address!.state}`, (row) => row.ship_state === made.address!.state, true],
      ["state=WY", (row) => row.ship_state === "WY", false],
      ["claimed=mine", (row) => row.claimed_by === "A technician", true],
      ["claimed=others", (row) => ![null, "A technician"].includes(row.claimed_by), false],
      ["claimed=free", (row) => row.claimed_by === null, true],
      ["older_than_minutes=100000", () => false, false],
      ["queue=shipped_today", (row) => row.order_status === "Shipped", true],
      ["order_status=Delivered", (row) => row.order_status === "Delivered", true],
      ["queue=fill&order_status=Processing", () => false, false],
    ];
    for (const [query, fits, some] of filters) {
      const { orders } = await rows(`${query}&limit=200`);
      expect([query, orders.every(fits), orders.length > 0]).toEqual([query, true, some]);
    }
    for (const wrong of ["quue=fill", "queue=fil", "limit=201", "cursor=x", "exception_id=1", "state=california"]) {
      expect([wrong, (await technician.get(`/dashboard/orders?${wrong}`)).status]).toEqual([wrong, 400]);
    }
  });

  test("a controlled drug is found by its schedule", async () => {
    const { body } = await newOrder(app, { prescription: prescribed("zolpidem-5", 30) });
    const patient = { ...body.patient, identity_documents: [goodDocument] };
    const shipping = { method_id: 3, signature_confirmation: true };
    const made = await placed(app, { ...body, patient, shipping });
    const { orders } = await rows("schedule=4");
    expect(orders.map(({ order_number }) => order_number)).toEqual([made.order_number]);
  });

  test("the home page counts what the queues show, and the orders that are late by the target that a lead set", async () => {
    const home = async (): Promise<DashboardHome> => (await technician.get("/dashboard/home?environment=sandbox")).body;
    const before = await home();
    for (const { key, count } of before.queues) {
      expect([key, (await rows(`queue=${key}&limit=200`)).orders.length]).toEqual([key, count]);
    }
    expect((await technician.get("/dashboard/home?environment=production")).body.queues[0].count).toBe(0);
    const put = (by: WebPerson, targets: object) => by.send("PUT", "/dashboard/targets", { targets });
    expect((await put(technician, { fill: 5 })).status).toBe(404);
    expect((await put(lead, { fill: 0.5 })).status).toBe(422);
    expect((await put(lead, { nowhere: 5 })).status).toBe(422);
    expect((await put(lead, { shipped_today: 5 })).status).toBe(422);
    expect((await put(lead, { clinical_review: 10 })).body.targets).toMatchObject({ clinical_review: 10, fill: 240 });
    app.advance(11 * 60_000);
    const review = (await home()).queues.find(({ key }) => key === "clinical_review")!;
    expect([review.late, review.target_minutes]).toEqual([review.count, 10]);
    expect((await rows("queue=clinical_review")).orders.every(({ late }) => late)).toBe(true);
    await put(lead, { clinical_review: null });
    expect((await home()).queues.find(({ key }) => key === "clinical_review")).toMatchObject({ late: 0 });
  });

  test("the charts count the orders of the queues, what shipped, why orders are on hold, and low stock", async () => {
    const read = async (): Promise<DashboardFigures> => {
      // The figures are kept for some seconds.
      app.advance(60_000);
      return (await technician.get("/dashboard/figures?environment=sandbox")).body;
    };
    const total = (numbers: readonly (number | null)[]) => numbers.reduce<number>((sum, one) => sum + (one ?? 0), 0);
    const received = ({ days }: DashboardFigures) => total(days.map((day) => day.received));
    const shipped = ({ days }: DashboardFigures) => total(days.map((day) => day.shipped));
    const before = await read();
    const [sent, held] = [await order(), await order({ patient: { email: null } })];
    const simulation = { order_number: sent.order_number, to: "Shipped" };
    expect((await simulate(app, "order", simulation)).status).toBeLessThan(300);
    const { sku } = sent.items[0]!;
    const stocked = (units: number) =>
      app.deps.db.raw("update stock set on_hand_units = reserved_units + $3 where account_id = $1 and sku = $2", [
        account_id(),
        sku,
        units,
      ]);
    await stocked(10);
    const after = await read();
    await stocked(10_000);
    expect([received(after) - received(before), shipped(after) - shipped(before)]).toEqual([2, 1]);
    expect(total(after.hours.map((hour) => hour.received))).toBe(after.days.at(-1)!.received);
    const { queues } = (await technician.get("/dashboard/home?environment=sandbox")).body as DashboardHome;
    for (const { key, target_minutes, fresh, due_soon, late, very_late } of after.ageing) {
      const queue = queues.find((one) => one.key === key)!;
      expect([key, target_minutes, fresh + due_soon + late + very_late, late + very_late]).toEqual([
        key,
        queue.target_minutes,
        queue.count,
        queue.late,
      ]);
    }
    const { groups } = (await technician.get("/dashboard/exceptions?environment=sandbox")).body;
    const counted = (rows: { exception_id: number; count: number }[]) =>
      rows.map(({ exception_id, count }) => [exception_id, count]).sort();
    expect(counted(after.exceptions)).toEqual(counted(groups));
    expect(after.exceptions.map(({ exception_id }) => exception_id)).toContain(held.exceptions[0]!.id);
    const low = after.stock.find((one) => one.sku === sku && one.account_id === account_id())!;
    expect(low).toMatchObject({ available_units: 10, partner: "Willow Telehealth" });
    expect(low.days_left).toBe(Math.floor((10 / low.shipped_units) * 14));
    const elsewhere = (await technician.get("/dashboard/figures?environment=production")).body as DashboardFigures;
    expect([received(elsewhere), elsewhere.stock]).toEqual([0, []]);
  });

  test("the time since an order entered a stage does not change with events in that stage", async () => {
    const made = await order();
    const first = await page(pharmacist, made);
    app.advance(60_000);
    const noted = await work(pharmacist, made, { event: "claim" });
    expect(noted.body.stage_since).toBe(first.stage_since);
    const held = await work(pharmacist, made, { event: "raise_exception", exception_id: 64, reason: "x" });
    expect(held.body.stage_since > first.stage_since).toBe(true);
    const more = await work(pharmacist, made, { event: "raise_exception", exception_id: 65, reason: "x" });
    expect(more.body.stage_since).toBe(held.body.stage_since);
  });

  test("orders on hold need the pharmacy if one of their exceptions does, and wait for the partner otherwise", async () => {
    const counted = async () => (await technician.get("/dashboard/held?environment=sandbox")).body;
    const before = await counted();
    const hold = async (...ids: number[]) => {
      const made = await order();
      for (const exception_id of ids) {
        await work(technician, made, { event: "raise_exception", exception_id, reason: "Please wait." });
      }
      return made.order_number;
    };
    const [theirs, ours] = [await hold(64), await hold(64, 76)];
    expect(await counted()).toEqual({ pharmacy: before.pharmacy + 1, partner: before.partner + 1 });
    const listed = async (side: string) => {
      const { body } = await technician.get(`/dashboard/orders?queue=on_hold&waits_for=${side}&sort=newest`);
      const numbers = body.orders.map(({ order_number }: { order_number: string }) => order_number);
      return [numbers.includes(theirs), numbers.includes(ours)];
    };
    expect([await listed("partner"), await listed("pharmacy")]).toEqual([
      [true, false],
      [false, true],
    ]);
    expect((await technician.get("/dashboard/orders?waits_for=nobody")).status).toBe(400);
  });

  test("exceptions are grouped by reason, with who must act", async () => {
    const { groups } = (await technician.get("/dashboard/exceptions")).body;
    const held = await rows("order_status=On+Hold&limit=200");
    for (const group of groups) {
      const orders = held.orders.filter(({ exception_ids }) => exception_ids.includes(group.exception_id));
      expect([group.count, group.orders.length]).toEqual([orders.length, Math.min(orders.length, 5)]);
      expect(group.who_acts).toMatch(/partner|pharmacist|pharmacy/);
    }
    expect(groups.map(({ exception_id }: { exception_id: number }) => exception_id)).toContain(71);
  });
});

test("the audit log records who views a list, once per visit", async () => {
  const watcher = await webPerson(app, "technician");
  for (const path of ["/dashboard/orders?queue=fill", "/dashboard/orders?queue=fill", "/dashboard/exceptions"]) {
    expect((await watcher.get(path)).status).toBe(200);
  }
  await watcher.get("/dashboard/home");
  const text = "select subject from audit_entry where person_id = $1 and action = 'orders_listed' order by at";
  const { rows } = await app.deps.db.raw(text, [watcher.person_id]);
  expect(rows.map(({ subject }) => subject)).toEqual(["fill", "exceptions", "home"]);
});

describe("bulk actions", () => {
  test("never approve an order with a safety finding, also a mild one, and say why", async () => {
    const [plain, warned] = [await order(clean), await order(clean)];
    const { patient_id } = warned;
    await patientCalls(app, patient_id).patch({ patient_safety: { allergies: ["peanuts"] } });
    const orders = [plain, warned].map(({ order_number }) => ({ account_id: account_id(), order_number }));
    const answer = await pharmacist.send("POST", "/dashboard/bulk", { event: "approve_review", orders });
    expect(answer.body).toMatchObject({ done: 1, refused: 1 });
    expect(answer.body.results[1]).toMatchObject({ done: false, key: "has_findings" });
    expect(answer.body.results[1].message).toContain("A pharmacist must review this order");
    expect((await page(pharmacist, warned)).state).toBe("Processing/clinical_review");
    expect(await audited(plain.order_number, "order_approved")).toHaveLength(1);
    expect(await audited(warned.order_number, "order_approved")).toHaveLength(0);
    // On its own page, the pharmacist sees the finding and decides.
    expect((await work(pharmacist, warned, { event: "approve_review" })).body.state).toBe("Filling/fill");
  });

  test("never resolve an exception that needs a pharmacist", async () => {
    const made = await order();
    const orders = [{ account_id: account_id(), order_number: made.order_number }];
    for (const exception_id of [69, 70, 72, 74, 75]) {
      await work(technician, made, { event: "raise_exception", exception_id, reason: "Look at it." });
      const resolve = { event: "resolve", exception_id, reason: "All are fine.", code: "other", orders };
      const answer = await pharmacist.send("POST", "/dashboard/bulk", resolve);
      expect([answer.status, answer.body.error.key]).toEqual([409, "one_by_one"]);
    }
    expect((await page(pharmacist, made)).exceptions).toHaveLength(5);
    await work(technician, made, { event: "raise_exception", exception_id: 64, reason: "The partner called." });
    const release = { event: "resolve", exception_id: 64, reason: "They called again.", orders };
    expect((await technician.send("POST", "/dashboard/bulk", release)).body).toMatchObject({ done: 1, refused: 0 });
  });

  test("a failure of one order does not stop the others, and each gets its own result", async () => {
    const [one, two, three] = [await order(clean), await order(clean), await order(clean)];
    await work(pharmacist, two, { event: "claim" });
    await work(pharmacist, three, { event: "approve_review" });
    const named = [one, two, three, { order_number: "0000000000" }].map(({ order_number }) => ({
      account_id: account_id(),
      order_number,
    }));
    const answer = await lead.send("POST", "/dashboard/bulk", { event: "approve_review", orders: named });
    expect(answer.body).toMatchObject({ done: 1, refused: 3 });
    expect(answer.body.results.map(({ done, key }: { done: boolean; key: string }) => [done, key])).toEqual([
      [true, null],
      [false, "claimed"],
      [false, "not_now"],
      [false, "404"],
    ]);
    expect((await page(lead, one)).state).toBe("Filling/fill");
    const canceled = await lead.send("POST", "/dashboard/bulk", {
      event: "cancel",
      orders: named.slice(0, 1),
      reason: "Recall.",
    });
    expect(canceled.body).toMatchObject({ done: 1, refused: 0 });
    const stale = { event: "claim", orders: [{ ...named[2], revision: 1 }] };
    expect((await lead.send("POST", "/dashboard/bulk", stale)).body.done).toBe(1);
  });

  test("an order that a declined card holds instead of shipping is listed as refused", async () => {
    const { body } = await newOrder(app);
    const declined = await placed(app, { ...body, payment: { payer: "patient", token: "tok_declined_at_capture" } });
    await work(pharmacist, declined, { event: "approve_review" });
    await work(technician, declined, { event: "complete_fill", items: lots(declined) });
    await work(pharmacist, declined, { event: "verify_product", scans: scans(declined) });
    const named = [{ account_id: account_id(), order_number: declined.order_number }];
    expect((await lead.send("POST", "/dashboard/bulk", { event: "print", orders: named })).body.done).toBe(1);
    const answer = await lead.send("POST", "/dashboard/bulk", { event: "ship", orders: named });
    expect(answer.body).toMatchObject({ done: 0, refused: 1, results: [{ done: false, key: "held" }] });
    expect(answer.body.results[0].message).toMatch(/^On hold instead: /);
  });

  test("limits the number of orders, and rejects events that need items", async () => {
    const one = { account_id: account_id(), order_number: "0000000000" };
    for (const body of [
      { event: "approve_review", orders: [] },
      { event: "approve_review", orders: Array(201).fill(one) },
      { event: "complete_fill", orders: [one] },
      { event: "cancel", orders: [one] },
      { event: "approve_review", orders: ["0000000000"] },
    ]) {
      expect((await lead.send("POST", "/dashboard/bulk", body)).status).toBe(422);
    }
  });
});

describe("colleagues", () => {
  const renamed = async (role: string, name: string): Promise<WebPerson> => {
    const person = await webPerson(app, role);
    await app.deps.db.raw("update person set name = $2 where person_id = $1", [person.person_id, name]);
    return person;
  };
  const told = async (by: WebPerson): Promise<DashboardNotifications> =>
    (await by.get("/dashboard/notifications")).body;
  const assign = (by: WebPerson, which: Order, to: { person_id: string }) =>
    work(by, which, { event: "assign", person_id: to.person_id });

  test("an assignment claims the order for a colleague, who is notified and can release it", async () => {
    const made = await order();
    const dana = await renamed("pharmacist", "Dana Reed");
    expect((await page(technician, made)).can).toContain("assign");
    const { status, body } = await assign(technician, made, dana);
    expect([status, body.claim.person_id, body.claim.mine]).toEqual([200, dana.person_id, false]);
    expect(Date.parse(body.claim.until) - app.deps.now().getTime()).toBeGreaterThan(ASSIGNED_MS - 60_000);
    expect(await told(dana)).toEqual({
      notifications: [
        {
          notification_id: expect.any(Number),
          at: expect.any(String),
          kind: "assignment",
          account_id: account_id(),
          order_number: made.order_number,
          partner: (await page(dana, made)).partner,
          environment: "sandbox",
          by: "A technician",
          read: false,
        },
      ],
      unread: 1,
    });
    const { entries } = (await lead.get(`/dashboard/audit?subject=${made.order_number}&action=order_assigned`)).body;
    expect(entries).toMatchObject([
      {
        person_id: technician.person_id,
        subject: `${made.order_number} person ${dana.person_id}`,
        subject_name: "Dana Reed",
      },
    ]);
    // It keeps others from the order like any claim, also the person who assigned it; a lead can assign it to another.
    expect((await work(pharmacist, made, { event: "approve_review" })).body.error.key).toBe("claimed");
    expect((await assign(technician, made, pharmacist)).body.error.key).toBe("claimed");
    expect((await page(technician, made)).can).not.toContain("assign");
    expect((await assign(lead, made, dana)).status).toBe(200);
    expect((await work(dana, made, { event: "release" })).body.claim).toBe(null);
    expect((await work(dana, made, { event: "approve_review" })).status).toBe(200);
  });

  test("many orders go to one colleague, and the answer lists each order that does not", async () => {
    const [first, second, theirs] = [await order(), await order(), await order()];
    const maya = await renamed("technician", "Maya Ortiz");
    await work(pharmacist, theirs, { event: "claim" });
    const orders = [first, second, theirs].map(({ order_number }) => ({ account_id: account_id(), order_number }));
    const inBulk = (more: object) => technician.send("POST", "/dashboard/bulk", { event: "assign", orders, ...more });
    const { body } = await inBulk({ person_id: maya.person_id });
    expect([body.done, body.refused]).toEqual([2, 1]);
    expect(body.results[2]).toMatchObject({ order_number: theirs.order_number, done: false, key: "claimed" });
    expect((await page(technician, second)).claim?.person_id).toBe(maya.person_id);
    expect((await told(maya)).unread).toBe(2);
    const { entries } = (await lead.get(`/dashboard/audit?subject=${second.order_number}&action=order_assigned`)).body;
    expect(entries).toMatchObject([{ person_id: technician.person_id, subject_name: "Maya Ortiz" }]);
    expect((await inBulk({ person_id: "unknown" })).body).toMatchObject({ done: 0, refused: 3 });
    expect((await inBulk({})).status).toBe(422);
  });

  test("an order goes only to another active member of the staff", async () => {
    const made = await order();
    const partner = await app.deps.db.raw("select partner_id from account where account_id = $1", [account_id()]);
    const viewer = await webPerson(app, "partner_viewer", String(partner.rows[0]!["partner_id"]));
    const gone = await renamed("technician", "Gone Away");
    await app.deps.db.raw("update person set disabled_at = now() where person_id = $1", [gone.person_id]);
    for (const to of [technician, viewer, gone, { person_id: "unknown" }]) {
      expect((await assign(technician, made, to)).body.error.key).toBe("no_colleague");
    }
    expect((await work(technician, made, { event: "assign" })).status).toBe(422);
    expect((await page(technician, made)).claim).toBe(null);
    const { colleagues } = (await technician.get("/dashboard/colleagues")).body;
    const ids = colleagues.map(({ person_id }: { person_id: string }) => person_id);
    expect(ids).toContain(pharmacist.person_id);
    expect(ids).not.toContain(gone.person_id);
    expect(ids).not.toContain(viewer.person_id);
  });

  test("@Name in a note notifies that colleague once until they read it, without the text of the note", async () => {
    const [first, second] = [await order(), await order()];
    const zoe = await renamed("technician", "Zoë Kline");
    const ann = await renamed("technician", "Ann Bell");
    const note = (which: Order, reason: string) => work(ann, which, { event: "note", reason });
    await note(first, "The patient prefers blue. @Zoë Kline, can you check? From @Ann Bell.");
    await note(first, "@Zoë Kline, it is urgent.");
    await note(second, "No one is meant here.");
    await note(second, "@Zoë: see the label.");
    const { notifications, unread } = await told(zoe);
    const about = ({ kind, order_number, by }: DashboardNotification) => [kind, order_number, by];
    expect([unread, notifications.map(about)]).toEqual([
      2,
      [
        ["mention", second.order_number, "Ann Bell"],
        ["mention", first.order_number, "Ann Bell"],
      ],
    ]);
    expect(JSON.stringify(notifications)).not.toMatch(/blue|urgent|label/);
    expect(await told(ann)).toEqual({ notifications: [], unread: 0 });
    expect((await zoe.get("/dashboard/home?environment=production")).body.unread).toBe(2);
    expect((await ann.get("/dashboard/home")).body.unread).toBe(0);

    const [newest, oldest] = notifications as [DashboardNotification, DashboardNotification];
    const read = (by: WebPerson, { notification_id }: DashboardNotification, and_older = false) =>
      by.send("POST", "/dashboard/notifications/read", { notification_id, and_older });
    // Another person's notification stays as it is.
    expect((await read(ann, newest, true)).body).toEqual({ notifications: [], unread: 0 });
    expect((await read(zoe, oldest, true)).body.unread).toBe(1);
    await note(first, "@Zoë Kline, once more.");
    expect((await told(zoe)).unread).toBe(2);
    expect((await read(zoe, newest)).body.unread).toBe(1);
    expect((await read(zoe, (await told(zoe)).notifications[0]!, true)).body.unread).toBe(0);
    for (const body of [{}, { notification_id: "1" }, { notification_id: 1, and_older: "yes" }]) {
      expect((await zoe.send("POST", "/dashboard/notifications/read", body)).status).toBe(422);
    }
  });

  test("each person keeps the newest notifications, for a limited time", async () => {
    const made = await order();
    const kim = await renamed("technician", "Kim Oduya");
    await app.deps.db.raw(
      `insert into notification (account_id, person_id, at, kind, order_number, caused_by)
      select $1, $2, now(), 'mention', $3, 'somebody' from generate_series(1, $4)`,
      [account_id(), kim.person_id, made.order_number, MOST_NOTIFICATIONS],
    );
    const [last] = (await told(kim)).notifications;
    await work(technician, made, { event: "note", reason: "@Kim Oduya" });
    const { notifications } = await told(kim);
    expect(notifications).toHaveLength(MOST_NOTIFICATIONS);
    expect(notifications.slice(0, 2)).toMatchObject([{ by: "A technician" }, last]);
    const { rows } = await app.deps.db.raw("select count(*)::int as count from notification where person_id = $1", [
      kim.person_id,
    ]);
    expect(rows[0]!["count"]).toBe(MOST_NOTIFICATIONS);
    const text =
      "update notification set at = at - $2 * interval '1 day' where person_id = $1 and caused_by = 'somebody'";
    await app.deps.db.raw(text, [kim.person_id, NOTIFICATION_DAYS + 1]);
    await tidy(app.deps);
    expect((await told(kim)).notifications).toMatchObject([{ by: "A technician" }]);
  });
});

describe("the file", () => {
  test("has the rows of the table, and no cell that a spreadsheet would run as a formula", async () => {
    const { body } = await newOrder(app);
    const hostile = '=HYPERLINK("https://evil.example";"x")';
    const made = await placed(app, { ...body, reference: hostile });
    const answer = await technician.get("/dashboard/orders.csv?queue=clinical_review");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(answer.headers.get("content-disposition")).toContain("attachment");
    const lines = answer.text.trimEnd().split("\n");
    const table = (await technician.get("/dashboard/orders?queue=clinical_review&limit=200")).body as DashboardOrders;
    expect(lines).toHaveLength(1 + table.orders.length);
    expect(lines.find((line) => line.includes(made.order_number))).toContain(`"'=HYPERLINK(""https`);
    expect(answer.text).not.toMatch(/(^|,)"?[=+@-]/m);
    const { rows } = await app.deps.db.raw(
      "select count(*)::int as count from audit_entry where action = 'orders_exported'",
    );
    expect(rows[0]!["count"]).toBe(1);
  });
});

test("the age of an order and of its hold is right in a sandbox whose clock is ahead", async () => {
  const DAY_S = 86_400;
  await simulate(app, "clock", { advance_seconds: 2 * DAY_S });
  const made = await order(clean);
  const held = await work(technician, made, { event: "raise_exception", exception_id: 69, reason: "Unclear." });
  const days = (since: string) => Math.floor((app.deps.now().getTime() - Date.parse(since)) / 1000 / DAY_S);
  const { stage_since, exceptions } = held.body as DashboardOrder;
  expect([days(stage_since), days(exceptions[0]!.raised_at)]).toEqual([0, 0]);
});
