import type { Patient } from "@pestle/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { recordPlace } from "../../../src/db/patients/patients.ts";
import { bytes } from "../../../src/db/values.ts";
import { MOST_ENTRIES } from "../../../src/domain/patients/safety-record.ts";
import { openRecord } from "../../../src/usecases/patients/patient-rows.ts";
import { codesOf } from "../../support/conventions.ts";
import { newOrder, placed, post } from "../../support/orders.ts";
import { addPatient, ask, patientCalls, stranger } from "../../support/patient.ts";
import { patientKeyOf } from "../../support/patient-key.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

let known: ReturnType<typeof stranger>;
let patient_id = "";
let calls: ReturnType<typeof patientCalls>;
beforeEach(async () => {
  known = stranger();
  // The prescriber says nothing about allergies.
  ({ patient_id } = await addPatient(app, { patient: known, prescription: { allergies: "unknown" } }));
  calls = patientCalls(app, patient_id);
});

const allergy = (text: string) => ({ text, codes: [], reaction: null, severity: null });
const safety = async () => (await calls.read()).patient_safety;
const tell = async (patient_safety: object) => {
  const { status, text } = await calls.patch({ patient_safety });
  expect(status).toBe(200);
  return (JSON.parse(text) as Patient).patient_safety;
};
const prescribe = (allergies: "none" | "unknown" | ReturnType<typeof allergy>[]) =>
  addPatient(app, { patient: known, prescription: { allergies } });
const account_id = () => app.demo.partners[0]!.account_id;
const patientKey = () => patientKeyOf(app, account_id(), patient_id);
const stored = async () => {
  const { rows } = await app.deps.db.raw(
    "select record_sealed from patient where account_id = $1 and patient_key = $2",
    [account_id(), await patientKey()],
  );
  return openRecord(app.deps, account_id(), await patientKey(), rows[0]!["record_sealed"] as Buffer);
};

describe("not asked, none known and listed are three things", () => {
  test("a patient about whom no one said anything was not asked", async () => {
    expect(await safety()).toEqual({
      medications: [],
      health_conditions: [],
      allergies: [],
      allergies_status: "not_asked",
      medications_status: "not_asked",
      conditions_status: "not_asked",
      entries: [],
    });
  });

  test("an empty list states none if nothing is on file; a second one changes nothing", async () => {
    expect(await tell({ allergies: [] })).toMatchObject({
      allergies_status: "none_known",
      medications_status: "not_asked",
      conditions_status: "not_asked",
    });
    const before = await calls.read();
    await tell({ allergies: [] });
    expect(await calls.read()).toEqual(before);
    expect(await tell({ medications: [], health_conditions: [] })).toMatchObject({
      medications_status: "none_known",
      conditions_status: "none_known",
    });
  });

  test("a prescriber who codes no known allergies states none", async () => {
    await prescribe("none");
    expect(await safety()).toMatchObject({ allergies_status: "none_known", medications_status: "not_asked" });
    expect((await stored()).patient_safety.none_known).toMatchObject({ allergy: { by: "prescriber" } });
  });

  test.each(["None", "NKDA", "nka.", "No known drug allergies", "no known allergies"])(
    "the text %j alone means none known, and stays as sent",
    async (text) => {
      expect(await tell({ allergies: [text] })).toMatchObject({ allergies: [text], allergies_status: "none_known" });
      expect(await tell({ allergies: ["penicillin"] })).toMatchObject({
        allergies: [text, "penicillin"],
        allergies_status: "listed",
      });
    },
  );

  test.each(["Unknown", "unable to obtain", "No known food allergies"])("the text %j does not", async (text) => {
    expect(await tell({ allergies: [text] })).toMatchObject({ allergies_status: "listed" });
  });

  test("an entry ends an earlier none known, also after its removal", async () => {
    await tell({ allergies: [] });
    const { entries } = await tell({ allergies: ["penicillin"] });
    await calls.removeEntry(entries[0]!.entry_id);
    expect(await safety()).toMatchObject({ allergies: [], allergies_status: "not_asked" });
  });
});

