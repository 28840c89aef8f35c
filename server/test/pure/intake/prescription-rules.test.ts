import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { controlledIngredients, scheduleByName } from "../../../src/domain/catalogue/controlled-drugs.ts";
import type { IncomingPrescription } from "../../../src/domain/intake/incoming-message.ts";
import type { WarningCode } from "../../../src/domain/intake/intake-warnings.ts";
import {
  type acceptanceReasons,
  decidePrescription,
  numbersByState,
  refillsLeft,
} from "../../../src/domain/intake/prescription.ts";
import { addDays, addMonths, dateIn, isDate, startOfDay } from "../../../src/domain/values/calendar.ts";
import { prescription as sample } from "../../support/samples/script-samples.ts";

const NEW_YORK = "America/New_York";
const NOW = new Date("2026-11-15T12:00:00.000Z");
const rules = {
  time_zone: NEW_YORK,
  expiry_months: 12,
  expiry_months_by_state: { IL: 15 },
  schedule_2_days: 90,
  schedule_2_days_by_state: { NY: 30 },
};
const formulary = [
  { ndc: "70999010130", gcn: "90101", drug_schedule: "0" as const },
  { ndc: "70999060130", gcn: "90601", drug_schedule: "4" as const },
];
type Change = Partial<IncomingPrescription> & { noticed?: WarningCode[]; ndc_drug?: string };
const decide = ({ noticed = [], ndc_drug, ...change }: Change) =>
  decidePrescription(
    { ...sample, effective_date: null, expiration_date: null, ...change },
    formulary,
    rules,
    NOW,
    noticed,
    () => ndc_drug ?? null,
  );
const drug = (description: string, code?: string, schedule: IncomingPrescription["drug"]["schedule"] = null) => ({
  description,
  codes: code === undefined ? [] : [{ system: "ndc" as const, code }],
  strength: null,
  schedule,
});
const inState = (state: string) => ({ ...sample.patient, address: { ...sample.patient.address!, state } });

describe("days and zones", () => {
  test("a day that does not exist is rejected", () => {
    for (const text of ["2026-02-30", "2026-13-01", "2026-00-10", "2026-1-1", "20261110", "", "0000-01-01"])
      expect(isDate(text)).toBe(false);
    for (const text of ["2026-02-28", "2028-02-29"]) expect(isDate(text)).toBe(true);
  });

  test("months end on the same day, or on the last day of the month", () => {
    expect(addMonths("2026-01-31", 1)).toBe("2026-02-28");
    expect(addMonths("2028-01-31", 1)).toBe("2028-02-29");
    expect(addMonths("2026-11-10", 12)).toBe("2027-11-10");
    expect(addMonths("2026-12-31", 6)).toBe("2027-06-30");
    expect(addDays("2026-12-31", 1)).toBe("2027-01-01");
  });

  test("a day starts by the clocks of the zone, also when they change", () => {
    expect(startOfDay(NEW_YORK, "2026-03-08").toISOString()).toBe("2026-03-08T05:00:00.000Z");
    expect(startOfDay(NEW_YORK, "2026-03-09").toISOString()).toBe("2026-03-09T04:00:00.000Z");
    expect(startOfDay("Asia/Kathmandu", "2026-11-15").toISOString()).toBe("2026-11-14T18:15:00.000Z");
    // Midnight is skipped there: the day starts at one.
    expect(startOfDay("America/Santiago", "2026-09-06").toISOString()).toBe("2026-09-06T04:00:00.000Z");
    // The first and the last representable day, regardless of the year in UTC.
    for (const zone of [NEW_YORK, "Pacific/Honolulu", "Pacific/Kiritimati"]) {
      for (const date of ["1000-01-01", "9999-12-31"]) expect(dateIn(zone, startOfDay(zone, date))).toBe(date);
    }
  });

  test("the first instant of a day belongs to that day, and the one before to the previous day", () => {
    const zones = ["America/New_York", "America/Santiago", "Pacific/Apia", "Asia/Kathmandu", "UTC", "Europe/Amsterdam"];
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 20_000 }), (zone, days) => {
        const date = addDays("2000-01-01", days);
        // Samoa skipped the day when it crossed the date line.
        fc.pre(!(zone === "Pacific/Apia" && date === "2011-12-30"));
        const start = startOfDay(zone, date);
        expect(dateIn(zone, start)).toBe(date);
        expect(dateIn(zone, new Date(start.getTime() - 1)) < date).toBe(true);
      }),
    );
  });
});

