import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { loadZipTable } from "../../../src/adapters/addresses/zip-table.ts";
import { stateCodes } from "../../../src/domain/values/address/states.ts";
import { parseZipRows, ZipRowFaults } from "../../../src/domain/values/address/zip-rows.ts";
import { writeZipTable, zipTable } from "../../../src/domain/values/address/zip-table.ts";

const zips = loadZipTable();
const every = Array.from({ length: 100_000 }, (_, zip) => String(zip).padStart(5, "0"));
const folder = mkdtempSync(join(tmpdir(), "zip-table-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the shipped table", () => {
  test("answers for every ZIP code of its source, and for no other", () => {
    const rows = every.flatMap((zip) => {
      const state = zips.stateOf(zip);
      return state === null ? [] : [`${zip},${state},${zips.cityOf(zip)}`];
    });
    expect(rows).toHaveLength(42_745);
    // The checksum of the `zip,state,CITY` lines, each ended by a line feed; a new source has a new checksum.
    const sum = createHash("sha256")
      .update(rows.map((row) => `${row}\n`).join(""))
      .digest("hex");
    expect(sum).toBe("9206300d1199b795534f2446e51cf0e127f3655497249adb14c48553820c54d5");
  });

  test.each([
    ["94103", "CA", "SAN FRANCISCO"],
    ["00501", "NY", "HOLTSVILLE"],
    ["99950", "AK", "KETCHIKAN"],
    // Areas that several states share.
    ["06389", "CT", "YANTIC"],
    ["06390", "NY", "FISHERS ISLAND"],
    ["20588", "MD", "DHS"],
    ["20598", "VA", "DHS"],
    ["20599", "DC", "WASHINGTON"],
    ["72643", "MO", "LEAD HILL"],
    ["72644", "AR", "LEAD HILL"],
    ["73949", "OK", "TEXHOMA"],
    ["73960", "TX", "TEXHOMA"],
    ["83414", "WY", "ALTA"],
    ["83469", "ID", "SHOUP"],
    // Territories, associated states, military posts.
    ["00601", "PR", "ADJUNTAS"],
    ["00802", "VI", "ST THOMAS"],
    ["96799", "AS", "PAGO PAGO"],
    ["96932", "GU", "HAGATNA"],
    ["96940", "PW", "PALAU"],
    ["96944", "FM", "KOSRAE"],
    ["96952", "MP", "TINIAN"],
    ["96970", "MH", "EBEYE"],
    ["09012", "AE", "APO"],
    ["34025", "AA", "DPO"],
    ["96201", "AP", "APO"],
  ])("%s is %s, %s", (zip, state, city) => {
    expect([zips.stateOf(zip), zips.cityOf(zip)]).toEqual([state, city]);
  });

  test("rejects invalid ZIP codes", () => {
    for (const zip of ["00000", "99999", "94193", "9410", "941033", "94103-1234", " 94103", "9410x", "", "-1"]) {
      expect([zips.stateOf(zip), zips.cityOf(zip)]).toEqual([null, null]);
    }
  });

  test("finds the areas of a city, in one state only", () => {
    expect([...zips.areasOf("ME", "PORTLAND")]).toEqual([41]);
    expect([...zips.areasOf("OR", "PORTLAND")]).toContain(972);
    expect([...zips.areasOf("CA", "NOSUCHCITY")]).toEqual([]);
    expect([...zips.areasOf("XX", "PORTLAND")]).toEqual([]);
  });

  test("has every state, and finds every state by its name", () => {
    const seen = new Set(every.map((zip) => zips.stateOf(zip)));
    expect(stateCodes.filter((state) => !seen.has(state))).toEqual([]);
    expect(stateCodes).toHaveLength(62);
  });
});

describe("a written table", () => {
  test("reads back the same, for any rows", () => {
    const rows = fc.uniqueArray(
      fc.record({
        zip5: fc.integer({ min: 0, max: 99_999 }).map((zip) => String(zip).padStart(5, "0")),
        state: fc.constantFrom(...stateCodes),
        city: fc.constantFrom("ALBA", "BRYN", "CORLEY SPRINGS"),
      }),
      { selector: ({ zip5 }) => zip5, maxLength: 60 },
    );
    fc.assert(
      fc.property(rows, (some) => {
        const sorted = some.sort((a, b) => (a.zip5 < b.zip5 ? -1 : 1));
        const { areas, cities } = writeZipTable(sorted);
        const table = zipTable(areas, () => cities, []);
        for (const { zip5, state, city } of sorted) {
          expect([table.stateOf(zip5), table.cityOf(zip5)]).toEqual([state, city]);
          const next = String((Number(zip5) + 1) % 100_000).padStart(5, "0");
          if (!some.some((row) => row.zip5 === next)) expect(table.cityOf(next)).toBe(null);
        }
      }),
      { seed: 20_261_115, numRuns: 60 },
    );
  });

  test("that is damaged is rejected on load", () => {
    expect(() => zipTable("941 CA 00", () => "", [])).toThrow("damaged");
    expect(() => zipTable("941 XX 0000000000000000000000000", () => "", [])).toThrow("damaged");
  });
});

describe("an operator's own rows", () => {
  const file = (text: string) => {
    const path = join(folder, "rows.csv");
    writeFileSync(path, text);
    return path;
  };

  test("add and correct ZIP codes, and leave the rest", () => {
    const table = loadZipTable(file("zip,state,city\r\n94193,CA,Larkspur Annex\r\n72643,ar,Lead Hill\r\n"));
    expect([table.stateOf("94193"), table.cityOf("94193")]).toEqual(["CA", "LARKSPUR ANNEX"]);
    expect(table.stateOf("72643")).toBe("AR");
    expect([table.stateOf("94103"), table.cityOf("94103")]).toEqual(["CA", "SAN FRANCISCO"]);
    expect([...table.areasOf("CA", "LARKSPURANNEX")]).toEqual([941]);
  });

  test("may have a byte order mark, no header, comments, blank lines, quotes and, with a header, more columns", () => {
    const row = { zip5: "94193", state: "CA", city: "LARKSPUR" };
    for (const text of [
      "\ufeffzip,state,city\n94193,CA,Larkspur",
      "94193,CA,Larkspur\n",
      "# ours\n\nzip,state,city,county,source\n94193,CA,Larkspur,Marin,us\n",
      'ZIP,State,City\n"94193","CA","Larkspur"\n',
    ]) {
      expect(parseZipRows(text)).toEqual([row]);
    }
  });

  test("are rejected with the line and the reason of every error, and never with the content", () => {
    const text = [
      "zip,state,city",
      "94193,CA,Larkspur",
      "2139,MA,Cambridge",
      "94194,Kalifornien,Larkspur",
      "94195,CA,",
      "94196,CA",
      "",
      "94193,CA,Larkspur",
      `94197,CA,${"x".repeat(51)}`,
    ].join("\n");
    const message = (() => {
      try {
        parseZipRows(text);
        return "";
      } catch (error) {
        expect(error).toBeInstanceOf(ZipRowFaults);
        return (error as Error).message;
      }
    })();
    expect(message.split("\n")).toEqual([
      "line 3: the zip is not five digits (spreadsheets drop leading zeros)",
      "line 4: the state is not a two-letter code of the United States",
      "line 5: the city is empty or longer than 50 characters",
      "line 6: expected zip,state,city",
      "line 8: an earlier line already has this zip",
      "line 9: the city is empty or longer than 50 characters",
    ]);
    expect(() => parseZipRows("\n".repeat(200_000))).toThrow("line 100001");
  });
});