describe("a list from a partner", () => {
  test("that is empty never deletes, in a PATCH or an order, from any source", async () => {
    await prescribe([allergy("Penicillin")]);
    await tell({ medications: ["warfarin"], health_conditions: ["asthma"] });
    const before = await calls.read();
    await tell({ allergies: [], medications: [], health_conditions: [] });
    expect(await calls.read()).toEqual(before);
    const { body } = await newOrder(app, { patient: known });
    const empty = { allergies: [], medications: [], health_conditions: [] };
    await placed(app, { ...body, patient: { ...body.patient, patient_safety: empty } });
    expect((await calls.read()).patient_safety).toMatchObject({
      allergies: ["Penicillin", "tartrazine"],
      medications: ["warfarin"],
      health_conditions: ["asthma"],
    });
  });

  test("that omits an entry keeps it, adds what is new, and compares without case", async () => {
    await prescribe([allergy("Penicillin")]);
    const told = await tell({ allergies: ["PENICILLIN", "Latex", "latex"] });
    expect(told.allergies).toEqual(["Penicillin", "Latex"]);
    expect(told.entries.map(({ entry_id, text, source }) => [entry_id, text, source])).toEqual([
      [1, "Penicillin", "prescriber"],
      [2, "Latex", "partner"],
    ]);
    expect((await tell({ allergies: ["sulfa"] })).allergies).toEqual(["Penicillin", "Latex", "sulfa"]);
  });

  test("that the record has no room for is rejected, in a PATCH and an order, and changes nothing", async () => {
    const names = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `drug ${from + index}`);
    for (let at = 0; at < MOST_ENTRIES; at += 100) await tell({ medications: names(at, at + 100) });
    const before = await calls.read();
    const sent = { medications: names(MOST_ENTRIES - 1, MOST_ENTRIES + 1) };
    const { status, text } = await calls.patch({ patient_safety: sent, gender: "N" });
    expect([status, codesOf(text)]).toEqual([422, [[42200, "patient_safety.medications"]]]);
    expect(text).toContain("maximum number of entries");
    const { body } = await newOrder(app, { patient: known });
    const later = await calls.read();
    const ordered = await post(app, { ...body, patient: { ...body.patient, patient_safety: sent } });
    expect([ordered.status, codesOf(ordered.text)]).toEqual([422, [[42200, "patient.patient_safety.medications"]]]);
    expect(await calls.read()).toEqual(later);
    expect(later.patient_safety.medications).toEqual(before.patient_safety.medications);
    // What is on file fits.
    expect((await tell({ medications: names(0, 100) })).medications).toHaveLength(MOST_ENTRIES);
  });

  test.each<[string, object]>([
    ["10,000 allergies", { allergies: Array.from({ length: 10_000 }, (_, index) => `drug ${index}`) }],
    ["a text of 50 KB", { allergies: ["x".repeat(50_000)] }],
    ["a weight, which the API does not take", { weight_kg: -3 }],
  ])("with %s is rejected and changes nothing", async (_, patient_safety) => {
    const before = await calls.read();
    const { body } = await newOrder(app);
    const answers = [
      await calls.patch({ patient_safety }),
      await post(app, { ...body, patient: { ...body.patient, patient_safety } }),
    ];
    expect(answers.map(({ status, text }) => [status, codesOf(text)[0]![0]])).toEqual([
      [422, 42200],
      [422, 42200],
    ]);
    expect(await calls.read()).toEqual(before);
  });
});

