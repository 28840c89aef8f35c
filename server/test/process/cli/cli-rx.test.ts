import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCommands } from "../../../src/cli/commands.ts";
import { type PresetName, rxPresets } from "../../../src/cli/intake/rx-presets.ts";
import { intakeRefusals } from "../../../src/domain/intake/intake-refusals.ts";
import { reasonSentence, reviewKinds } from "../../../src/domain/intake/review-kinds.ts";
import { addDays, dateIn } from "../../../src/domain/values/calendar.ts";
import { scriptVersions } from "../../../src/formats/script/version.ts";
import { writeDemo } from "../../../src/seed/demo-file.ts";
import { openPatientId } from "../../../src/usecases/patients/patient-rows.ts";
import { intakeRows, newMessage, openIntake } from "../../support/intake.ts";
import { startTestApp, TEST_MASTER_KEY, type TestApp } from "../../support/test-app.ts";
import { runCli } from "../../support/tools/run-cli.ts";
import { runCommand } from "../../support/tools/run-command.ts";
import { staffAtCli } from "../../support/tools/staff-login.ts";

const commands = await loadCommands();

let app: TestApp;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  app = await startTestApp();
  folder = mkdtempSync(join(tmpdir(), "pestle-rx-"));
  writeDemo(app.config.DATA_DIR, app.demo);
  const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_JOBS_URL, DATA_DIR } = app.config;
  env = {
    DATABASE_URL,
    DATABASE_OWNER_URL,
    DATABASE_JOBS_URL,
    DATA_DIR,
    MASTER_KEY: TEST_MASTER_KEY,
    XDG_CONFIG_HOME: join(folder, "config"),
  };
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Sent = {
  outcome: string;
  code: string | null;
  description_codes: string[];
  message_id: string;
  account_id: string;
  patient_id: string;
  prescription_id: number;
  acceptance: string;
  warnings: { code: string }[];
  answer: string;
};

const run = (name: string, options: Record<string, unknown> = {}, argument = "", settings = env) =>
  runCommand(settings, name, options, argument);
const send = async (preset: PresetName, options: Record<string, unknown> = {}) => {
  const output = await run("rx send", { preset, ...options });
  return { ...output, data: output.data as Sent };
};
const rowsOf = async (sql: string, ...params: unknown[]) => (await app.deps.db.raw(sql, params)).rows;
const prescriptionOf = async ({ message_id }: Sent): Promise<Record<string, unknown>> => {
  const [row] = await rowsOf(
    "select r.*, p.id_sealed from prescription r join patient p using (account_id, patient_key) where sender_message_id = $1",
    message_id,
  );
  const patient = row as { account_id: string; patient_key: number; id_sealed: Buffer };
  return { ...row, patient_id: openPatientId(app.deps, patient.account_id, patient) };
};
const presetNames = Object.keys(rxPresets) as PresetName[];
const fileOf = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const printed = async (preset: PresetName, options = {}) =>
  (await run("rx send", { preset, print: true, ...options })).text;

