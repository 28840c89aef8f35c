import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { IncomingPatient } from "../../../src/domain/intake/incoming-message.ts";
import { matchPatient, matchReasons } from "../../../src/domain/intake/match-patient.ts";
import { routeMessage } from "../../../src/domain/intake/route-message.ts";
import { newPatientRecord, type PatientRecord, searchKeys } from "../../../src/domain/patients/patient-record.ts";
import { prescription } from "../../support/samples/script-samples.ts";

const incoming = prescription.patient;
const record = newPatientRecord(prescription, new Date("2026-11-15T08:30:00Z")).record;
const candidate = (change: Partial<PatientRecord> = {}, same_id = false) => ({
  patient_id: "p1",
  record: { ...record, ...change },
  same_id,
});
const match = (patient: Partial<IncomingPatient>, ...candidates: ReturnType<typeof candidate>[]) =>
  matchPatient({ ...incoming, ...patient }, candidates);
const elsewhere = { ...incoming.address!, zip: "10001" };

describe("the same patient", () => {
  test.each([
    ["by name, birth date and ZIP", { phone: null, email: null }, candidate()],
    ["by name, birth date and telephone, after a move", { address: elsewhere, email: null }, candidate()],
    ["by name, birth date and e-mail", { address: null, phone: null }, candidate()],
    [
      "by the prescriber system's id, last name and birth date",
      { address: null, phone: null, email: null, first_name: null },
      candidate({}, true),
    ],
    ["regardless of case and accents in the names", { last_name: "OKONKWO REYES", first_name: "marisól" }, candidate()],
  ])("%s", (_what, patient, known) => {
    expect(match(patient, known)).toMatchObject({ patient_id: "p1", doubtful: [] });
  });
});

describe("another patient, with a review entry", () => {
  test.each([
    ["same name and birth date, nothing else", { address: elsewhere, phone: null, email: null }, candidate()],
    ["a twin: same house, telephone and birth date", { first_name: "Marina" }, candidate()],
    ["everything but the last name", { last_name: "Marlowe" }, candidate()],
    ["the same id with another birth date", { dob: "1987-03-28" }, candidate({}, true)],
  ])("%s", (_what, patient, known) => {
    const made = match(patient, known);
    expect(made.patient_id).toBeNull();
    expect(made.doubtful.map(({ patient_id }) => patient_id)).toEqual(["p1"]);
  });

  test("a parent of the same name at the same address is not a possible duplicate", () => {
    expect(match({ dob: "1955-02-28", email: null }, candidate())).toMatchObject({ patient_id: null, doubtful: [] });
  });
});

test("of two matches, one is used and the other shown", () => {
  const twice = [candidate(), { ...candidate(), patient_id: "p2" }];
  const made = matchPatient(incoming, twice);
  expect(made.patient_id).toBe("p1");
  expect(made.doubtful.map(({ patient_id }) => patient_id)).toEqual(["p2"]);
  expect(matchPatient(incoming, twice.toReversed())).toEqual(made);
});

test("patients with different birth dates, or with only one matching detail, never match", () => {
  const maybe = <Value>(value: Value) => fc.constantFrom(value, null);
  fc.assert(
    fc.property(
      fc.constantFrom("1987-02-28", "1987-03-01"),
      maybe("Marisol"),
      maybe("Okonkwo-Reyes"),
      maybe(incoming.phone),
      maybe(incoming.email),
      maybe(incoming.address),
      fc.boolean(),
      (dob, first_name, last_name, phone, email, address, same_id) => {
        const made = match({ dob, first_name, last_name, phone, email, address }, candidate({}, same_id));
        if (made.patient_id === null) return;
        expect(dob).toBe(record.dob);
        expect(made.reasons.length).toBeGreaterThan(2);
        expect(made.reasons).toContain("same_dob");
      },
    ),
  );
});

test("every reason has a weight and a sentence", () => {
  for (const [weight, sentence] of Object.values(matchReasons)) {
    expect(weight).not.toBe(0);
    expect(sentence).toMatch(/^The .*\.$/);
  }
});

test("search values are the same in any format", () => {
  expect(searchKeys.name_dob({ first_name: "Zoë", last_name: "O’Neil-Smith", dob: "1990-01-01" })).toBe(
    searchKeys.name_dob({ first_name: "ZOE", last_name: "oneil smith", dob: "1990-01-01" }),
  );
  expect(searchKeys.phone("+1 (916) 555-0142")).toBe(searchKeys.phone("9165550142"));
  expect(searchKeys.email(" Ada@Example.test ")).toBe("ada@example.test");
});

describe("routing of a message", () => {
  const account = (
    account_id: string,
    ...rules: [kind: "sender" | "prescriber_npi" | "practice", value: string][]
  ) => ({
    account_id,
    routing_rules: rules.map(([kind, value]) => ({ kind, value })),
  });
  const message = { sender: "S1", prescriber_npi: "1234567893", practice: "Tule Fog" };
  test.each([
    ["to no account if none has the id", [], "nobody"],
    ["to the only one, regardless of its rules", [account("a", ["sender", "S9"])], "a"],
    ["by the sender", [account("a", ["sender", "s1"]), account("b")], "a"],
    [
      "by the prescriber before the sender",
      [account("a", ["sender", "S1"]), account("b", ["prescriber_npi", "1234567893"])],
      "b",
    ],
    [
      "by the practice before the sender",
      [account("a", ["sender", "S1"]), account("b", ["practice", "tule fog"])],
      "b",
    ],
    [
      "to a person where two rules fit alike",
      [account("a", ["sender", "S1"]), account("b", ["sender", "S1"])],
      "undecided",
    ],
    ["to a person where no rule fits", [account("a", ["sender", "S2"]), account("b")], "undecided"],
  ])("%s", (_what, accounts, expected) => {
    const routed = routeMessage(accounts, message);
    expect(typeof routed === "string" ? routed : routed.account_id).toBe(expected);
  });
});
