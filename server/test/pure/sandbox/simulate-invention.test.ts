import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadZipTable } from "../../../src/adapters/addresses/zip-table.ts";
import { decideIntake } from "../../../src/domain/intake/decide-intake.ts";
import { inventedMessage, inventPrescription } from "../../../src/domain/sandbox/invent-prescription.ts";
import { inventedPerson, inventedPrescriber } from "../../../src/domain/sandbox/invented-cast.ts";
import { readSimulatedPrescription, simulatedFields } from "../../../src/domain/sandbox/simulated-prescription.ts";
import { judgeAddress } from "../../../src/domain/values/address/judge-address.ts";
import { northAmericanPhone } from "../../../src/domain/values/address/phone.ts";
import { isDate } from "../../../src/domain/values/calendar.ts";
import { deaPasses, npiPasses } from "../../../src/domain/values/identifiers.ts";
import { products as cast } from "../../../src/seed/cast.ts";
import { effort } from "../../support/tools/effort.ts";

const zips = loadZipTable();
const products = cast.map((product) => ({ ...product, in_stock: product.on_hand_units > 0 }));
const world = { products, default_method_id: 1, zips };
const now = new Date("2026-11-15T12:00:00Z");
const time_zone = "America/New_York";
const rules = { time_zone, today: "2026-11-15" };
const NUMBERS = Array.from({ length: 600 }, (_, index) => index + 1);

describe("the invented cast", () => {
  test("has addresses without warnings, none of them magic", () => {
    for (const number of NUMBERS) {
      const { address, first_name, last_name, phone } = inventedPerson(number);
      expect(judgeAddress({ ...address, first_name, last_name, phone }, zips)).toMatchObject({ result: "valid" });
      expect(address.street1).toMatch(/^[2-8]\d\d /);
      expect(address.state).toBe("CA");
    }
  });

  test("is distinct: no two share name and birth date, and no two share an email address", () => {
    const people = NUMBERS.map(inventedPerson);
    expect(new Set(people.map(({ first_name, last_name, dob }) => `${first_name} ${last_name} ${dob}`)).size).toBe(600);
    expect(new Set(people.map(({ email }) => email)).size).toBe(600);
    for (const { dob, phone } of people) {
      expect(isDate(dob)).toBe(true);
      expect(northAmericanPhone(phone)).toBe(phone);
    }
  });

  test("prescribes with numbers that pass their check digits", () => {
    for (const number of NUMBERS) {
      const { npi, dea, phone, fax } = inventedPrescriber(number);
      expect([npiPasses(npi), deaPasses(dea), northAmericanPhone(phone), northAmericanPhone(fax)]).toEqual([
        true,
        true,
        phone,
        fax,
      ]);
    }
  });

  test("needs no catalogue: without a product it is prescribed an unlisted one", () => {
    const empty = { ...world, products: [] };
    expect(inventPrescription(1, { patient: {} }, empty)).toMatchObject({ ndc: null, written_qty: 30 });
  });

  test("is prescribed what can be ordered: in stock, not controlled, shipped by the usual method", () => {
    for (const number of NUMBERS.slice(0, 50)) {
      const { ndc, written_qty } = inventPrescription(number, { patient: {} }, world);
      const product = products.find((one) => one.ndc === ndc)!;
      expect(product).toMatchObject({ in_stock: true, drug_schedule: "0", rx_only: true });
      expect(product.shipping_method_ids).toContain(1);
      expect(product.written_quantities).toContain(written_qty);
      expect(product.package_sizes).toContain(written_qty);
    }
  });
});

/** Any JSON value, and almost valid ones. */
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string(),
  fc.constantFrom(true, false, null, 0, -0, 30, 90, 2.5, 1e308, "0", "4", "", [], {}, "M", "X"),
  fc.constantFrom("2026-11-15", "2026-11-15T08:30:00Z", "2999-12-31", "1900-01-01", "2026-02-30", "95814", "CA", "AE"),
  fc.constantFrom("70999010130", "70999-0101-30", "90101", "atorvastatin", "4155550177", "wren@patients.example"),
);
const names = [...simulatedFields, "id", "patient", "script", "__proto__", "constructor"];
const addressNames = ["street1", "street2", "city", "state", "zip", "country"];
const patientNames = [
  "patient_id",
  "first_name",
  "last_name",
  "dob",
  "gender",
  "email",
  "phone",
  "address",
  "allergies",
];
const some = (keys: readonly string[], value: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...keys) }, fc.string()), value, { maxKeys: 8 });
const patients = some(
  patientNames,
  fc.oneof(values, some(addressNames, values), fc.array(fc.oneof(fc.string(), values), { maxLength: 3 })),
);
const anything = some(names, fc.oneof({ weight: 3, arbitrary: values }, patients));