describe("every preset", () => {
  test.each(presetNames)("%s gets the answer of its row", async (name) => {
    if (name === "cancel") await send("simple");
    const { expects } = rxPresets[name];
    const { data, text, failed } = await send(name);
    if (expects in intakeRefusals) {
      expect(data).toMatchObject({ outcome: "refused", description_codes: [expects], prescription_id: null });
      expect(text).toMatch(new RegExp(`^Refused \\(\\d+ / ${expects}\\): .+`));
      expect(failed).toBe(true);
      return;
    }
    expect([data.outcome, failed]).toEqual([expects, false]);
    if (expects === "canceled") return;
    const row = await prescriptionOf(data);
    expect(data).toMatchObject({
      account_id: app.demo.partners[0]!.account_id,
      patient_id: row["patient_id"],
      prescription_id: row["prescription_id"],
      acceptance: row["acceptance"],
    });
    expect(text).toContain(`prescription_id  ${row["prescription_id"]}`);
    expect(row["written_date"]).toBe(dateIn(app.config.TIME_ZONE, new Date()));
    // The demo's formulary has each of them.
    expect(row["gcn"]).toMatch(/^9\d{4}$/);
  });

  test.each(presetNames)("%s is explained before it is sent: accepted or rejected", async (name) => {
    const { expects } = rxPresets[name];
    const { data, text, failed } = await run("rx lint", {}, fileOf(`${name}.message`, await printed(name)));
    expect([name, failed]).toEqual([name, expects in intakeRefusals]);
    expect((data as { refusal: unknown }).refusal).toEqual(
      expects in intakeRefusals ? expect.objectContaining({ description_code: expects }) : null,
    );
    expect(text).toMatch(/^The output below contains patient data\. Handle it accordingly\.\n/);
  });

  test("is listed with its description and its outcome", async () => {
    const { data, text } = await run("rx send", { list: true });
    expect((data as { name: string }[]).map(({ name }) => name)).toEqual(presetNames);
    expect(text).toMatch(/no-birth-date +script +refused with 080 /);
  });

  test("does what its name says", async () => {
    const made = async (name: PresetName) => prescriptionOf((await send(name)).data);
    expect(await made("controlled-signed")).toMatchObject({ acceptance: "not_needed", drug_schedule: "4" });
    expect(await made("controlled-unsigned")).toMatchObject({ acceptance: "pending", drug_schedule: "2", refills: 0 });
    expect(await made("brand-daw")).toMatchObject({ daw: true, ndc: "70999010230" });
    expect(await made("prn")).toMatchObject({ refills: 99 });
    const today = dateIn(app.config.TIME_ZONE, new Date());
    expect(await made("future-effective")).toMatchObject({ effective_date: addDays(today, 14) });
    expect(await made("fhir")).toMatchObject({ source: "fhir" });
    const patient = async (id: string) => (await app.call(`/v1/patients/${id}`)).json();
    expect(await patient("perpetua-1013")).toMatchObject({ addresses: [] });
    await send("allergic");
    expect(await patient("ottoline-1012")).toMatchObject({ patient_safety: { allergies: ["Penicillin"] } });
  });
});

