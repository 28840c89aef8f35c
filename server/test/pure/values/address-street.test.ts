import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { standardStreet } from "../../../src/domain/values/address/standard-street.ts";
import { MAX_LINE_CHARACTERS } from "../../../src/domain/values/address/street-tokens.ts";
import { unitDesignators } from "../../../src/domain/values/address/street-words.ts";
import { suffixSpellings } from "../../../src/domain/values/address/suffixes.ts";
import { type AddressKind, addressKinds } from "../../../src/domain/values/address/verdict.ts";
import { effort } from "../../support/tools/effort.ts";

const RUNS = { seed: 20_261_115, numRuns: effort(3_000) };

type Case = readonly [
  street1: string,
  street2: string | null,
  kind: AddressKind,
  standard1: string,
  standard2?: string,
];

/** Difficult lines and their standard form; the second line is omitted if there is none. */
const cases: readonly Case[] = [
  ["412 north larch street", null, "street", "412 N LARCH ST"],
  ["412 N. Larch St., Apt. #4-B", null, "street", "412 N LARCH ST", "APT 4-B"],
  ["412 Larch Street", "apartment 4 b", "street", "412 LARCH ST", "APT 4B"],
  ["Apt 9", "18 Fennel Lane", "street", "18 FENNEL LN", "APT 9"],
  ["", "18 Fennel Lane", "street", "18 FENNEL LN"],
  ["Suite 200, 18 Fennel Lane", null, "street", "18 FENNEL LN", "STE 200"],
  ["Rear 18 Fennel Lane", null, "street", "18 FENNEL LN", "REAR"],
  ["18 Fennel Lane Rear", null, "street", "18 FENNEL LN", "REAR"],
  ["18 Fennel Ln 3rd Floor", null, "street", "18 FENNEL LN", "FL 3"],
  ["18 Fennel Ln Bldg 7 Rm 12", "#3", "street", "18 FENNEL LN", "BLDG 7 RM 12 # 3"],
  ["18 Fennel Ln", "4B", "street", "18 FENNEL LN", "# 4B"],
  ["18 Fennel Ln Apt", "4B", "street", "18 FENNEL LN", "APT 4B"],
  ["18 Fennel Ln", "N/A", "street", "18 FENNEL LN"],
  ["18 Fennel Ln Apt 4", "c/o Orla Voss", "street", "18 FENNEL LN APT 4", "C/O ORLA VOSS"],
  ["Juniper Court Apartments", "18 Fennel Lane Unit C", "street", "JUNIPER COURT APARTMENTS", "18 FENNEL LN UNIT C"],
  ["18 Fennel Ln FL 33101", null, "street", "18 FENNEL LN FL 33101"],

  // Words that are usually a direction, a suffix or a unit, and a name here.
  ["7 North Street", null, "street", "7 NORTH ST"],
  ["7 N St NW", null, "street", "7 N ST NW"],
  ["7 N.W. Alder Avenue", null, "street", "7 NW ALDER AVE"],
  ["7 North West Alder Avenue", null, "street", "7 NW ALDER AVE"],
  ["7 South West Street", null, "street", "7 S WEST ST"],
  ["7 Alder Street South East", null, "street", "7 ALDER ST SE"],
  ["7 Avenue E", null, "street", "7 AVENUE E"],
  ["7 Court", null, "street", "7 COURT"],
  ["7 Court Street", null, "street", "7 COURT ST"],
  ["7 St. Brannoc's Place", null, "street", "7 ST BRANNOCS PL"],
  ["7 Alder Street Extension", null, "street", "7 ALDER STREET EXT"],
  ["7 Avenue of the Larks", null, "street", "7 AVENUE OF THE LARKS"],
  ["7 County Road 12 Lot 5", null, "street", "7 COUNTY ROAD 12", "LOT 5"],
  ["7 Front Street", null, "street", "7 FRONT ST"],
  ["7 Lake Side", null, "street", "7 LAKE SIDE"],
  ["7 Pier 39", null, "street", "7 PIER 39"],
  ["7 Unit Street", null, "street", "7 UNIT ST"],
  ["7 Space Center Boulevard", null, "street", "7 SPACE CENTER BLVD"],

  // House numbers of every kind.
  ["112-10 Quince Rd", null, "street", "112-10 QUINCE RD"],
  ["Quince Road", null, "unknown", "QUINCE ROAD"],
  ["3920 39.2 Road", null, "street", "3920 39.2 RD"],
  ["12½ Quince Rd", null, "street", "12 1/2 QUINCE RD"],
  ["12 1/2 Quince Rd", null, "street", "12 1/2 QUINCE RD"],
  ["N6W23001 Bluemound Road", null, "street", "N6W23001 BLUEMOUND RD"],
  ["One Larkspur Plaza", null, "street", "ONE LARKSPUR PLZ"],
  ["Urb. Las Dalias 150 Calle A", null, "street", "URB LAS DALIAS 150 CALLE A"],
  ["18 Peñasco Cañón Drive", null, "street", "18 PENASCO CANON DR"],

  ["PO Box 1187", null, "po_box", "PO BOX 1187"],
  ["P.O.Box #1187", null, "po_box", "PO BOX 1187"],
  ["p. o. box 1187", null, "po_box", "PO BOX 1187"],
  ["POB 12", null, "po_box", "PO BOX 12"],
  ["pobox12", null, "po_box", "PO BOX 12"],
  ["Post Office Box A", null, "po_box", "PO BOX A"],
  ["PO Drawer 5", null, "po_box", "PO BOX 5"],
  ["Box 12", null, "po_box", "PO BOX 12"],
  ["Lock Box 12", null, "po_box", "PO BOX 12"],
  ["Caller Service 34", null, "po_box", "PO BOX 34"],
  ["Apartado 77", null, "po_box", "PO BOX 77"],
  ["18 Fennel Ln", "PO Box 12", "po_box", "18 FENNEL LN", "PO BOX 12"],
  ["18 Fennel Ln PO Box 12", null, "po_box", "18 FENNEL LN PO BOX 12"],
  // Traps: boxes that are not PO Boxes.
  ["Box 12, 700 Main St", null, "street", "700 MAIN ST", "BOX 12"],
  ["700 Main St", "Box 12", "street", "700 MAIN ST", "BOX 12"],
  ["40 Boxwood Ln", null, "street", "40 BOXWOOD LN"],
  ["40 Box Elder Road", null, "street", "40 BOX ELDER RD"],
  ["40 Post Office Road", null, "street", "40 POST OFFICE RD"],
  ["40 Po Street", null, "street", "40 PO ST"],

  ["General Delivery", null, "general_delivery", "GENERAL DELIVERY"],
  ["gen. del.", null, "general_delivery", "GENERAL DELIVERY"],
  ["40 General Delivery Rd", null, "street", "40 GENERAL DELIVERY RD"],

  ["RR 2 Box 152", null, "rural", "RR 2 BOX 152"],
  ["Rural Route 02", "Box 152", "rural", "RR 2 BOX 152"],
  ["R.F.D. Route #4, Box 87A", null, "rural", "RR 4 BOX 87A"],
  ["RD 3 Box 9", null, "rural", "RR 3 BOX 9"],
  ["Route 9 Box 12", null, "rural", "RR 9 BOX 12"],
  ["1200 Route 9", null, "street", "1200 ROUTE 9"],
  ["HC 73 Box 18", null, "highway_contract", "HC 73 BOX 18"],
  ["Highway Contract Route 73 Box 18", null, "highway_contract", "HC 73 BOX 18"],
  ["Star Route Box 45", null, "highway_contract", "HC BOX 45"],
  ["PSC 123 Box 456", null, "military", "PSC 123 BOX 456"],
  ["CMR 4", "Box 56", "military", "CMR 4 BOX 56"],
  ["18 Fennel Ln", "Unit 5 Box 3", "street", "18 FENNEL LN", "UNIT 5 BOX 3"],

  ["PMB 314, 18 Fennel Lane", null, "private_mailbox", "18 FENNEL LN", "PMB 314"],
  ["18 Fennel Lane Ste 11 PMB 314", null, "private_mailbox", "18 FENNEL LN", "STE 11 PMB 314"],
];

