import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { documentKinds, type Order } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addDays, dateIn } from "../../../src/domain/values/calendar.ts";
import { type Given, newOrder, type OrderBody, placed, post, prescribed } from "../../support/orders.ts";
import { ask, goodDocument } from "../../support/patient.ts";
import { startTestApp, TEST_MASTER_KEY, type TestApp } from "../../support/test-app.ts";
import { textOf } from "../../support/tools/read-pdf.ts";
import { runCli } from "../../support/tools/run-cli.ts";
import { runCommand } from "../../support/tools/run-command.ts";
import { staffAtCli } from "../../support/tools/staff-login.ts";
import { testLicense } from "../../support/web.ts";

let app: TestApp;
let folder: string;
let env: Record<string, string>;
let account: string;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  folder = mkdtempSync(join(tmpdir(), "pestle-order-"));
  const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_JOBS_URL, DATA_DIR } = app.config;
  env = {
    DATABASE_URL,
    DATABASE_OWNER_URL,
    DATABASE_JOBS_URL,
    DATA_DIR,
    MASTER_KEY: TEST_MASTER_KEY,
    XDG_CONFIG_HOME: folder,
  };
  account = app.demo.partners[0]!.account_id;
  const roles = ["technician", "pharmacist", "lead"];
  await staffAtCli(app, env, Object.fromEntries(roles.map((role) => [mail(role), role])));
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

const mail = (role: string) => `${role}@larkspur.example`;
const fileOf = (name: string) => join(folder, name);

// The log is read where the command runs in its own process.
const run = (name: string, options: Record<string, unknown> = {}, argument = "") =>
  runCommand({ ...env, LOG_LEVEL: "warn" }, name, options, argument);
const order = (verb: string, as: string, { order_number }: Pick<Order, "order_number">, options = {}) =>
  run(`order ${verb}`, { account, as: mail(as), ...options }, order_number);
const stateOf = async (done: Promise<{ data: { state: string } }>) => (await done).data.state;

const lots = (lot: string, { items }: Order) => ({ lot: items.map(({ item_id }) => `${item_id}=${lot}:2099-05-31`) });
const scans = ({ items }: Order) => ({ scan: items.map(({ item_id, ndc, sku }) => `${item_id}=${ndc ?? sku}`) });

/** From review to the parcel, by pharmacy staff. */
async function shipped(made: Order, lot: string) {
  await order("approve", "pharmacist", made);
  await order("fill", "technician", made, lots(lot, made));
  await order("check", "pharmacist", made, scans(made));
  await order("ship", "technician", made);
}
const place = async (given: Given = {}, change: (body: OrderBody) => unknown = (body) => body) => {
  const { body } = await newOrder(app, given);
  return placed(app, change(body), { partner: given.partner ?? 0 });
};
const read = async ({ order_number }: Order): Promise<Order> =>
  JSON.parse((await ask(app, `/orders/${order_number}`)).text);