describe("rx send", () => {
  test.each(scriptVersions)("sends SCRIPT %s", async (version) => {
    const { data } = await send("simple", { version });
    expect(data).toMatchObject({ outcome: "accepted", code: "010", patient_id: "wren-1004" });
  });

  test("gives each message its own id, so that a second one is a second prescription", async () => {
    const [one, two] = [(await send("simple")).data, (await send("simple")).data];
    expect(one.message_id).not.toBe(two.message_id);
    expect(one.prescription_id).not.toBe(two.prescription_id);
    expect(one.patient_id).toBe(two.patient_id);
  });

  test("cancels the last simple prescription and no other, then the one before, then none", async () => {
    const to = app.demo.partners[1]!.ncpdp_id;
    const [one, two] = [(await send("simple", { to })).data, (await send("simple", { to })).data];
    const active = async () => [(await prescriptionOf(one))["active"], (await prescriptionOf(two))["active"]];
    await send("cancel", { to });
    expect(await active()).toEqual([true, false]);
    await send("cancel", { to });
    expect(await active()).toEqual([false, false]);
    expect((await send("cancel", { to })).text).toContain("The prescription was already inactive.");
  });

  test("reports a cancellation that found nothing, and exits with 1", async () => {
    const own = await startTestApp();
    try {
      writeDemo(own.config.DATA_DIR, own.demo);
      const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_JOBS_URL, DATA_DIR } = own.config;
      const settings = { ...env, DATABASE_URL, DATABASE_OWNER_URL, DATABASE_JOBS_URL, DATA_DIR };
      const { text, failed } = await run("rx send", { preset: "cancel" }, "", settings);
      expect(text).toContain("Not canceled: This pharmacy does not know the prescription.");
      expect(text).toContain("It needs a manual review: pestle rx review");
      expect(failed).toBe(true);
    } finally {
      await own.stop();
    }
  });

  test("prints a message without sending it, and sends a printed one again with the same answer", async () => {
    const before = await intakeRows(app);
    const text = await printed("simple", { version: "10.6" });
    expect(await intakeRows(app)).toEqual(before);
    const file = fileOf("simple.xml", text);
    const first = await run("rx send", {}, file);
    const again = await run("rx send", {}, file);
    expect(again).toEqual(first);
    expect((await intakeRows(app))["prescription"]).toBe(before["prescription"]! + 1);
  });

  test("recognizes a FHIR file by its content, and adds a missing receiver", async () => {
    const bundle = JSON.parse(await printed("fhir"));
    for (const { resource } of bundle.entry) delete resource.dispenseRequest?.performer;
    bundle.entry = bundle.entry.filter(({ resource }: { resource: { id: string } }) => resource.id !== "pharmacy");
    delete bundle.identifier;
    delete bundle.meta;
    const file = fileOf("bundle.txt", `\n${JSON.stringify(bundle)}`);
    expect(await run("rx send", {}, file)).toMatchObject({ failed: true, data: { description_codes: ["002"] } });
    const sent = await run("rx send", { to: "9900025" }, file);
    // Without sender and id, a message is recognized by its credential and its bytes.
    expect(sent.data).toMatchObject({
      outcome: "accepted",
      account_id: app.demo.partners[1]!.account_id,
      patient_id: expect.any(String),
      message_id: expect.stringMatching(/^sha256 /),
    });
  });

  test("lists all problems with a message, and exits with 1", async () => {
    const spoiled = (await printed("simple"))
      .replace(/<LastName>.*?<\/LastName>/, "")
      .replace(/<Quantity>.*?<\/Quantity>/, "");
    const { text, failed } = await run("rx send", {}, fileOf("spoiled.xml", spoiled));
    expect(text).toMatch(/^Refused \(900 \/ 081\): The patient.s last name is missing\.\n {2}also 135: The quantity/);
    expect(failed).toBe(true);
  });

  test("without the database shows only the answer", async () => {
    const elsewhere = join(folder, "elsewhere");
    mkdirSync(elsewhere);
    writeDemo(elsewhere, app.demo);
    const { data, failed } = await run("rx send", { preset: "prn" }, "", { DATA_DIR: elsewhere });
    expect(failed).toBe(false);
    expect(data).toMatchObject({ outcome: "accepted", code: "010", patient_id: null, prescription_id: null });
    // FHIR's answer contains the prescription itself.
    const fhir = (await run("rx send", { preset: "fhir" }, "", { DATA_DIR: elsewhere })).data as Sent;
    expect(await prescriptionOf(fhir)).toMatchObject({ prescription_id: fhir.prescription_id });
    const nobodys = await run("rx send", { preset: "no-address", to: "1111111" }, "", { DATA_DIR: elsewhere });
    expect(nobodys.text).toContain("Refused (900 / 002): The receiver's id (To) is missing or unknown here.");
  });

  test("sends as any client with the scope, and takes no secret from the arguments", async () => {
    const { client_id, client_secret } = app.demo.intake;
    const elsewhere = join(folder, "no-demo");
    mkdirSync(elsewhere);
    const { base_url, sandbox_auth_url } = app.addresses;
    const settings = {
      DATA_DIR: elsewhere,
      BASE_URL: base_url,
      SANDBOX_AUTH_URL: sandbox_auth_url,
      CLIENT_SECRET: client_secret,
    };
    const options = { preset: "simple", to: "9900017", clientId: client_id, environment: "sandbox" };
    expect(await run("rx send", options, "", settings)).toMatchObject({ failed: false });
  });

  const wrong: Record<string, [options: Record<string, unknown>, file: string, message: string]> = {
    "neither file nor preset": [{}, "", "Give either a file or --preset."],
    "file and preset": [{ preset: "simple" }, "x.xml", "Give either a file or --preset."],
    "a version for a file": [{ version: "10.6" }, "x.xml", "--version requires --preset"],
    "a version for FHIR": [{ preset: "fhir", version: "10.6" }, "", "--version applies only to SCRIPT presets."],
    "a file that is not there": [{}, "nowhere.xml", "The file cannot be read: ENOENT"],
    "a partner's credential": [
      { preset: "simple", clientId: "PARTNER" },
      "",
      "The token server refused: invalid_scope.",
    ],
  };
  test.each(Object.entries(wrong))("rejects %s in one line", async (_what, [options, file, message]) => {
    if (options["clientId"] === "PARTNER") options["clientId"] = app.demo.partners[0]!.client_id;
    await expect(run("rx send", options, file)).rejects.toThrow(message);
  });

  test("rejects a receiver for a SCRIPT file, a body too large, a folder without a demo and an unreachable service", async () => {
    const file = fileOf("simple.xml", await printed("simple"));
    await expect(run("rx send", { to: "9900025" }, file)).rejects.toThrow("names its own receiver");
    const large = fileOf("large.xml", " ".repeat(1024 * 1024 + 1));
    await expect(run("rx send", {}, large)).rejects.toThrow("(status 400): Request Body Too Large");
    const empty = { DATA_DIR: join(folder, "nothing") };
    await expect(run("rx send", { preset: "simple" }, "", empty)).rejects.toThrow("There is no demo in");
    await expect(run("rx send", {}, file, empty)).rejects.toThrow("give --client-id.");
    const deaf = { ...env, BASE_URL: "http://127.0.0.1:1" };
    await expect(run("rx send", { preset: "simple" }, "", deaf)).rejects.toThrow("No service answers at");
  });
});

