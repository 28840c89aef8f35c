import { documentTypes } from "@pestle/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { asapGaps, asapReport } from "../../../src/domain/fulfillment/asap.ts";
import type { AsapHeader, DispensedRecord } from "../../../src/domain/fulfillment/asap-segments.ts";
import { AIR, DSP, documentQualifiers, IS, PAT, PHA, PRE, TH } from "../../../src/domain/fulfillment/asap-segments.ts";
import { pharmacyFacts } from "../../../src/domain/fulfillment/documents.ts";
import { effort } from "../../support/tools/effort.ts";

const RUNS = { seed: 20_261_115, numRuns: effort(500) };

const header: AsapHeader = {
  control_number: "20261115-1",
  created_date: "2026-11-15",
  created_time: "17:05:09",
  test: true,
  pharmacy: pharmacyFacts(readConfig({})),
  period: { from: "2026-11-14", to: "2026-11-15" },
};

const record: DispensedRecord = {
  reporting_status: "new",
  patient: {
    first_name: "Zoë",
    last_name: "Nuñez-Łukasz",
    middle_name: null,
    suffix: "Jr",
    dob: "1984-02-29",
    gender: "F",
    phone: "+1 (614) 555-0117",
  },
  address: { street1: "18 Larch Street", street2: "Apt 4", city: "Columbus", state: "OH", zip: "43215-1234" },
  document: { type: "DL", issuing_country: "US", issuing_state: "OH", number: "RT-123456" },
  prescription_id: 183_601,
  written_date: "2026-11-10",
  refills: 5,
  refill_number: 1,
  partial: 0,
  filled_date: "2026-11-14",
  sold_date: "2026-11-15",
  ndc: "70999080130",
  units: 30,
  unit: "tablet",
  days_supply: 30,
  written_qty: 30,
  sig_text: "Take 1½ tablets at bedtime * as needed ~",
  payer: "patient",
  prescriber_name: "Amara van der Berg",
  prescriber_npi: "1234567893",
  prescriber_dea: "BL8426529-0042",
  prescriber_phone: "6145550190",
  pharmacist_npi: "1588887775",
  pharmacist_license: "RPH-1001",
};

/** Knows only the standard's syntax: TH defines the segment terminator, and asterisks separate fields. */
function readAsap(text: string): { segments: string[][]; of: (id: string) => string[][] } {
  const terminator = /^TH(?:\*[^*]*){8}\*(.)\1\n/.exec(text)![1]!;
  const segments = text
    .replace(`*${terminator}${terminator}`, `*TERMINATOR${terminator}`)
    .split(`${terminator}\n`)
    .slice(0, -1)
    .map((segment) => segment.split("*"));
  return { segments, of: (id) => segments.filter(([name]) => name === id) };
}

const counted = (text: string) => {
  const { segments, of } = readAsap(text);
  const ids = segments.map(([id]) => id);
  return {
    whole: segments.length,
    pharmacy: ids.indexOf("TP") - ids.indexOf("PHA") + 1,
    told_whole: Number(of("TT")[0]![2]),
    told_pharmacy: Number(of("TP")[0]![1]),
  };
};

