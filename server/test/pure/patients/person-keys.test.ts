import fc from "fast-check";
import { expect, test } from "vitest";
import type { IncomingPatient } from "../../../src/domain/intake/incoming-message.ts";
import { CERTAIN, matchPatient } from "../../../src/domain/intake/match-patient.ts";
import { newPatientRecord, type PatientRecord } from "../../../src/domain/patients/patient-record.ts";
import { personKeys } from "../../../src/domain/patients/person-keys.ts";
import { person } from "../../support/patient.ts";
import { effort } from "../../support/tools/effort.ts";

const RUNS = { seed: 20_261_116, numRuns: effort(4_000) };

/** Few values, so that many pairs agree in some of them. */
const someone: fc.Arbitrary<IncomingPatient> = fc.record({
  ids: fc.constant([]),
  first_name: fc.constantFrom("Zephyrine", "zéphyrine", "Zoë"),
  last_name: fc.constantFrom("O'Neil", "ONEIL", "Quillfeather"),
  middle_name: fc.constant(null),
  suffix: fc.constant(null),
  dob: fc.constantFrom("1957-03-08", "1957-03-09"),
  gender: fc.constantFrom("F", "M", "N", "U", null),
  address: fc.option(fc.constantFrom("94110", "94110-1234", "10001").map((zip) => ({ ...person.address!, zip }))),
  phone: fc.option(fc.constantFrom("4155550134", "+1 (415) 555-0134", "4155550135")),
  email: fc.option(fc.constantFrom("a@b.example", "A@B.example ", "c@b.example")),
  medications: fc.constant([]),
  health_conditions: fc.constant([]),
});
const recordOf = (patient: IncomingPatient): PatientRecord =>
  newPatientRecord(
    { patient, allergies: [], diagnoses: [] } as unknown as Parameters<typeof newPatientRecord>[0],
    new Date("2026-11-15T08:30:00Z"),
  ).record;
const shareKey = (one: PatientRecord, other: PatientRecord) => {
  const keys = new Set(personKeys(one));
  return personKeys(other).some((key) => keys.has(key));
};

test("two patients share a key exactly if intake would match them", () => {
  let matched = 0;
  fc.assert(
    fc.property(someone, someone, (one, other) => {
      const record = recordOf(other);
      const { score } = matchPatient(one, [{ patient_id: "1", record, same_id: false }]);
      if (score >= CERTAIN) matched++;
      expect(shareKey(recordOf(one), record)).toBe(score >= CERTAIN);
    }),
    RUNS,
  );
  expect(matched).toBeGreaterThan(RUNS.numRuns / 50);
});

test("name and date of birth alone give no key, and a record without them has none", () => {
  const bare = { ...person, address: null, phone: null, email: null };
  expect(personKeys(recordOf(bare))).toEqual([]);
  expect(personKeys({ ...recordOf(person), first_name: "..." })).toEqual([]);
});

test("a patient with many addresses has a bounded number of keys", () => {
  const record = recordOf({ ...person, gender: null });
  const addresses = Array.from({ length: 500 }, (_, index) => ({
    ...record.addresses[0]!,
    zip: String(10_000 + index),
  }));
  expect(personKeys({ ...record, addresses }).length).toBeLessThan(100);
});