describe("rx lint", () => {
  type Explained = {
    fields: { field: string; path: string; text: string }[];
    missing: { field: string }[];
    unread: string[];
    warnings: { code: string; path: string | null; sentence: string }[];
    acceptance_reasons: string[];
  };

  test("shows each field of a SCRIPT message with its path, what is missing and what was ignored", async () => {
    const message = (await printed("controlled-unsigned"))
      .replace(/<PrimaryTelephone>.*?<\/PrimaryTelephone>/g, "")
      .replace("</Patient>", "<Hobby>Kites</Hobby></Patient>");
    const { data, text } = await run("rx lint", {}, fileOf("lint.xml", message));
    const found = data as Explained;
    expect(found.fields).toContainEqual({
      field: "drug.description",
      path: "Message/Body/NewRx/MedicationPrescribed/DrugDescription",
      text: "Dextroamphetamine 10 mg tablet",
    });
    expect(found.missing.map(({ field }) => field)).toContain("prescriber.phone");
    expect(found.unread).toContain("Message/Body/NewRx/Patient/Hobby");
    expect(found.acceptance_reasons).toEqual(["signature_missing"]);
    expect(text).toContain("A pharmacist would need to accept it:\n  The controlled prescription has no evidence");
    expect(text).toContain("Ignored:\n");
  });

  test("shows how a FHIR message was read, and its warnings with their paths", async () => {
    const bundle = JSON.parse(await printed("fhir"));
    const patient = bundle.entry.find(({ resource }: { resource: { id: string } }) => resource.id === "patient");
    delete patient.resource.address;
    patient.resource.name[0].given = ["Otto\u001b[2Jline"];
    const { data, text, failed } = await run("rx lint", {}, fileOf("lint.json", JSON.stringify(bundle)));
    const found = data as Explained;
    expect(found.fields).toContainEqual({ field: "patient.last_name", path: "", text: "Marsh" });
    expect(found.warnings).toContainEqual({
      code: "address_missing",
      path: "Patient.address",
      sentence: "The patient's address is missing.",
    });
    // Terminal control characters are not printed.
    expect(text).not.toContain("\u001b[2J");
    expect(text).toMatch(/\nFHIR R4 new\. The service would accept it\.\n/);
    expect(failed).toBe(false);
  });

  const refused: Record<string, [text: string, code: string]> = {
    "a letter": ["Dear pharmacy,", "024"],
    "another document": ["<Letter/>", "020"],
    "JSON that is not a message": ["[]", "resource_type"],
    "broken JSON": ["{", "024"],
  };
  test.each(Object.entries(refused))("says why %s would be rejected, and exits with 1", async (_what, [text, code]) => {
    const { data, failed } = await run("rx lint", {}, fileOf("letter", text));
    expect(failed).toBe(true);
    expect((data as { refusal: unknown }).refusal).toMatchObject({
      description_code: code,
      sentences: [intakeRefusals[code as keyof typeof intakeRefusals][1]],
    });
  });

  test("shows what the rules add to the reader's warnings", async () => {
    const message = (await printed("simple")).replace(/<To .*?<\/To>/, "").replace(/<Pharmacy>.*?<\/Pharmacy>/, "");
    const { text } = await run("rx lint", {}, fileOf("nobody.xml", message));
    expect(text).toContain("The service would refuse it (900 / 002).");
    const far = (await printed("controlled-signed")).replace("<NumberOfRefills>2", "<NumberOfRefills>9");
    const { data } = await run("rx lint", {}, fileOf("far.xml", far));
    expect((data as Explained).warnings.map(({ code }) => code)).toContain("refills_capped");
  });
});