describe("the standard form of a street", () => {
  test.each(cases.map(([street1, street2, kind, ...standard]) => ({ street1, street2, kind, standard })))(
    "$street1, $street2 is $kind",
    ({ street1, street2, kind, standard }) => {
      const { reasons, ...found } = standardStreet(street1, street2, false);
      expect(found).toEqual({ street1: standard[0], street2: standard[1] ?? null, kind });
      expect(reasons).toEqual(kind === "unknown" ? ["street_number_missing"] : []);
    },
  );

  test("every kind of place has a difficult example above", () => {
    const seen = new Set(cases.map(([, , kind]) => kind));
    expect(Object.keys(addressKinds).filter((kind) => !seen.has(kind as AddressKind))).toEqual([]);
  });

  test("every spelling of a suffix becomes its standard abbreviation, which stays", () => {
    const wrong = [...suffixSpellings].filter(
      ([spelling, abbreviation]) =>
        standardStreet(`12 Quince ${spelling.toLowerCase()}.`, null, false).street1 !== `12 QUINCE ${abbreviation}` ||
        suffixSpellings.get(abbreviation) !== abbreviation,
    );
    expect(wrong).toEqual([]);
    expect([suffixSpellings.size, new Set(suffixSpellings.values()).size]).toEqual([562, 201]);
  });

  test("every word for a unit becomes its abbreviation, in either line", () => {
    for (const { abbreviation, number, words } of unitDesignators) {
      for (const word of words) {
        const unit = `${abbreviation} 7`;
        expect(standardStreet(`12 Quince Rd ${word} 7`, null, false)).toMatchObject({ street2: unit, reasons: [] });
        if (abbreviation === "BOX") continue;
        expect(standardStreet("12 Quince Rd", `${word} 7`, false)).toMatchObject({ street2: unit, reasons: [] });
        const alone = standardStreet(`12 Quince Rd ${word}`, null, false);
        if (number === "optional") expect(alone).toMatchObject({ street2: abbreviation, reasons: [] });
        else if (word !== "FL") expect(alone.reasons).toEqual(["unit_number_missing"]);
      }
    }
  });

  test("at a military post a ship and a unit need no house number", () => {
    expect(standardStreet("USS Petrel", null, true)).toMatchObject({ kind: "military", reasons: [] });
    expect(standardStreet("Unit 2050", "Box 4190", true).street1).toBe("UNIT 2050 BOX 4190");
    expect(standardStreet("Unit 2050", null, true).reasons).toEqual([]);
  });
});