describe("an order is worked from the command line", () => {
  test("by the roles for each step, one step after another", async () => {
    const made = await place();
    await expect(order("fill", "technician", made, lots("L1", made))).rejects.toThrow("not at a stage");
    await expect(order("approve", "technician", made)).rejects.toThrow("Your role does not allow this.");
    expect(await stateOf(order("approve", "pharmacist", made))).toBe("Filling/fill");
    await expect(order("fill", "technician", made, { lot: ["L1"] })).rejects.toThrow("--lot takes item=lot:expiry");
    await expect(order("fill", "technician", made, { lot: ["L1:2020-01-31"] })).rejects.toThrow("has expired");
    // A single item need not be named.
    expect(await stateOf(order("fill", "technician", made, { lot: ["L1:2099-01-31"] }))).toBe("Filling/product_check");
    await expect(order("check", "pharmacist", made, { scan: ["70999-0102-30"] })).rejects.toThrow(
      "not the ordered one",
    );
    const reason = "The seal is broken.";
    expect(await stateOf(order("reject", "pharmacist", made, { reason }))).toBe("Filling/fill");
    await order("fill", "pharmacist", made, lots("L2", made));
    await expect(order("check", "pharmacist", made, scans(made))).rejects.toThrow("another person must check it");
    expect(await stateOf(order("check", "lead", made, { scan: ["70999-0101-30"] }))).toBe("Filling/pack");
    const sent = await order("ship", "technician", made);
    const { tracking_no } = (await read(made)).shipments[0]!;
    expect(sent.text).toBe(`Order ${made.order_number} is Shipped. Tracking number: ${tracking_no}.`);
    const lost = { status: "lost", description: "Trace closed." };
    expect(await stateOf(order("track", "technician", made, lost))).toBe("Shipped");
    expect((await read(made)).shipments[0]!.status).toBe("lost");

    const { data, text } = await order("show", "technician", made);
    expect(data).toMatchObject({ state: "Shipped", items: [{ lot: "L2", lot_expires_on: "2099-05-31" }] });
    for (const line of ["complete_fill", "reject_product", `pharmacist ${mail("pharmacist")}`, reason, tracking_no]) {
      expect(text).toContain(line);
    }
  });

  test("is held, inspected and released; an override of the safety engine is signed", async () => {
    const made = await place({ prescription: prescribed("amoxicillin-500", 30) }, (body) => ({
      ...body,
      patient: { ...body.patient, patient_safety: { allergies: ["Penicillin"] } },
    }));
    expect(made.exceptions.map(({ id }) => id)).toEqual([74]);
    const held = await order("raise", "technician", made, { exception: "68", reason: "Seen twice?" });
    expect(held.data).toMatchObject({ state: "On Hold", exceptions: [68, 74] });
    const off = {
      exception: "74",
      code: "previously_tolerated",
      reason: "Tolerated it in May, says the prescriber.",
    };
    await expect(order("resolve", "technician", made, off)).rejects.toThrow("Only a pharmacist");
    await order("resolve", "technician", made, { exception: "68", reason: "Only once." });
    await expect(order("resolve", "pharmacist", made, { ...off, code: undefined })).rejects.toThrow("reason code");
    await expect(order("resolve", "pharmacist", made, { ...off, reason: "Fine." })).rejects.toThrow("10 characters");
    expect(await stateOf(order("resolve", "pharmacist", made, off))).toBe("Processing/clinical_review");
    const { text, data } = await order("show", "pharmacist", made);
    const signed = `[overrides 74; ${off.code}, license ${testLicense.license_number}; signature valid]`;
    expect(text).toContain(`${off.reason} ${signed}`);
    // The prescriber's own allergy stays, and warns.
    expect(data).toMatchObject({
      findings: [
        { kind: "allergy", exception_id: 74 },
        { kind: "allergy", exception_id: null },
      ],
    });
    await app.deps.db.raw("update order_note set person_id = 'somebody' where signature is not null");
    expect((await order("show", "pharmacist", made)).text).toContain("SIGNATURE INVALID");
  });

  test("shows whether the patient was asked; staff add an entry, and only a pharmacist removes it", async () => {
    const made = await place();
    const safety = "safety   allergies listed, medications not asked, conditions not asked";
    expect((await order("show", "technician", made)).text).toContain(safety);
    await order("add-fact", "technician", made, { kind: "medication", text: "Melatonin" });
    const wrong = { entry: "2", reason: "Stopped in May." };
    await expect(order("remove-fact", "technician", made, wrong)).rejects.toThrow("Your role does not allow this.");
    await expect(order("remove-fact", "pharmacist", made, { ...wrong, entry: "9" })).rejects.toThrow("no such entry");
    await expect(order("add-fact", "pharmacist", made, { kind: "allergy", text: " " })).rejects.toThrow("Write 1 to");
    await order("remove-fact", "pharmacist", made, wrong);
    const hidden = await order("show", "pharmacist", made);
    expect(hidden.text).not.toContain("Melatonin");
    const { data, text } = await order("show", "pharmacist", made, { reveal: true });
    expect(data).toMatchObject({
      patient_safety: { allergies: ["tartrazine"], medications: [], medications_status: "not_asked" },
      removed_entries: [{ entry_id: 2, source: "pharmacy", removed: { by: "pharmacy", reason: wrong.reason } }],
    });
    expect(text).toMatch(/2 +medication +Melatonin +pharmacy +.*by the pharmacy: Stopped in May\./);
    const { rows } = await app.deps.db.raw(
      "select action from audit_entry where subject = $1 and action like 'safety%' order by audit_id",
      [made.order_number],
    );
    expect(rows.map(({ action }) => action)).toEqual(["safety_entry_added", "safety_entry_removed"]);
  });

  test("is claimed by one user at a time, and taken over by a lead", async () => {
    const made = await place();
    await order("claim", "pharmacist", made);
    await expect(order("note", "technician", made, { text: "" })).rejects.toThrow("Write 1 to");
    expect((await order("note", "technician", made, { text: "Waits for a call." })).text).toBe("Note added.");
    await expect(order("claim", "technician", made)).rejects.toThrow("Another person is working on this order.");
    await expect(order("cancel", "technician", made, { reason: "x" })).rejects.toThrow("Another person is working");
    expect((await order("release", "technician", made)).data).toMatchObject({ released: false });
    await order("claim", "lead", made);
    const { data, text } = await order("show", "technician", made);
    expect(data).toMatchObject({
      claimed_by: mail("lead"),
      notes: [{ reason: "Waits for a call.", role: "technician" }],
    });
    expect(text).toContain(`claimed  by ${mail("lead")}`);
    expect((await order("release", "lead", made)).data).toMatchObject({ released: true });
    expect(await stateOf(order("cancel", "technician", made, { reason: "The practice asked." }))).toBe("Canceled");
  });

  test("gets a refund with a reason, and never more than was captured", async () => {
    const made = await place();
    await expect(order("refund", "lead", made, { reasonId: "101" })).rejects.toThrow("not at a stage");
    await shipped(made, "L9");
    const { amount_cents } = made.payment;
    await order("refund", "lead", made, { reasonId: "101", amount: "200" });
    const more = { reasonId: "101", amount: String(amount_cents) };
    await expect(order("refund", "lead", made, more)).rejects.toThrow("more than remains to refund");
    await order("refund", "lead", made, { reasonId: "105" });
    expect((await read(made)).payment).toMatchObject({ status: "refunded", refunded_cents: amount_cents });
  });

  test("that does not exist, or by a user outside the pharmacy, is rejected in one line", async () => {
    const made = await place();
    const nobody = { order_number: "0000000000" };
    await expect(order("show", "lead", nobody)).rejects.toThrow("There is no such order in this account.");
    await expect(order("claim", "lead", nobody)).rejects.toThrow("There is no such order in this account.");
    await expect(order("approve", "nobody", made)).rejects.toThrow(
      "nobody@larkspur.example is not signed in on this machine. Run `pestle user login --email nobody@larkspur.example` first.",
    );
    const other = { account: app.demo.partners[1]!.account_id, as: mail("lead") };
    await expect(run("order show", other, made.order_number)).rejects.toThrow("no such order");
    await expect(run("order show", { ...other, account: "x" }, made.order_number)).rejects.toThrow("no such account");
  });

  test("shows the patient only on request", async () => {
    const made = await place({ patient: { first_name: "Zenobia", dob: "1951-06-07" } });
    const telling = ["Zenobia", "1951-06-07", "Thistledown"];
    const plain = await order("show", "technician", made);
    const revealed = await order("show", "technician", made, { reveal: true });
    for (const word of telling) {
      expect(`${plain.text}${JSON.stringify(plain.data)}`).not.toContain(word);
      expect(revealed.text).toContain(word);
    }
    const typed = ["order", "show", made.order_number, "--account", account, "--as", mail("lead")];
    const { code, stdout, stderr } = await runCli(typed, env);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`${(await order("show", "lead", made)).text}\n`);
  });
});