describe("the report of controlled substances", () => {
  test("has its segments in order, and every field in its position", () => {
    const { segments } = readAsap(asapReport(header, [record]));
    expect(segments).toEqual([
      ["TH", "4.2B", "20261115-1", "01", "", "20261115", "170509", "T", "", "TERMINATOR"],
      ["IS", "1999999992", "Larkspur Pharmacy"],
      [
        "PHA",
        "1999999992",
        "9900009",
        "FL1234563",
        "Larkspur Pharmacy",
        "410 Quarry Road",
        "",
        "Portland",
        "ME",
        "04101",
        "2075550142",
      ],
      [
        "PAT",
        ...["OH", "06", "RT-123456", "", "", "", "Nunez-Lukasz", "Zoe", "", "", "Jr"],
        ...["18 Larch Street", "Apt 4", "Columbus", "OH", "432151234", "6145550117", "19840229", "F", "01"],
      ],
      [
        "DSP",
        ...["00", "183601", "20261110", "5", "20261114", "1", "01", "70999080130", "30", "30", "01", "05", "00"],
        ...[
          "1588887775",
          "RPH-1001",
          "01",
          "20261115",
          "",
          "",
          "",
          "",
          "30",
          "Take 1 1/2 tablets at bedtime as needed",
        ],
      ],
      ["PRE", "1234567893", "BL8426529", "0042", "", "Berg", "Amara van der", "", "6145550190"],
      ["AIR", "", "", "OH", "06", "RT-123456", "01", "Nunez-Lukasz", "Zoe", "", "", "02"],
      ["TP", "6"],
      ["TT", "20261115-1", "9"],
    ]);
  });

  test("counts its segments correctly, with and without documents", () => {
    const records = [record, { ...record, document: null }, record];
    const { whole, pharmacy, told_whole, told_pharmacy } = counted(asapReport(header, records));
    expect([told_whole, told_pharmacy]).toEqual([whole, pharmacy]);
    expect(whole).toBe(3 + 4 + 3 + 4 + 2);
  });

  test("without fills says so, and for which days", () => {
    expect(asapReport(header, [])).toBe(
      [
        "TH*4.2B*20261115-1*01**20261115*170509*T**~~",
        "IS*1999999992*Larkspur Pharmacy*#20261114#-#20261115#~",
        "PHA*1999999992*9900009*FL1234563*Larkspur Pharmacy*410 Quarry Road**Portland*ME*04101*2075550142~",
        "PAT*******REPORT*ZERO~",
        "DSP*****20261115~",
        "PRE~",
        "CDI~",
        "AIR~",
        "TP*7~",
        "TT*20261115-1*10~",
        "",
      ].join("\n"),
    );
  });

  test.each([
    [{ reporting_status: "void" }, "DSP", 1, "02"],
    [{ reporting_status: "revised" }, "DSP", 1, "01"],
    [{ partial: 1 }, "DSP", 13, "01"],
    [{ partial: 12 }, "DSP", 13, "12"],
    [{ unit: "milliliter" }, "DSP", 11, "02"],
    [{ unit: "gram" }, "DSP", 11, "03"],
    [{ unit: null }, "DSP", 11, "01"],
    [{ units: 0.1 * 3 }, "DSP", 9, "0.3"],
    [{ payer: "partner" }, "DSP", 16, "99"],
    [{ pharmacist_npi: null }, "DSP", 14, ""],
    [{ pharmacist_license: "PHARMACIST-1001" }, "DSP", 15, ""],
    [{ patient: { ...record.patient, gender: "N" } }, "PAT", 19, "U"],
    [{ patient: { ...record.patient, gender: null } }, "PAT", 19, "U"],
    [{ prescriber_name: "Cher" }, "PRE", 5, "Cher"],
    [{ document: { ...record.document!, type: "PP", issuing_state: null } }, "PAT", 1, "US"],
    [{ document: { ...record.document!, type: "PP", issuing_country: "CA", issuing_state: "ON" } }, "AIR", 3, "99"],
  ] as [Partial<DispensedRecord>, string, number, string][])(
    "%j is reported as %s%i = %s",
    (change, id, place, expected) => {
      expect(readAsap(asapReport(header, [{ ...record, ...change }])).of(id)[0]![place]).toBe(expected);
    },
  );

  test("has a qualifier for every kind of identity document", () => {
    expect(Object.keys(documentQualifiers).sort()).toEqual([...documentTypes].sort());
    expect(new Set(Object.values(documentQualifiers)).size).toBe(documentTypes.length);
    for (const type of documentTypes) {
      const { of } = readAsap(asapReport(header, [{ ...record, document: { ...record.document!, type } }]));
      expect([of("PAT")[0]![2], of("AIR")[0]![4]]).toEqual([documentQualifiers[type], documentQualifiers[type]]);
    }
  });

  test("has tables whose rows match their names", () => {
    for (const [id, fields] of Object.entries({ TH, IS, PHA, PAT, DSP, PRE, AIR })) {
      const numbered = fields.map((_, index) => `${id}${String(index + 1).padStart(2, "0")}`);
      expect(fields.map((field) => field.id)).toEqual(numbered);
    }
  });

  test("lists the fields that a state will miss", () => {
    expect(asapGaps(header, record)).toEqual([]);
    const lacking = { ...record, days_supply: null, prescriber_dea: null, address: { ...record.address, zip: "" } };
    expect(asapGaps(header, lacking)).toEqual(["PAT16", "DSP10", "PRE02"]);
  });

  test("stays readable for any names and directions", () => {
    const text = fc.string({ unit: "binary", maxLength: 80 });
    const hostile = fc.oneof(
      text,
      text.map((given) => `*~${given}~\n*`),
      fc.constantFrom("*", "~~", "TT*1*2~", ""),
    );
    const records = fc.array(
      fc.record({
        first_name: hostile,
        last_name: hostile,
        street1: hostile,
        sig_text: hostile,
        prescriber_name: hostile,
        number: hostile,
        documented: fc.boolean(),
      }),
      { maxLength: 5, minLength: 1 },
    );
    const tables: Record<string, readonly { most: number }[]> = { IS, PHA, PAT, DSP, PRE, AIR };
    fc.assert(
      fc.property(records, hostile, (given, control_number) => {
        const report = asapReport(
          { ...header, control_number },
          given.map(({ first_name, last_name, street1, sig_text, prescriber_name, number, documented }) => ({
            ...record,
            patient: { ...record.patient, first_name, last_name },
            address: { ...record.address, street1 },
            document: documented ? { ...record.document!, number } : null,
            sig_text,
            prescriber_name,
          })),
        );
        expect(report).toMatch(/^[\x20-\x7e\n]*$/);
        const { segments } = readAsap(report);
        const details = given.flatMap(({ documented }) => ["PAT", "DSP", "PRE", ...(documented ? ["AIR"] : [])]);
        expect(segments.map(([id]) => id)).toEqual(["TH", "IS", "PHA", ...details, "TP", "TT"]);
        const { whole, pharmacy, told_whole, told_pharmacy } = counted(report);
        expect([told_whole, told_pharmacy]).toEqual([whole, pharmacy]);
        for (const [id, ...values] of segments) {
          values.forEach((value, index) => {
            const most = tables[id!]?.[index]?.most;
            if (most !== undefined) expect(value.length).toBeLessThanOrEqual(most);
          });
        }
      }),
      RUNS,
    );
  });
});