// Most words are keywords of the parser, so that the generated lines are near its edge cases.
const words = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ..."12 7 4B 112-10 1/2 39.2 B # N S E W NORTH EAST SOUTHEAST N.W. ALDER MAIN BOX BIN DRAWER PO P O".split(" "),
      ..."POST OFFICE POB RR RD R 02 HC ROUTE STAR HIGHWAY CONTRACT PSC UNIT PMB GENERAL DELIVERY AVE ST".split(" "),
      ..."APT STE SUITE FL FLOOR 3RD REAR SIDE KEY PIER LOT NO ONE N/A C/O USS APT4B POBOX7 , .".split(" "),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(...suffixSpellings.keys()) },
  { weight: 1, arbitrary: fc.constantFrom(...unitDesignators.flatMap((row) => row.words)) },
);
const lines = fc.oneof(
  { weight: 5, arbitrary: fc.array(words, { maxLength: 9 }).map((some) => some.join(" ")) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 130 }) },
);

describe("any two lines", () => {
  test("are unchanged when they are standardized again", () => {
    fc.assert(
      fc.property(lines, fc.option(lines), fc.boolean(), (street1, street2, military) => {
        const once = standardStreet(street1, street2, military);
        const { street1: again1, street2: again2, kind } = standardStreet(once.street1, once.street2, military);
        expect([again1, again2]).toEqual([once.street1, once.street2]);
        const readable = [once.street1, once.street2 ?? ""].every((line) => line.length <= MAX_LINE_CHARACTERS);
        if (readable) expect(kind).toBe(once.kind);
      }),
      RUNS,
    );
  });

  test("keep every number: a standard form never loses a house, a unit or a box", () => {
    const digits = (text: string | null) => (text ?? "").match(/[1-9]\d*/g)?.sort() ?? [];
    const plain = fc.array(words, { maxLength: 8 }).map((some) => some.join(" "));
    fc.assert(
      fc.property(plain, plain, (street1, street2) => {
        const standard = standardStreet(street1, street2, false);
        expect(digits(`${standard.street1} ${standard.street2 ?? ""}`)).toEqual(digits(`${street1} ${street2}`));
      }),
      RUNS,
    );
  });
});