describe("rx review", () => {
  beforeAll(async () => {
    await staffAtCli(app, env, { "pia@larkspur.example": "pharmacist", "tam@larkspur.example": "technician" });
  });

  test("has a sentence for every kind in the database, and a command that closes it", async () => {
    const [row] = await rowsOf(
      "select pg_get_constraintdef(oid) as text from pg_constraint where conrelid = 'review'::regclass and conname = 'review_kind_check'",
    );
    const known = [...(row!["text"] as string).matchAll(/'(\w+)'/g)].map(([, kind]) => kind);
    expect(Object.keys(reviewKinds).sort()).toEqual(known.sort());
    for (const { says, closed_by, reasons } of Object.values(reviewKinds)) {
      expect(says).toMatch(/^[A-Z].*\.$/);
      expect(commands.some(({ name }) => name === `rx ${closed_by}`)).toBe(true);
      for (const sentence of Object.values(reasons)) expect(sentence).toMatch(/^[A-Z].*\.$/);
    }
  });

  test("lists the pending entries with the reason and the command, and a verdict removes the entry", async () => {
    const { account_id, prescription_id } = (await send("controlled-unsigned")).data;
    const { data, text } = await run("rx review", { account: account_id });
    expect(data).toContainEqual(
      expect.objectContaining({
        kind: "prescription_acceptance",
        account_id,
        prescription_id,
        partner: "Willow Telehealth",
        reasons: [
          { code: "signature_missing", sentence: reasonSentence("prescription_acceptance", "signature_missing") },
        ],
      }),
    );
    expect(text).toContain(`pestle rx accept ${prescription_id} --account ${account_id}`);
    const given = { account: account_id, as: "pia@larkspur.example", note: "Signature came by fax." };
    await expect(run("rx accept", { ...given, as: "tam@larkspur.example" }, `${prescription_id}`)).rejects.toThrow(
      "Only a pharmacist may decide this.",
    );
    await expect(run("rx accept", given, "many")).rejects.toThrow("Give the number");
    const accepted = await run("rx accept", given, `${prescription_id}`);
    expect(accepted.text).toBe(`Prescription ${prescription_id} is accepted.`);
    await expect(run("rx reject", given, `${prescription_id}`)).rejects.toThrow("was already accepted.");
    const has = async (options: Record<string, unknown>) =>
      ((await run("rx review", options)).data as { prescription_id: number }[]).some(
        (review) => review.prescription_id === prescription_id,
      );
    expect([await has({}), await has({ all: true })]).toEqual([false, true]);
    expect((await run("rx review", { all: true })).text).toContain(
      "by pia@larkspur.example: accepted: Signature came by fax.",
    );
    await expect(run("rx review", { account: "nobody" })).rejects.toThrow("There is no such account.");
  });

  test("shows when an order is due, in Automatic Processing", async () => {
    const sent = (await send("controlled-unsigned", { to: app.demo.partners[1]!.ncpdp_id })).data;
    const given = { account: sent.account_id, as: "pia@larkspur.example" };
    await expect(run("rx accept", given, `${sent.prescription_id}`)).rejects.toThrow("needs a note");
    const { text } = await run("rx accept", { ...given, note: "Signature came by fax." }, `${sent.prescription_id}`);
    expect(text).toMatch(/ is accepted\. An order is due at \d{4}-\d\d-\d\d \d\d:\d\dZ\.$/);
  });

  test("asks the prescriber as a pharmacist, and lists what was sent", async () => {
    const { account_id, prescription_id } = (await send("controlled-unsigned")).data;
    const given = { account: account_id, as: "pia@larkspur.example", code: "S" };
    await expect(run("rx ask", given, `${prescription_id}`)).rejects.toThrow("needs a reason");
    await expect(run("rx ask", given, "x")).rejects.toThrow("number of a prescription");
    const asked = await run("rx ask", { ...given, reason: "Is it signed?" }, `${prescription_id}`);
    expect(asked.text).toMatch(/^Message [-0-9a-f]{36} is queued\.$/);
    const { message_id } = asked.data as { message_id: string };
    const listed = await run("rx sent", { account: account_id });
    expect(listed.data).toContainEqual(expect.objectContaining({ message_id, kind: "change", prescription_id }));
    expect(listed.text).toContain(message_id);
  });

  test("sets where the messages to a sender's prescribers go, by the rules of webhooks", async () => {
    const { account_id } = app.demo.partners[2]!;
    const route = { sender: "6120042", url: "https://network.example/script", fills: true };
    const set = await run("partner route", route, account_id);
    expect(set.data).toMatchObject({ version: "2017071", sends_fills: true, sends_cancels: false });
    expect(set.text).toMatch(/whsec_\S+\nThe secret is shown once/);
    const routes = async () =>
      ((await run("partner list")).data as { account_id: string; prescriber_routes: object[] }[]).find(
        (one) => one.account_id === account_id,
      )!.prescriber_routes;
    expect(await routes()).toEqual([expect.objectContaining({ sender: "6120042", url: route.url })]);
    for (const [wrong, why] of [
      [{ url: "https://10.0.0.1/script" }, "private"],
      [{ url: "http://127.0.0.1:3000/script" }, "https"],
      [{ npi: "1234567893" }, "with --sender alone"],
      [{ sender: "" }, "1 to 255 characters"],
    ] as const) {
      await expect(run("partner route", { ...route, ...wrong }, account_id)).rejects.toThrow(why);
    }
    await expect(run("partner route", route, "nobody")).rejects.toThrow("no such account");
    await run("partner route", { ...route, remove: true }, account_id);
    expect(await routes()).toEqual([]);
    await expect(run("partner route", { ...route, remove: true }, account_id)).rejects.toThrow("has no route");
  });

  test("routes an unrouted message to an account, and closes other entries with a note", async () => {
    const own = await startTestApp();
    try {
      const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_JOBS_URL, DATA_DIR } = own.config;
      const settings = { ...env, DATABASE_URL, DATABASE_OWNER_URL, DATABASE_JOBS_URL, DATA_DIR };
      const there = (name: string, options = {}, argument = "") => run(name, options, argument, settings);
      const network = await openIntake(own);
      const [willow] = own.demo.partners;
      await own.deps.db.raw("update account set ncpdp_id = '9900017' where partner_id is not null");
      await network.send(newMessage({ envelope: { message_id: "shared" } }));
      await network.send(newMessage({ envelope: { message_id: "shared" }, prescription: { refills: 1 } }));
      const listed = (await there("rx review")).data as { review_id: number; kind: string; account_id: string }[];
      const entry = (kind: string) => listed.find((review) => review.kind === kind)!;
      const as = own.demo.operator.email;
      await there("user login", { email: as });
      const { review_id } = entry("unrouted_message");
      const routed = await there("rx route", { to: willow!.account_id, as }, `${review_id}`);
      expect(routed.text).toMatch(/^Routed: prescription \d+ for patient MRN-20417\.$/);
      const reused = entry("message_id_reused");
      const closing = { account: reused.account_id, as, outcome: "Spoke to the sender." };
      expect((await there("rx resolve", closing, `${reused.review_id}`)).text).toMatch(/is closed\.$/);
      expect((await there("rx review")).text).toBe("The review queue is empty.");

      const rule = { npi: "1234567893" };
      await there("partner route", rule, willow!.account_id);
      expect((await there("partner list")).text).toContain("prescriber_npi 1234567893");
      const relative = { ids: [], last_name: "Ruled" };
      await network.send(newMessage({ envelope: { message_id: "ruled" }, patient: relative }));
      const { text } = await there("rx review");
      expect(text).not.toContain("unrouted_message");
      // A person with the same address and birthday is another patient, whom staff compare.
      expect(text).toMatch(/candidates +MRN-20417 \(score \d+\)\n/);
      await there("partner route", { ...rule, remove: true }, willow!.account_id);
      await expect(there("partner route", { ...rule, sender: "x" }, willow!.account_id)).rejects.toThrow(
        "Give exactly one of",
      );
      const accounts = (await there("partner list")).data as { routing_rules: unknown[] }[];
      expect(accounts.flatMap(({ routing_rules }) => routing_rules)).toEqual([]);
    } finally {
      await own.stop();
    }
  });
});

