import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CounselingFill,
  type CounselingRequest,
  inspectionQuestions,
  MOST_MISSES,
  type Order,
  type RevealedCounseling,
  reportNames,
  reportRow,
} from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listSubmissions } from "../../../src/db/fulfillment/pmp-submissions.ts";
import { readCsv } from "../../../src/domain/catalogue/csv.ts";
import { addDays, dateIn } from "../../../src/domain/values/calendar.ts";
import { createPerson } from "../../../src/usecases/accounts/create-person.ts";
import { markSubmission } from "../../../src/usecases/fulfillment/mark-submission.ts";
import { correctControlled, reportControlled } from "../../../src/usecases/fulfillment/report-controlled.ts";
import { held } from "../../support/held-orders.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { goodDocument } from "../../support/patient.ts";
import { arrived } from "../../support/simulate.ts";
import { startTestApp, TEST_MASTER_KEY, type TestApp } from "../../support/test-app.ts";
import { textOf } from "../../support/tools/read-pdf.ts";
import { refusalOf, runCommand } from "../../support/tools/run-command.ts";
import { testLicense, type WebPerson, webPerson } from "../../support/web.ts";
import { lotsOf, scansOf, workplace } from "../../support/workplace.ts";

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

/* Counseling and the reports for inspectors, on the same service. */

type Made = Pick<Order, "order_number">;
const auditedAs = async (action: string) =>
  (
    await app.deps.db.raw(
      "select person_id, account_id, subject, cardinality(patient_keys) as patients, os_user from audit_entry where action = $1 order by audit_id",
      [action],
    )
  ).rows;