/** What a partner might send, with any part omitted. */
const days = fc.date({ min: new Date("1900-01-02"), max: new Date("2999-12-30"), noInvalidDate: true });
const dates = days.map((day) => day.toISOString().slice(0, 10));
const times = fc.oneof(
  dates,
  days.map((day) => day.toISOString()),
);
const phones = fc.oneof(fc.constant(null), fc.constantFrom("4155550177", "(916) 555-0131", "+1 213.555.0100"));
const texts = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }).map((text) => `a${text}`);
const sensible = fc.record(
  {
    active: fc.boolean(),
    prescriber_name: fc.constantFrom("Ada Lindqvist, MD", "Tule Fog Family Medicine"),
    prescriber_phone: phones,
    prescriber_fax: phones,
    receive_date: times,
    expire_date: times,
    written_date: times,
    effective_date: times,
    drug_name: fc.oneof(texts, fc.constantFrom(...products.map(({ name }) => name), "sertraline", "testosterone")),
    ndc: fc.constantFrom(null, "70999010130", "70999-0701-30", "12345678901"),
    gcn: fc.constantFrom(null, "90101", "00000"),
    sig_text: fc.oneof(fc.constant(""), texts),
    written_qty: fc.oneof(fc.constantFrom(0, 30, 0.125), fc.nat(100_000)),
    days_supply: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 999 })),
    refills_left: fc.integer({ min: 0, max: 99 }),
    drug_schedule: fc.constantFrom("0", "2", "3", "4", "5"),
    daw: fc.boolean(),
    patient: fc.record(
      {
        patient_id: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{3,34}$/),
        first_name: fc.constantFrom("Wren", "Zoë", "D'Arcy"),
        dob: fc.constantFrom("1984-05-17", "2026-11-15", "1984-05-17T00:00:00Z"),
        gender: fc.constantFrom("M", "F", "N", null),
        email: fc.constantFrom(null, "wren@patients.example"),
        phone: phones,
        address: fc.oneof(
          fc.constant(null),
          fc.record(
            {
              street1: fc.constantFrom(null, "12 Larch St", "77 Larch St"),
              street2: fc.constantFrom(null, "", "Apt 4"),
              city: fc.constantFrom(null, "Reno", "Nowhere", "Saint Paul"),
              state: fc.constantFrom(null, "CA", "nv", "PR", "AE", "PW"),
              zip: fc.constantFrom(null, "95814", "97209-1234", "00000"),
            },
            { requiredKeys: [] },
          ),
        ),
        allergies: fc.oneof(fc.constant(null), fc.array(fc.constantFrom("Latex", "Penicillin"), { maxLength: 3 })),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const simulations = fc.oneof(anything, sensible);

const RUNS = effort(4_000);
test("any input is read completely, and intake accepts what passes", () => {
  let passed = 0;
  fc.assert(
    fc.property(simulations, fc.integer({ min: 1, max: 1_000_000 }), (sent, number) => {
      const { simulated, problems } = readSimulatedPrescription(sent, rules);
      if (problems.length === 0) passed++;
      for (const { code, field } of problems) {
        expect(code).toBe(42200);
        expect(field.startsWith("simulation.")).toBe(true);
      }
      if (problems.length > 0) return;
      const given = { sender: "account a", message_id: "simulation 1", meant_patient_id: null, time_zone, now };
      const message = inventedMessage(number, inventPrescription(number, simulated, world), given);
      const { outcome, patient, prescription } = decideIntake(
        message,
        { candidates: [], taken_patient_ids: [], prescriptions: [], formulary: products },
        {
          sender: "account a",
          workflow: "automatic",
          rules: {
            time_zone,
            expiry_months: 12,
            expiry_months_by_state: {},
            schedule_2_days: 90,
            schedule_2_days_by_state: {},
          },
          now,
          new_patient_id: "another1",
        },
      );
      // Required by the database's tables.
      expect(outcome).toBe("accepted");
      expect(patient?.patient_id).toMatch(/^[\w-]{4,35}$/);
      expect(prescription?.ndc ?? "00000000000").toMatch(/^\d{11}$/);
      expect(prescription?.days_supply ?? 1).toBeGreaterThan(0);
      expect(prescription?.refills).toBeLessThanOrEqual(99);
      for (const date of [prescription!.written_date, prescription!.effective_date]) expect(isDate(date)).toBe(true);
      for (const time of [prescription!.received_at, prescription!.expires_at]) {
        expect(Number.isFinite(time.getTime())).toBe(true);
      }
      // No half surrogate pairs, and no characters that the database cannot store.
      expect(JSON.stringify(message)).not.toMatch(/\\u0000|\\ud[89a-f]/);
    }),
    { seed: 20_261_115, numRuns: RUNS },
  );
  // The valid half is not rejected for its content.
  expect(passed).toBeGreaterThan(RUNS / 3);
});