test("the program itself: an answer in words, 0 and 1, and --version is the message's", async () => {
  const [taken, refused, message, usage] = await Promise.all([
    runCli(["rx", "send", "--preset", "simple"], env),
    runCli(["rx", "send", "--preset", "no-birth-date", "--json"], env),
    runCli(["rx", "send", "--preset", "simple", "--version", "10.6", "--print"], env),
    runCli(["rx", "accept", "1"], env),
  ]);
  expect(taken).toMatchObject({ code: 0, stderr: "" });
  expect(taken.stdout).toMatch(
    /^Accepted \(010\): The pharmacy received it\.\nmessage_id .*\n.*\npatient_id +wren-1004\n/,
  );
  expect(refused).toMatchObject({ code: 1, stderr: "" });
  expect(refused.json()).toMatchObject({ code: "900", description_codes: ["080"] });
  expect(message.stdout).toContain('version="010" release="006"');
  expect(usage).toMatchObject({ code: 2, stderr: "pestle: required option '--account <account_id>' not specified\n" });
  const file = fileOf("printed.xml", message.stdout);
  const lint = await runCli(["rx", "lint", file], env);
  expect(lint).toMatchObject({ code: 0, stderr: "" });
  expect(lint.stdout).toContain("Message/Body/NewRx/MedicationPrescribed/Directions");
  expect(readFileSync(file, "utf8")).toBe(message.stdout);
});