describe("documents", () => {
  const bytesOf = async (kind: string, made: Order, options = {}) => {
    const out = fileOf(`${made.order_number}-${kind}`);
    await order("document", "technician", made, { kind, out, ...options });
    expect(statSync(out).mode & 0o777).toBe(0o600);
    return readFileSync(out);
  };
  const says = textOf;

  test("contain the order, its patient, its prescription and its lot", async () => {
    const made = await place({ patient: { first_name: "Ottilie" }, prescription: { refills: 3 } }, (body) => ({
      ...body,
      brand_id: 2,
      reference: "WT-77",
      items: [...body.items, { sku: "pill-organizer" }],
    }));
    await expect(bytesOf("prescription", made)).rejects.toThrow("is not filled yet");
    await expect(bytesOf("slip", made)).rejects.toThrow("has no shipping label yet");
    await expect(bytesOf("label", made)).rejects.toThrow("has no shipping label yet");
    await shipped(made, "LOT-7731");
    const { shipments, items } = await read(made);
    const { tracking_no } = shipments[0]!;
    const [rx] = items;

    const label = says(await bytesOf("prescription", made));
    for (const word of [
      "Ottilie Quillfeather",
      "Atorvastatin 20 mg tablet",
      "NDC 70999-0101-30",
      `Rx ${rx!.prescription_id}`,
      `Fill ${rx!.dispense_id}`,
      "Lot LOT-7731",
      "05/31/2099",
      "Take one tablet by mouth daily.",
      "Qty 90",
      "Refills left 3",
      "Ada Lindqvist",
      "Larkspur Pharmacy",
    ]) {
      expect(label).toContain(word);
    }
    const leaflet = says(await bytesOf("leaflet", made));
    for (const word of ["Ottilie Quillfeather", "Atorvastatin", "Take one tablet by mouth daily."]) {
      expect(leaflet).toContain(word);
    }
    const slip = says(await bytesOf("slip", made));
    for (const word of [
      "Larkspur Calm",
      "WT-77",
      "4417 Thistledown Ave",
      "Weekly pill organizer",
      "LOT-7731",
      tracking_no,
    ]) {
      expect(slip.replaceAll(" ", "")).toContain(word.replaceAll(" ", ""));
    }
    const parcel = says(await bytesOf("label", made));
    for (const word of ["Ottilie Quillfeather", "4417 Thistledown Ave", "USPS", "WT-77"])
      expect(parcel).toContain(word);
    // The outside does not reveal the content.
    for (const word of ["Atorvastatin", "70999", "LOT-7731"]) expect(parcel).not.toContain(word);
    expect(parcel.replaceAll(" ", "")).toContain(tracking_no);
  });

  test("of an order with several items need the item", async () => {
    const { body, patient_id } = await newOrder(app, { patient: { first_name: "Leopoldine" } });
    const simulated = await post(
      app,
      { simulation_type: "prescription", simulation: { drug_name: "finasteride", written_qty: 30, patient_id } },
      { path: "/simulate" },
    );
    const second = { prescription_id: simulated.body.prescription_id, quantity: 1, package_size: 30 };
    const made = await placed(app, { ...body, items: [...body.items, second] });
    await shipped(made, "TWO");
    await expect(bytesOf("leaflet", made)).rejects.toThrow("Name one");
    await expect(bytesOf("leaflet", made, { item: "9" })).rejects.toThrow("no such item");
    expect(says(await bytesOf("leaflet", made, { item: "1" }))).toContain("Atorvastatin");
    expect(says(await bytesOf("prescription", made, { item: "2" }))).toContain("Finasteride");
  });

  test("log who printed what, without the content", async () => {
    const made = await place({ patient: { first_name: "Philippa" } });
    await shipped(made, "L4");
    const typed = ["order", "document", made.order_number, "--account", account, "--as", mail("technician")];
    const printing = [...typed, "--kind", "prescription", "--out", fileOf("printed.pdf")];
    const { code, stdout, stderr } = await runCli(printing, env);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Wrote .+ \(PDF, \d+ bytes\)\.\n$/)]);
    const { rows } = await app.deps.db.raw("select person_id from person where email = $1", [mail("technician")]);
    expect(JSON.parse(stderr)).toEqual({
      level: 30,
      time: expect.any(String),
      account_id: account,
      order_number: made.order_number,
      document: "prescription",
      person_id: rows[0]!["person_id"],
      msg: "printed a document",
    });
    const out = join(folder, "no", "where");
    for (const kind of documentKinds) {
      await expect(order("document", "lead", made, { kind, out })).rejects.toThrow("The file cannot be written");
    }
  });
});