describe("a prescription can be filled", () => {
  test.each([
    ["twelve months from the written date, its last day included", {}, "2027-11-11T05:00:00.000Z"],
    ["longer in a state with a rule of its own", { patient: inState("IL") }, "2028-02-11T05:00:00.000Z"],
    ["six months where it is controlled", { drug: drug("Zolpidem 5 mg") }, "2027-05-11T04:00:00.000Z"],
    [
      "six months in any state, where it is controlled",
      { patient: inState("IL"), drug: drug("Zolpidem 5 mg") },
      "2027-05-11T04:00:00.000Z",
    ],
    ["90 days in schedule 2", { drug: drug("Oxycodone 5 mg") }, "2027-02-09T05:00:00.000Z"],
    [
      "as many days as the patient's state allows in schedule 2",
      { patient: inState("NY"), drug: drug("Oxycodone 5 mg") },
      "2026-12-11T05:00:00.000Z",
    ],
    [
      "no longer than the law allows where it is controlled, regardless of a simulated end",
      { drug: drug("Zolpidem 5 mg"), exactly: { expires_at: new Date("2030-01-01T00:00:00Z") } },
      "2027-05-11T04:00:00.000Z",
    ],
    [
      "until a simulated end, where it is not controlled",
      { exactly: { expires_at: new Date("2030-01-01T00:00:00Z") } },
      "2030-01-01T00:00:00.000Z",
    ],
    ["no longer than the prescriber says", { expiration_date: "2026-12-24" }, "2026-12-25T05:00:00.000Z"],
    [
      "no longer than the rule says, regardless of the prescriber",
      { expiration_date: "2031-01-01" },
      "2027-11-11T05:00:00.000Z",
    ],
  ])("%s", (_what, change, expires_at) => {
    expect(decide(change).prescription.expires_at.toISOString()).toBe(expires_at);
  });

  test("not before its effective date, and never before it was written", () => {
    expect(decide({ effective_date: "2026-12-01" }).prescription.effective_date).toBe("2026-12-01");
    expect(decide({ effective_date: "2026-01-01" }).prescription.effective_date).toBe("2026-11-10");
    expect(decide({ written_date: null }).prescription.written_date).toBe("2026-11-15");
    expect(decide({ written_date: "2026-11-16" }).warnings).toContain("written_date_future");
  });
});

