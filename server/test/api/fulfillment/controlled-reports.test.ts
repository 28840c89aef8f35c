import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listSubmissions } from "../../../src/db/fulfillment/pmp-submissions.ts";
import { addDays, dateIn } from "../../../src/domain/values/calendar.ts";
import { createPerson } from "../../../src/usecases/accounts/create-person.ts";
import { markSubmission } from "../../../src/usecases/fulfillment/mark-submission.ts";
import { correctControlled, reportControlled } from "../../../src/usecases/fulfillment/report-controlled.ts";
import { placed } from "../../support/orders.ts";
import { goodDocument } from "../../support/patient.ts";
import { arrived } from "../../support/simulate.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { workplace } from "../../support/workplace.ts";

const TECHNICIAN = "tam@larkspur.example";
const PHARMACIST = "phil@larkspur.example";

let app: TestApp;
let shop: ReturnType<typeof workplace>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  shop = workplace(app);
  const person = { email: TECHNICIAN, name: "Tam", role: "technician", partner_id: null, password_hash: "x" } as const;
  const license = {
    license_number: "RPH-1001",
    license_state: "ME",
    license_expires_on: "2199-01-01",
    npi: "1234567893",
  };
  const pharmacist = { ...person, email: PHARMACIST, name: "Phil", role: "pharmacist", ...license };
  await app.deps.db.transaction(async (tx) => {
    await createPerson(tx, person, new Date());
    await createPerson(tx, pharmacist, new Date());
  });
});
afterAll(() => app.stop());

const today = () => dateIn(app.config.TIME_ZONE, app.deps.now());
const report = (more: { state?: string; record?: boolean; day?: string } = {}) => {
  const { day = today(), ...rest } = more;
  return reportControlled(app.deps, { from: day, to: day, environment: "sandbox", ...rest });
};
const fields = (text: string, id: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith(`${id}*`))
    .map((line) => line.replace(/~$/, "").split("*"));
let attempt = 0;
async function ship(rx: { patient_id: string; prescription_id: number }, package_size: number) {
  const order = await placed(app, {
    reference: `report-${++attempt}`,
    shipping: { method_id: 1 },
    patient: { patient_id: rx.patient_id, identity_documents: [goodDocument] },
    items: [{ prescription_id: rx.prescription_id, quantity: 1, package_size }],
  });
  return shop.reach(order, "Shipped");
}
const mark = (submission_id: number, status: "submitted" | "accepted" | "rejected", note: string | null = null) =>
  markSubmission(app.deps.db, { submission_id, status, person_id: TECHNICIAN, note }, app.deps.now());
const submissions = (state: string | null = null) => listSubmissions(app.deps.db, "sandbox", state, 100);

describe("the report of controlled substances", () => {
  test("reports the parts of a schedule 2 fill as partial, never as refills", async () => {
    const rx = await arrived(app, { drug_schedule: "2", written_qty: 60, days_supply: 30 });
    const { order_number } = await ship(rx, 30);
    // The simulated staff are not in the table of people.
    await app.deps.db.raw(
      `update order_history set person_id = (select person_id from person where email = $2)
       where order_number = $1 and event = 'verify_product'`,
      [order_number, PHARMACIST],
    );
    const { text } = await report();
    const own = fields(text, "DSP").filter(([, , number]) => number === String(rx.prescription_id));
    // Refills authorized, refill number, quantity, days, partial fill, quantity prescribed.
    expect(own.map((dsp) => [dsp[4], dsp[6], dsp[9], dsp[10], dsp[13], dsp[22]])).toEqual([
      ["0", "0", "30", "15", "01", "60"],
    ]);
    // The pharmacist who checked the product.
    expect(own[0]!.slice(14, 16)).toEqual(["1234567893", "RPH-1001"]);
  });

  test("is a zero report for a state without fills, and for a day without fills", async () => {
    const { text, records } = await report({ state: "WY" });
    expect([records, fields(text, "PAT")[0]!.slice(-2)]).toEqual([0, ["REPORT", "ZERO"]]);
    expect((await report({ day: addDays(today(), -400) })).text).toContain("*ZERO~");
    await expect(report({ state: "Wyoming" })).rejects.toThrow("two capital letters");
  });

  test("is recorded on request, with its hash, and keeps no patient data", async () => {
    const before = await submissions();
    await report();
    expect(await submissions()).toEqual(before);
    const zero = await report({ state: "WY", record: true });
    const all = await report({ record: true });
    const [newest, second] = await submissions();
    expect(newest).toMatchObject({
      ...{ submission_id: all.submission_id, kind: "new", state: null, status: "prepared", records: all.records },
      file_hash: createHash("sha256").update(all.text).digest("hex"),
    });
    expect(second).toMatchObject({ submission_id: zero.submission_id, kind: "zero", state: "WY", records: 0 });
    expect(await submissions("WY")).toHaveLength(1);
  });

  test("is submitted, then accepted or rejected, in this order only", async () => {
    const { submission_id } = await report({ record: true });
    const id = submission_id!;
    await expect(mark(id, "accepted")).rejects.toThrow("is prepared, so it cannot become accepted");
    await mark(id, "submitted");
    await expect(mark(id, "submitted")).rejects.toThrow("is submitted");
    await expect(mark(id, "rejected")).rejects.toThrow("Note why");
    await mark(id, "rejected", "PRE02 is missing in record 3.");
    await expect(mark(id, "accepted")).rejects.toThrow("is rejected");
    await expect(mark(999_999, "submitted")).rejects.toThrow("no such submission");
    expect((await submissions()).find((one) => one.submission_id === id)).toMatchObject({
      ...{ status: "rejected", status_by: TECHNICIAN, note: "PRE02 is missing in record 3." },
    });
  });

  test("can be revised and voided: the same fill with another status", async () => {
    const rx = await arrived(app, { drug_schedule: "4", written_qty: 30 });
    const { order_number } = await ship(rx, 30);
    const { account_id } = shop;
    const correct = (kind: "revise" | "void", record = false) =>
      correctControlled(app.deps, { account_id, order_number, kind, record });
    // The program does not know it yet.
    expect((await correct("void")).unreported).toHaveLength(1);
    const first = await report({ record: true });
    const known = fields(first.text, "DSP").find(([, , number]) => number === String(rx.prescription_id))!;
    await mark(first.submission_id!, "submitted");
    const revised = await correct("revise");
    expect([revised.unreported, revised.records]).toEqual([[], 1]);
    const [revision] = fields(revised.text, "DSP");
    expect([revision![1], revision!.slice(2)]).toEqual(["01", known.slice(2)]);
    const voided = await correct("void", true);
    expect(fields(voided.text, "DSP")[0]![1]).toBe("02");
    expect((await submissions())[0]).toMatchObject({ kind: "void", records: 1 });
    await mark(voided.submission_id!, "submitted");
    expect((await correct("revise")).unreported).toHaveLength(1);
    const { order_number: plain } = await shop.reach(await placed(app, await plainOrder()), "Shipped");
    await expect(correctControlled(app.deps, { account_id, order_number: plain, kind: "void" })).rejects.toThrow(
      "no shipped controlled substance",
    );
  });
});

async function plainOrder() {
  const { patient_id, prescription_id } = await arrived(app, { ndc: "70999010130", written_qty: 30 });
  return {
    shipping: { method_id: 1 },
    patient: { patient_id },
    items: [{ prescription_id, quantity: 1, package_size: 30 }],
  };
}