describe("a recall", () => {
  test("finds every patient of the lot and no others, shipped or not yet", async () => {
    const first = await place({ patient: { first_name: "Rosamund" } });
    await shipped(first, "RC-100");
    const other_lot = await place();
    await shipped(other_lot, "RC-1000");
    const other_partner = await place({ partner: 2 });
    const there = { account: app.demo.partners[2]!.account_id };
    await order("approve", "pharmacist", other_partner, there);
    await order("fill", "technician", other_partner, { ...there, ...lots("rc-100", other_partner) });
    const other_product = await place({ prescription: prescribed("finasteride-1", 30) });
    await shipped(other_product, "RC-100");
    const stopped = await place();
    await order("approve", "pharmacist", stopped);
    await order("fill", "technician", stopped, lots("RC-100", stopped));
    await order("cancel", "lead", stopped, { reason: "Not wanted any more." });
    const refilled = await place();
    await order("approve", "pharmacist", refilled);
    await order("fill", "technician", refilled, lots("RC-100", refilled));
    await order("reject", "pharmacist", refilled, { reason: "Recalled." });
    await order("fill", "technician", refilled, lots("RC-200", refilled));

    type Fill = { order_number: string; patient_id: string; shipped_at: Date | null; environment: string };
    const recall = async (options = {}) =>
      ((await run("recall", { lot: "RC-100", ...options })).data as { fills: Fill[] }).fills;
    const numbers = async (options = {}) => (await recall(options)).map(({ order_number }) => order_number).sort();
    const sorted = (...orders: Order[]) => orders.map(({ order_number }) => order_number).sort();
    expect(await numbers()).toEqual(sorted(first, other_partner, other_product));
    expect(await numbers({ sku: "atorvastatin-20" })).toEqual(sorted(first, other_partner));
    expect(await numbers({ environment: "production" })).toEqual(sorted(other_partner));
    expect(await numbers({ lot: "nothing" })).toEqual([]);
    expect(await recall({ sku: "atorvastatin-20", environment: "sandbox" })).toEqual([
      {
        environment: "sandbox",
        account_id: account,
        partner: "Willow Telehealth",
        order_number: first.order_number,
        order_status: "Shipped",
        patient_id: first.patient_id,
        sku: "atorvastatin-20",
        lot: "RC-100",
        lot_expires_on: "2099-05-31",
        units: 90,
        shipped_at: new Date((await read(first)).shipments[0]!.shipped_at),
        told_at: null,
      },
    ]);
    const plain = await run("recall", { lot: "RC-100" });
    expect(plain.text).toContain("not yet: Filling");
    expect(plain.text).toMatch(/3 fills, 3 patients\.\nThe shelf has no units of this lot\.$/);
    expect(`${plain.text}${JSON.stringify(plain.data)}`).not.toMatch(/Rosamund|Quillfeather/);
    const revealed = await run("recall", { lot: "RC-100", reveal: true });
    expect(revealed.text).toContain("Rosamund Quillfeather");
  });

  test("quarantines the lot for a signed-in pharmacist or lead, and ends the quarantine", async () => {
    const made = await place();
    await order("approve", "pharmacist", made);
    const recall = (options: object) => run("recall", { lot: "RC-300", ...options });
    const fill = () => order("fill", "technician", made, lots("RC-300", made));
    await expect(recall({ quarantine: true, as: mail("technician") })).rejects.toThrow(
      "Only a pharmacist, a lead or an admin",
    );
    await expect(recall({ quarantine: true, endQuarantine: true })).rejects.toThrow("not both");
    const { text } = await recall({ quarantine: true, as: mail("pharmacist") });
    expect(text).toBe(
      "The lot is in quarantine.\nNothing was filled from this lot.\nThe shelf has no units of this lot.",
    );
    await run("stock receive", { account, units: "40", lot: "rc-300:2099-05-31" }, "atorvastatin-20");
    const on_shelf = (await recall({})) as { text: string; data: { shelves: unknown[] } };
    expect(on_shelf.data.shelves).toMatchObject([{ sku: "atorvastatin-20", on_hand_units: 40, quarantined: true }]);
    expect(on_shelf.text).toMatch(/atorvastatin-20 +2099-05-31 +40 +0 +0 +yes/);
    expect((await recall({ sku: "finasteride-1" })).text).toContain("no units of this lot");
    await expect(fill()).rejects.toThrow("recalled");
    await recall({ endQuarantine: true, as: mail("lead") });
    await fill();
    const { rows } = await app.deps.db.raw("select action, role from audit_entry where subject = 'lot RC-300'", []);
    expect(rows).toEqual([
      { action: "lot_quarantined", role: "pharmacist" },
      { action: "lot_released", role: "lead" },
    ]);
  });
});