describe("counseling", () => {
  let pharmacist: WebPerson;
  let lead: WebPerson;
  beforeAll(async () => {
    [pharmacist, lead] = [await webPerson(app, "pharmacist"), await webPerson(app, "lead")];
  });

  const list = async (show: string, more = "") => {
    const { status, body } = await pharmacist.get(`/dashboard/counseling?environment=sandbox&show=${show}${more}`);
    expect(status).toBe(200);
    return body as { fills: CounselingFill[]; next: string | null };
  };
  const found = async (show: string, { order_number }: Made) =>
    (await list(show, "&limit=200")).fills.find((fill) => fill.order_number === order_number);
  const path = ({ order_number }: Made) => `/dashboard/counseling/${shop.account_id}/${order_number}/1`;
  const record = (by: WebPerson, made: Made, body: Partial<CounselingRequest>) =>
    by.send("POST", path(made), { outcome: "given", how: "phone", entries: 0, ...body });
  /** Ships a new prescription, as if to this state. */
  async function shippedTo(
    state: string,
  ): Promise<Order & { prescription: { patient_id: string; prescription_id: number } }> {
    const { body, ...prescription } = await newOrder(app);
    const order = await shop.reach(await placed(app, body), "Shipped");
    await app.deps.db.raw("update orders set ship_state = $1 where order_number = $2", [state, order.order_number]);
    return { ...order, prescription };
  }

  test("counts the offer in the parcel from the shipment on, and asks for a call where that is not enough", async () => {
    const [written, call] = [await shippedTo("CA"), await shippedTo("NC")];
    expect(await found("offered", written)).toMatchObject({
      state: "offered",
      rule: { by_mail: "written" },
      entries: [],
    });
    expect(await found("to_call", written)).toBe(undefined);
    expect(await found("to_call", call)).toMatchObject({ state: "to_call", rule: { source: "21 NCAC 46 .2504" } });
    const { rows } = await app.deps.db.raw("select from counseling_entry");
    expect(rows).toEqual([]);
    // No name and no phone number before the reveal.
    expect(JSON.stringify(await list("to_call"))).not.toMatch(/Quillfeather|415555/);
  });

  test("asks with a refill only where the state does, and with no order that has not shipped", async () => {
    const first = await shippedTo("NC");
    const { body } = await newOrder(app);
    const waiting = await placed(app, body);
    const { patient_id, prescription_id } = first.prescription;
    const long_ago = "update order_item set shipped_at = shipped_at - interval '31 days' where order_number = $1";
    await app.deps.db.raw(long_ago, [first.order_number]);
    const again = {
      reference: "again",
      shipping: { method_id: 1 },
      patient: { patient_id },
      items: [{ prescription_id, quantity: 1, package_size: 90 }],
    };
    const refill = await shop.reach(await placed(app, again), "Shipped");
    const shippedAgain = async (state: string) => {
      await app.deps.db.raw("update orders set ship_state = $1 where order_number = $2", [state, refill.order_number]);
      return [await found("to_call", refill), await found("offered", refill)].map((fill) => fill?.state);
    };
    expect(await shippedAgain("NC")).toEqual([undefined, undefined]);
    expect(await shippedAgain("CA")).toEqual([undefined, undefined]);
    expect(await shippedAgain("OH")).toEqual([undefined, "offered"]);
    expect(await found("to_call", waiting)).toBe(undefined);
    // The list looks back 30 days; the first fill is older now.
    expect(await found("to_call", first)).toBe(undefined);
  });

  test("is recorded once by a licensed pharmacist, with a sealed note and an audit entry", async () => {
    const made = await shippedTo("NC");
    const unlicensed = await webPerson(app, "pharmacist", null, {});
    const admin = await webPerson(app, "admin", null, testLicense);
    expect((await record(unlicensed, made, {})).body.error.key).toBe("license_needed");
    expect((await record(admin, made, {})).status).toBe(404);
    expect((await record(pharmacist, made, { how: "written" })).body.error.key).toBe("spoken_needed");
    expect((await record(pharmacist, made, { outcome: "sure" as never })).status).toBe(422);

    const missed = await record(pharmacist, made, { outcome: "no_answer" });
    expect(missed.body).toMatchObject({
      state: "to_call",
      entries: [{ entry_number: 1, who: "A pharmacist", has_note: false }],
    });
    const note = "Asked about grapefruit juice.";
    const both = await Promise.all([pharmacist, lead].map((by) => record(by, made, { entries: 1, note })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(both.find(({ status }) => status === 409)!.body.error.key).toBe("stale");
    const after = both.find(({ status }) => status === 200)!;
    expect(after.body).toMatchObject({
      state: "done",
      entries: [{ outcome: "given", has_note: true }, { outcome: "no_answer" }],
    });
    expect(after.text).not.toContain("grapefruit");
    expect((await record(lead, made, { entries: 2, outcome: "refused" })).body.error.key).toBe("counseled_already");
    expect([await found("to_call", made), (await found("done", made))?.state]).toEqual([undefined, "done"]);
    const told = (await auditedAs("counseling_recorded")).filter(({ subject }) => subject === made.order_number);
    expect(told.map(({ account_id, patients }) => [account_id, patients])).toEqual(Array(2).fill([shop.account_id, 1]));
    const { rows } = await app.deps.db.raw(
      "select outcome, license_number, note_sealed from counseling_entry where order_number = $1 order by 1",
      [made.order_number],
    );
    expect(rows.map(({ outcome, license_number }) => [outcome, license_number])).toEqual([
      ["given", "RPH-2001"],
      ["no_answer", "RPH-2001"],
    ]);
    expect((rows[0]!["note_sealed"] as Buffer).toString("latin1")).not.toContain("grapefruit");
  });

  test("shows whom to call on request, and audits it first", async () => {
    const made = await shippedTo("NC");
    await record(pharmacist, made, { outcome: "offered", how: "phone", note: "Call back at noon." });
    expect((await found("offered", made))?.entries).toHaveLength(1);
    const technician = await webPerson(app, "technician");
    expect((await technician.send("POST", `${path(made)}/reveal`)).status).toBe(404);
    const { body } = await pharmacist.send("POST", `${path(made)}/reveal`);
    const revealed = body as RevealedCounseling;
    expect([revealed.first_name, revealed.phone?.slice(0, 6)]).toEqual(["Zephyrine", "415555"]);
    expect(revealed.notes).toEqual([{ entry_number: 1, note: "Call back at noon." }]);
    const entries = (await auditedAs("counseling_revealed")).filter(({ subject }) => subject === made.order_number);
    expect(entries).toMatchObject([{ person_id: pharmacist.person_id, account_id: shop.account_id, patients: 1 }]);
    expect((await pharmacist.send("POST", `${path({ order_number: "0000000000" })}/reveal`)).status).toBe(404);
  });

  test("pages through the list without a gap or a repetition", async () => {
    for (let made = 0; made < 3; made++) await shippedTo("NC");
    const whole = (await list("to_call", "&limit=200")).fills.map(({ order_number }) => order_number);
    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const { fills, next } = await list("to_call", `&limit=2${cursor}`);
      seen.push(...fills.map(({ order_number }) => order_number));
      if (next === null) break;
      cursor = `&cursor=${next}`;
    }
    expect([seen, new Set(seen).size]).toEqual([whole, whole.length]);
    expect(whole.length).toBeGreaterThan(3);
    expect((await pharmacist.get("/dashboard/counseling?cursor=bm9uc2Vuc2U")).status).toBe(400);
  });
});

describe("the reports for inspectors", () => {
  let people: Record<"technician" | "pharmacist" | "lead", WebPerson>;
  let made: Order;
  beforeAll(async () => {
    const [technician, pharmacist, lead] = [
      await webPerson(app, "technician"),
      await webPerson(app, "pharmacist"),
      await webPerson(app, "lead"),
    ];
    people = { technician, pharmacist, lead };
    made = await placed(app, (await newOrder(app)).body);
    const work = (by: WebPerson, body: object) =>
      by.send("POST", `/dashboard/orders/${shop.account_id}/${made.order_number}/work`, body);
    await work(pharmacist, { event: "approve_review" });
    await work(technician, {
      event: "complete_fill",
      items: lotsOf(made, "L-EXP").map((item) => ({ ...item, lot_expires_on: "2001-01-01" })),
    });
    await work(technician, { event: "complete_fill", items: lotsOf(made) });
    await work(lead, { event: "verify_product", scans: [{ item_id: 1, code: "00000000000" }] });
    await work(lead, { event: "reject_product", reason: "The bottle was open." });
    const [{ item_id, lot_expires_on }] = lotsOf(made) as [ReturnType<typeof lotsOf>[number]];
    const lots = [
      { lot: "L2", lot_expires_on, units: 60 },
      { lot: "L3", lot_expires_on, units: 30 },
    ];
    await work(technician, { event: "complete_fill", items: [{ item_id, lots }] });
    const [scan] = scansOf(made);
    await work(pharmacist, { event: "verify_product", scans: lots.map(({ lot }) => ({ ...scan, lot })) });
    await work(technician, { event: "print" });
    expect((await work(technician, { event: "ship" })).body.state).toBe("Shipped");
    await work(technician, { event: "refund", reason_id: 104, amount_cents: 100 });
  });

  const asked = (report: string, more = "") =>
    `/dashboard/reports/${report}?environment=sandbox&from=${today()}&to=${today()}${more}`;
  const csv = async (report: string, more = "") => {
    const path = asked(report, more).replace("?", "/csv?");
    const { status, text, headers } = await people.lead.get(path);
    expect([report, status, headers.get("content-type")]).toEqual([report, 200, "text/csv; charset=utf-8"]);
    const [head, ...rows] = readCsv(text).records.map(({ cells }) => cells);
    return rows.map((cells) => Object.fromEntries(cells.map((cell, index) => [head![index]!, cell])));
  };
  const own = async (report: string) => (await csv(report)).filter((row) => row["order_number"] === made.order_number);

  test("the dispensing log names who filled and who checked, and the screen hides the patient", async () => {
    expect(await own("dispensing")).toMatchObject([
      {
        ...{
          fill: "new",
          patient: expect.stringMatching(/^Zephyrine Quillfeather/),
          lot: "L2, L3",
          units: "90",
          schedule: "",
        },
        ...{ ndc: "70999-0101-30", prescriber: expect.stringContaining("Lindqvist"), ship_state: "CA" },
        ...{ filled_by: "A technician", checked_by: "A pharmacist" },
      },
    ]);
    const { body, text } = await people.pharmacist.get(asked("dispensing"));
    expect(text).toContain(made.order_number);
    expect(text).not.toContain("Quillfeather");
    expect(body.rows[0].cells).toHaveLength(reportRow("dispensing").columns.length);
    // A partial fill of the first describe block.
    expect((await csv("dispensing")).map(({ fill }) => fill)).toContain("new, part 1");
  });

  test("errors and near misses list refused packages, orders sent back, and refunds for an error", async () => {
    const at = `/dashboard/orders/${shop.account_id}/${made.order_number}/misses`;
    // Nobody fills or checks a shipped order.
    expect((await people.technician.send("POST", at, { found: "wrong_product" })).body).toEqual({ noted: false });
    expect((await people.technician.send("POST", at, { found: "anything" })).status).toBe(422);
    expect((await own("errors")).map(({ kind, what, reason, who }) => [kind, what, reason, who])).toEqual([
      ["near miss", "An expired package was used.", "At fill", "A technician"],
      ["near miss", "A package of another product was scanned.", "At product check", "A lead"],
      ["sent back", "The pharmacist sent the order back to fill.", "The bottle was open.", "A lead"],
      ["error", "The order was refunded.", "Pharmacy Error", ""],
    ]);
    expect((await auditedAs("product_missed")).map(({ subject }) => subject)).toEqual(Array(2).fill(made.order_number));
    // A page reports the scans that it refuses itself, up to a limit.
    const filling = await shop.reach(await placed(app, (await newOrder(app)).body), "Filling/fill");
    const page = at.replace(made.order_number, filling.order_number);
    await app.deps.db.raw(
      `insert into product_miss (account_id, order_number, at, person_id, stage, found)
      select $1, $2, now(), 'tess', 'fill', 'wrong_product' from generate_series(1, $3)`,
      [shop.account_id, filling.order_number, MOST_MISSES - 1],
    );
    expect((await people.technician.send("POST", page, { found: "wrong_product" })).body).toEqual({ noted: true });
    expect((await people.technician.send("POST", page, { found: "wrong_product" })).body).toEqual({ noted: false });
  });

  test("overrides have the pharmacist, the license, the reason and an intact signature", async () => {
    const { order } = await held[74](app);
    const text = "The patient took amoxicillin last year without a reaction.";
    const body = { event: "resolve", exception_id: 74, reason: text, code: "previously_tolerated" };
    const path = `/dashboard/orders/${shop.account_id}/${order.order_number}/work`;
    expect((await people.pharmacist.send("POST", path, body)).status).toBe(200);
    const [row, ...others] = (await csv("overrides")).filter((one) => one["order_number"] === order.order_number);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      ...{ exception: expect.stringMatching(/^74 /), code: expect.stringContaining("tolerated"), text },
      ...{ pharmacist: "A pharmacist", license_number: "RPH-2001", signature: "intact" },
    });
    // Another person in the row breaks the signature.
    await app.deps.db.raw("update order_note set person_id = $1 where order_number = $2 and signature is not null", [
      people.lead.person_id,
      order.order_number,
    ]);
    const [forged] = (await csv("overrides")).filter((one) => one["order_number"] === order.order_number);
    expect(forged!["signature"]).toBe("broken");
  });

  test("the ledger's last balance of each controlled product is what the shelf has", async () => {
    const rows = await csv("ledger");
    const { rows: shelves } = await app.deps.db.raw(
      `select s.sku, s.on_hand_units::float8 as units from stock s join product p using (account_id, sku)
      where s.account_id = $1 and p.drug_schedule <> '0'`,
      [shop.account_id],
    );
    const last = new Map(
      rows.filter(({ partner }) => partner === "Willow Telehealth").map((row) => [row["sku"], row["balance"]]),
    );
    const checked = shelves.filter(({ sku }) => last.has(String(sku)));
    expect(checked.length).toBeGreaterThan(0);
    expect(checked.map(({ sku }) => last.get(String(sku)))).toEqual(checked.map(({ units }) => String(units)));
    expect(rows.map(({ kind }) => kind)).toContain("dispensed");
    expect(rows.map(({ kind }) => kind)).not.toContain("reserved");
  });

  test("the ledger shows a return and each destruction with lot, reason, person and witness", async () => {
    const rx = await arrived(app, { drug_schedule: "2", written_qty: 30, days_supply: 30 });
    const { order_number, items } = await ship(rx, 30);
    const sku = items[0]!.sku;
    const move = async (what: string, body: object) => {
      const { status, text } = await people.lead.send("POST", `/dashboard/stock/${shop.account_id}/${what}`, body);
      expect([what, status, text]).toEqual([what, 200, text]);
    };
    await move("receive", { sku, units: 20, lot: "C2-LOT", expires_on: "2199-01-01" });
    await move("return", { order_number, note: "The address was wrong." });
    const by = { sku, note: "Crushed in front of both.", witness_id: people.technician.person_id };
    await move("destroy", { ...by, units: 30, lot: "L1", returned: true, reason: "returned" });
    await move("destroy", { ...by, units: 5, lot: "C2-LOT", reason: "damaged" });
    const rows = (await csv("ledger")).filter((row) => row["sku"] === sku).slice(-3);
    const on_hand = Number(rows[2]!["balance"]);
    const people_of = { who: "A lead", witness: "A technician", order_number: "" };
    expect(rows).toMatchObject([
      {
        ...{ kind: "returned", lot: "L1", units: "30", balance: String(on_hand + 5), returned: "30" },
        ...{ order_number, who: "A lead", witness: "", note: "The address was wrong." },
      },
      {
        ...{ kind: "returned destroyed", lot: "L1", units: "-30", balance: String(on_hand + 5), returned: "0" },
        ...{ ...people_of, note: "returned: Crushed in front of both." },
      },
      {
        ...{ kind: "destroyed", lot: "C2-LOT", units: "-5", returned: "0" },
        ...{ ...people_of, note: "damaged: Crushed in front of both." },
      },
    ]);
  });

  test("counseling shows what a pharmacist recorded, the offer in the parcel, and what is missing", async () => {
    const outcomes = (await csv("counseling")).map(({ rule, outcome, how }) => [rule, outcome, how]);
    expect(outcomes).toContainEqual(["written offer", "Offered in the parcel", "In writing"]);
    expect(outcomes).toContainEqual(["call", "Accepted and given", "By phone"]);
    expect(outcomes).toContainEqual(["call", "Not offered yet", ""]);
  });

  test("who looked at whom is for leads and admins, by person or by patient, and names itself", async () => {
    const by_person = await csv("access", `&person_id=${people.technician.person_id}`);
    expect(by_person.map(({ action }) => action)).toContain("filled an order");
    const by_patient = await csv("access", `&account_id=${shop.account_id}&patient_id=${made.patient_id}`);
    const actions = new Set(by_patient.map(({ action }) => action));
    // The dispensing log above had this patient in it.
    for (const action of ["checked the products of an order", "exported a report for inspectors"])
      expect(actions).toContain(action);
    expect((await people.lead.get(asked("access"))).status).toBe(422);
    expect((await people.pharmacist.get(asked("access", `&person_id=${people.lead.person_id}`))).status).toBe(404);
    for (const report of reportNames) expect((await people.technician.get(asked(report))).status).toBe(404);
  });

  test("days are checked, and so is a recent password before a file", async () => {
    const get = async (query: string) => (await people.lead.get(`/dashboard/reports/errors?${query}`)).status;
    expect(await get("from=2026-01-01&to=2026-01-31")).toBe(200);
    expect(await get("from=2026-01-01&to=2026-02-01")).toBe(422);
    expect(await get("from=2026-02-30")).toBe(422);
    expect(await get("from=2026-02-02&to=2026-02-01")).toBe(422);
    expect(await get("to=2026-02-01")).toBe(400);
    expect(await get("from=yesterday")).toBe(400);
    expect((await people.lead.get("/dashboard/reports/nonsense?from=2026-01-01")).status).toBe(404);
    expect((await people.lead.get("/dashboard/reports/errors/xls?from=2026-01-01")).status).toBe(404);
    const old = await webPerson(app, "lead");
    await app.deps.db.raw("update session set verified_at = now() - interval '1 day' where person_id = $1", [
      old.person_id,
    ]);
    expect((await old.get(asked("errors").replace("?", "/csv?"))).body.error.key).toBe("verify");
    expect((await old.get(asked("errors"))).status).toBe(200);
  });

  test("every question of the guide is answered by its screen and by its command", async () => {
    const admin = await webPerson(app, "admin");
    const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_JOBS_URL, DATA_DIR } = app.config;
    const env = { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_JOBS_URL, DATA_DIR, MASTER_KEY: TEST_MASTER_KEY };
    const sku = String((await csv("ledger"))[0]!["sku"]);
    const values = {
      FROM: today(),
      TO: today(),
      ACCOUNT: shop.account_id,
      PATIENT: made.patient_id,
      SKU: sku,
      LOT: "L2",
    };
    const filled = (text: string) =>
      Object.entries(values).reduce((left, [word, value]) => left.replaceAll(word, value), text);
    expect(inspectionQuestions.map(({ asks }) => asks)).toEqual(
      expect.arrayContaining(reportNames.map((name) => reportRow(name).asks)),
    );
    for (const { asks, reads, command } of inspectionQuestions) {
      const by = reads.startsWith("/dashboard/counseling") ? people.lead : admin;
      expect([asks, (await by.get(filled(reads))).status]).toEqual([asks, 200]);
      const { name, argument, options } = parsed(filled(command));
      const { text } = await runCommand(env, name, options, argument);
      expect([asks, text.length > 0]).toEqual([asks, true]);
    }
    // An entry of a command names the user of the server, and a file has the same rows as the dashboard's.
    const out = join(tmpdir(), `pestle-report-${process.pid}.pdf`);
    const options = { from: today(), environment: "sandbox" };
    const printed = await runCommand(env, "report dispensing", options);
    expect(readCsv(printed.text).records.length).toBe((await csv("dispensing")).length + 1);
    expect((await auditedAs("report_exported")).at(-1)!["os_user"]).toBe(null);
    expect((await auditedAs("report_exported")).some(({ os_user }) => os_user !== null)).toBe(true);
    for (const report of reportNames) {
      const whose = reportRow(report).takes === "someone" ? { account: shop.account_id, patient: made.patient_id } : {};
      await runCommand(env, `report ${report}`, { ...options, ...whose, format: "pdf", out });
      expect([report, textOf(readFileSync(out))]).toEqual([report, expect.stringContaining(reportRow(report).title)]);
    }
    rmSync(out);
    expect(await refusalOf(runCommand(env, "report access", options))).toMatch(/^2 Give --person/);
    expect(await refusalOf(runCommand(env, "report errors", { ...options, format: "pdf" }))).toMatch(/^2 Give --out/);
    expect(await refusalOf(runCommand(env, "report errors", { from: "2026-01-01", to: "2026-03-01" }))).toMatch(
      /at most 31 days/,
    );
    expect(await refusalOf(runCommand(env, "report access", { ...options, person: "no@one.example" }))).toMatch(
      /no such user/,
    );
  });
});

/** A command line of the guide: the command's two words, its argument, and options with values or without. */
function parsed(line: string) {
  const words = line.split(" ");
  const at = words.findIndex((word) => word.startsWith("--"));
  const plain = at === -1 ? words : words.slice(0, at);
  const two = plain[0] === "recall" ? 1 : 2;
  const options: Record<string, string | boolean> = {};
  const rest = at === -1 ? [] : words.slice(at);
  rest.forEach((word, place) => {
    if (!word.startsWith("--")) return;
    const value = rest[place + 1];
    options[word.slice(2)] = value === undefined || value.startsWith("--") ? true : value;
  });
  return { name: plain.slice(0, two).join(" "), argument: plain[two] ?? "", options };
}