describe("refills", () => {
  test.each([
    ["0", 12, 12, false],
    ["2", 3, 0, true],
    ["3", 9, 5, true],
    ["4", 5, 5, false],
    ["5", 6, 5, true],
    ["0", "prn", 99, false],
    ["4", "prn", 5, false],
    ["0", null, 0, false],
  ] as const)("of schedule %s: %s requested, %s granted", (schedule, refills, granted, capped) => {
    const { prescription, warnings } = decide({ refills, drug: drug("Something", undefined, schedule) });
    expect([prescription.refills, warnings.includes("refills_capped")]).toEqual([granted, capped]);
  });

  test("never exceed those granted nor fall below zero, and shrink with each order", () => {
    const written_qty = fc.integer({ min: 0, max: 1000 }).map((n) => n / 4);
    fc.assert(
      fc.property(
        written_qty,
        fc.integer({ min: 0, max: 99 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (qty, refills, share) => {
          const units_ordered = qty * (1 + refills) * share;
          const left = refillsLeft({ written_qty: qty, refills, units_ordered });
          expect(left).toBeGreaterThanOrEqual(0);
          expect(left).toBeLessThanOrEqual(refills);
          if (qty > 0 && share === 0) expect(left).toBe(refills);
          if (share === 1) expect(left).toBe(0);
        },
      ),
    );
  });
});

describe("the drug", () => {
  test("is matched by its NDC in any format; the formulary decides about ten bare digits", () => {
    for (const code of ["70999010130", "70999-0101-30", "70999-101-30", "70999 0101 30"])
      expect(decide({ drug: drug("A", code) }).prescription).toMatchObject({ ndc: "70999010130", gcn: "90101" });
    const bare = decide({ drug: drug("A", "7099910130") });
    expect(bare.prescription).toMatchObject({ ndc: "70999010130", gcn: "90101" });
    expect(bare.warnings).toContain("ndc_ambiguous");
    expect(decide({ drug: drug("A", "1234567890") }).prescription.ndc).toBeNull();
  });

  test("has the strictest schedule of message, formulary and name", () => {
    expect(decide({ drug: drug("A", undefined, "3") }).prescription.drug_schedule).toBe("3");
    expect(decide({ drug: drug("A", "70999060130") }).prescription.drug_schedule).toBe("4");
    expect(decide({ drug: drug("Oxycodone / acetaminophen", undefined, "5") }).prescription.drug_schedule).toBe("2");
    expect(decide({ drug: drug("Codeineless cough drops") }).prescription.drug_schedule).toBe("0");
  });

  test.each([
    ["Meperidine 50 mg tablet", "2"],
    ["Levorphanol tartrate 2 mg", "2"],
    ["Codeine sulfate 30 mg tablet", "2"],
    ["Acetaminophen-codeine 300-30 mg tablet", "3"],
    ["Butalbital-aspirin-caffeine 50-325-40 mg capsule", "3"],
    ["Butalbital-acetaminophen-caffeine 50-325-40 mg tablet", "0"],
    ["Fioricet with codeine (butalbital-acetaminophen-caffeine-codeine)", "3"],
    ["Sodium oxybate 500 mg/mL", "3"],
    ["Methyltestosterone 10 mg", "3"],
    ["Esterified estrogens-methyltestosterone 1.25-2.5 mg", "0"],
    ["Triazolam 0.25 mg tablet", "4"],
    ["Butorphanol 10 mg/mL nasal spray", "4"],
    ["Chlordiazepoxide 10 mg capsule", "4"],
    ["Chlordiazepoxide-clidinium 5-2.5 mg", "0"],
    ["Azstarys (serdexmethylphenidate-dexmethylphenidate)", "2"],
    ["Promethazine-codeine 6.25-10 mg/5 mL syrup", "5"],
    ["Diphenoxylate-atropine 2.5-0.025 mg", "5"],
    ["Ganaxolone 50 mg/mL", "5"],
    ["Nalbuphine 10 mg/mL", "0"],
    ["Apomorphine 10 mg/mL", "0"],
  ])("21 CFR 1308: %s is in schedule %s", (name, schedule) => {
    expect(scheduleByName(name)).toBe(schedule);
  });

  test("the names of all listed ingredients are recognized inside a description", () => {
    for (const [schedule, names] of Object.entries(controlledIngredients))
      for (const name of names) expect(scheduleByName(`${name.toUpperCase()} HCl 10 MG tablet`)).toBe(schedule);
  });
});

describe("a pharmacist must accept", () => {
  const cases: Record<keyof typeof acceptanceReasons, Parameters<typeof decide>[0]> = {
    signature_missing: { drug: drug("Zolpidem"), signature_evidence: false },
    dea_missing: { drug: drug("Zolpidem"), prescriber: { ...sample.prescriber, dea: null } },
    dea_checksum: { drug: drug("Zolpidem"), prescriber: { ...sample.prescriber, dea: "AW1234567" } },
    written_date_missing: { drug: drug("Zolpidem"), written_date: null },
    written_date_future: { drug: drug("Zolpidem"), written_date: "2026-11-16" },
    quantity_zero: { quantity: { value: 0, unit: null } },
    do_not_fill: { noticed: ["do_not_fill"] },
    compound: { noticed: ["compound"] },
    schedule_one: { noticed: ["schedule_one"] },
    allergy_unreadable: { noticed: ["allergy_unreadable"] },
    weight_unreadable: { noticed: ["weight_unreadable"] },
    safety_facts_left_out: { noticed: ["safety_facts_left_out"] },
    drug_differs_from_ndc: { drug: drug("Warfarin 5 mg", "70999010130"), ndc_drug: "Atorvastatin 20 mg tablet" },
  };
  test.each(Object.entries(cases))("%s", (reason, change) => {
    expect(decide(change).prescription.acceptance_reasons).toEqual([reason]);
  });

  test("nothing if all is in order; without a controlled drug, neither signature nor DEA number is needed", () => {
    expect(decide({ drug: drug("Zolpidem") }).prescription.acceptance_reasons).toEqual([]);
    const plain = decide({ signature_evidence: false, prescriber: { ...sample.prescriber, dea: null } });
    expect(plain.prescription.acceptance_reasons).toEqual([]);
  });
});

test("the months of states are read from the setting", () => {
  expect(numbersByState("IL=15,IA=18")).toEqual({ IL: 15, IA: 18 });
  expect(numbersByState("")).toEqual({});
});