describe("removing an entry", () => {
  test("takes a reason, keeps the entry for the pharmacist, and is idempotent", async () => {
    const { entries } = await tell({ medications: ["warfarin", "ibuprofen"] });
    const { entry_id } = entries[0]!;
    const first = await calls.removeEntry(entry_id, { reason: " Stopped in October. " });
    expect([first.status, first.text]).toEqual([204, ""]);
    const after = await calls.read();
    expect(after.patient_safety).toMatchObject({ medications: ["ibuprofen"], entries: [{ text: "ibuprofen" }] });
    expect((await calls.removeEntry(entry_id, { reason: "Another reason." })).status).toBe(204);
    expect(await calls.read()).toEqual(after);
    expect((await stored()).patient_safety.entries[0]).toMatchObject({
      entry_id,
      text: "warfarin",
      removed: { by: "partner", reason: "Stopped in October.", at: expect.any(String) },
    });
  });

  test("accepts the reason in the query if there is no body, and not in both", async () => {
    const { entries } = await tell({ medications: ["warfarin"] });
    const path = `/v1/patients/${patient_id}/patient_safety/${entries[0]!.entry_id}`;
    const without = await ask(app, path, undefined, { method: "DELETE" });
    expect([without.status, codesOf(without.text)]).toEqual([422, [[42200, "reason"]]]);
    const both = await ask(app, `${path}?reason=a`, { reason: "b" }, { method: "DELETE" });
    expect([both.status, codesOf(both.text)]).toEqual([400, [[40003, "reason"]]]);
    const long = await ask(app, `${path}?reason=${"a".repeat(201)}`, undefined, { method: "DELETE" });
    expect([long.status, codesOf(long.text)]).toEqual([422, [[42200, "reason"]]]);
    expect((await ask(app, `${path}?reason=It%20ended.`, undefined, { method: "DELETE" })).status).toBe(204);
    expect((await stored()).patient_safety.entries[0]!.removed).toMatchObject({ reason: "It ended." });
  });

  test("of the prescriber or the pharmacy is rejected; an entry that the prescriber repeats becomes the prescriber's", async () => {
    const { entries } = await tell({ allergies: ["penicillin"] });
    await prescribe([allergy("Penicillin")]);
    expect((await safety()).entries).toEqual([{ ...entries[0], source: "prescriber" }]);
    const { status, text } = await calls.removeEntry(entries[0]!.entry_id);
    expect([status, codesOf(text)]).toEqual([422, [[42200, "entry_id"]]]);
    expect(text).toContain("Ask the pharmacy");
    expect((await safety()).allergies).toEqual(["penicillin"]);
  });

  test("and sending it again records it again under a new number", async () => {
    const { entries } = await tell({ allergies: ["latex"] });
    await calls.removeEntry(entries[0]!.entry_id);
    expect((await tell({ allergies: ["latex"] })).entries).toMatchObject([{ entry_id: 2, text: "latex" }]);
  });

  test("of another account's patient is 404", async () => {
    const other = await addPatient(app, { partner: 1, patient: stranger() });
    const { status } = await ask(
      app,
      `/patients/${other.patient_id}/patient_safety/1`,
      { reason: "x" },
      { method: "DELETE" },
    );
    expect(status).toBe(404);
  });
});

describe("a record of version 0.1.0", () => {
  /** Writes the record as 0.1.0 stored it: three lists of texts. */
  const downgrade = async (patient_safety: object) => {
    const record = { ...(await stored()), patient_safety };
    const patient_key = await patientKey();
    const sealed = app.deps.vault.seal(Buffer.from(JSON.stringify(record)), recordPlace(account_id(), patient_key));
    await app.deps.db.raw(
      `update patient set record_sealed = (jsonb_populate_record(null::patient, $3::jsonb)).record_sealed
      where account_id = $1 and patient_key = $2`,
      [account_id(), patient_key, JSON.stringify({ record_sealed: bytes(sealed) })],
    );
  };

  test("reads with entries of the partner, whose numbers stay the same before and after a change", async () => {
    await downgrade({ medications: ["warfarin"], health_conditions: [], allergies: ["Penicillin", "latex"] });
    const entry = { source: "partner", recorded_at: null };
    const upgraded = {
      medications: ["warfarin"],
      health_conditions: [],
      allergies: ["Penicillin", "latex"],
      allergies_status: "listed",
      medications_status: "listed",
      conditions_status: "not_asked",
      entries: [
        { entry_id: 1, kind: "allergy", text: "Penicillin", ...entry },
        { entry_id: 2, kind: "allergy", text: "latex", ...entry },
        { entry_id: 3, kind: "medication", text: "warfarin", ...entry },
      ],
    };
    expect(await safety()).toEqual(upgraded);
    expect((await tell({ health_conditions: [] })).entries).toEqual(upgraded.entries);
    expect((await calls.removeEntry(2)).status).toBe(204);
    expect((await safety()).entries.map(({ entry_id }) => entry_id)).toEqual([1, 3]);
    expect((await tell({ medications: ["Aspirin"] })).entries.at(-1)).toMatchObject({ entry_id: 4, text: "Aspirin" });
  });

  test("is not written again while it only is read", async () => {
    await downgrade({ medications: [], health_conditions: [], allergies: ["Penicillin"] });
    const before = await calls.read();
    expect(await tell({ allergies: ["penicillin"] })).toEqual(before.patient_safety);
    expect((await calls.read()).updated_at).toBe(before.updated_at);
  });
});