describe("the report of controlled substances", () => {
  const segments = (text: string, id: string) =>
    text
      .split("\n")
      .filter((line) => line.startsWith(`${id}*`))
      .map((line) => line.replace(/~$/, "").split("*"));
  const today = () => dateIn(app.config.TIME_ZONE, app.deps.now());
  const report = async (options: Record<string, unknown>) => {
    const { data } = await run("report controlled", { environment: "sandbox", ...options });
    return data as { records: number; gaps: unknown[]; report: string };
  };
  const controlled = (first_name: string, refills = 1) =>
    place(
      { patient: { first_name }, prescription: { ...prescribed("zolpidem-5", 30, { refills }), days_supply: 30 } },
      (body) => ({
        ...body,
        patient: { ...body.patient, identity_documents: [goodDocument] },
      }),
    );

  test("contains exactly the controlled fills that shipped on its days", async () => {
    const from = today();
    expect(await report({ from, to: from })).toMatchObject({ records: 0, report: expect.stringContaining("*ZERO~") });
    const one = await controlled("Perpetua");
    await shipped(one, "Z1");
    await shipped(await place(), "L1");
    await order("approve", "pharmacist", await controlled("Wilhelmina"));
    const elsewhere = await place(
      { partner: 2, prescription: { ...prescribed("zolpidem-5", 30), days_supply: 30 } },
      (body) => ({ ...body, patient: { ...body.patient, identity_documents: [goodDocument] } }),
    );
    expect(elsewhere.order_status).toBe("Processing");

    const { records, gaps, report: text } = await report({ from, to: from });
    expect([records, gaps]).toEqual([1, []]);
    const [[, ...dsp]] = segments(text, "DSP") as [string[]];
    const compact = from.replaceAll("-", "");
    const { prescription_id } = one.items[0]!;
    expect(dsp.slice(0, 10)).toEqual([
      "00",
      String(prescription_id),
      compact,
      "1",
      compact,
      "0",
      "01",
      "70999080130",
      "30",
      "30",
    ]);
    expect(segments(text, "PAT")[0]).toEqual(expect.arrayContaining(["CA", "06", goodDocument.number, "Perpetua"]));
    expect(segments(text, "PRE")[0]).toEqual(expect.arrayContaining(["1234567893", "FL1234563", "Lindqvist"]));
    expect(segments(text, "TH")[0]![7]).toBe("T");

    // The refill is on another day, by the account's clock.
    await post(app, { simulation_type: "clock", simulation: { advance_seconds: 30 * 86_400 } }, { path: "/simulate" });
    const refill = await post(app, {}, { path: `/orders/${one.order_number}/reorders` });
    expect([refill.status, refill.body.order_status]).toEqual([201, "Processing"]);
    await shipped(refill.body as Order, "Z2");
    expect((await report({ from, to: from })).records).toBe(1);
    const later = await report({ from: addDays(from, 1), to: addDays(from, 31) });
    expect(later.records).toBe(1);
    expect(segments(later.report, "DSP")[0]![6]).toBe("1");
    expect((await report({ from, to: addDays(from, 31) })).records).toBe(2);
    expect((await report({ from, to: addDays(from, 31), environment: "production" })).records).toBe(0);
    await expect(report({ from, to: addDays(from, -1) })).rejects.toThrow("The first day is after the last");
    await expect(report({ from: "2026-02-30", to: from })).rejects.toThrow("Give the first and the last day");
  });

  test("is printed, or written to a file that only its owner can read", async () => {
    const period = ["--from", "2020-01-01", "--to", "2020-01-31"];
    const { code, stdout, stderr } = await runCli(["report", "controlled", ...period], env);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^TH\*4\.2B\*\d{14}-\w{8}\*01\*\*\d{8}\*\d{6}\*P\*\*~~\nIS\*/);
    const out = fileOf("report.dat");
    const written = await run("report controlled", { from: "2020-01-01", to: "2020-01-31", out });
    expect(written.text).toBe(`Wrote ${out}: 0 fills.`);
    expect(readFileSync(out, "utf8").split("\n").length).toBe(stdout.split("\n").length);
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });
});
