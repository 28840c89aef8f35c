import { writeCsv } from "@pestle/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { catalogueColumns } from "../../../src/domain/catalogue/columns.ts";
import { readCsv } from "../../../src/domain/catalogue/csv.ts";
import { kindOfColumns, readFileTable } from "../../../src/domain/catalogue/file-table.ts";
import { changesNothing, type ImportPlan, planImport } from "../../../src/domain/catalogue/plan-import.ts";
import { type Catalogue, type CatalogueKind, catalogueKinds, type Row } from "../../../src/domain/catalogue/rows.ts";
import { CONTROLLED, catalogueRules } from "../../../src/domain/catalogue/rules.ts";
import { writeFile } from "../../../src/domain/catalogue/write-file.ts";
import { castCatalogue, catalogues } from "../../support/samples/catalogue.ts";
import { effort } from "../../support/tools/effort.ts";

const RUNS = { seed: 20_261_115, numRuns: effort(300) };
const formats = ["csv", "json"] as const;

/** The effect of a file with these rows on the cast's catalogue, or on another. */
const plan = (kind: CatalogueKind, rows: readonly object[], around: Catalogue = castCatalogue, partial = true) =>
  planImport(kind, readFileTable(JSON.stringify(rows)), around, { partial });
const planText = (kind: CatalogueKind, text: string, partial = true) =>
  planImport(kind, readFileTable(text), castCatalogue, { partial });
const first = (kind: CatalogueKind) => castCatalogue[kind][0] as unknown as Row;
const places = ({ faults }: ImportPlan) => faults.map(({ at, column }) => `${at} ${column}`);

describe("a CSV file", () => {
  const cell = fc.string({
    unit: fc.constantFrom('"', ",", ";", "\n", "\r\n", "a", " ", "é", "𝒳", "\t"),
    maxLength: 8,
  });

  test("reads back as it was written, for any cell content", () => {
    const rows = fc.array(
      fc.array(cell, { minLength: 1, maxLength: 4 }).filter((cells) => cells.some((text) => text.trim() !== "")),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(rows, (cells) => {
        const { records, faults } = readCsv(writeCsv(cells));
        expect(faults).toEqual([]);
        expect(records.map((record) => record.cells)).toEqual(cells);
      }),
      { ...RUNS, numRuns: effort(2_000) },
    );
  });

  test("is read quickly and never throws, for any input", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', ",", "\n", "\r", "a", " "), maxLength: 200 }), (text) => {
        readCsv(text);
      }),
      { ...RUNS, numRuns: effort(2_000) },
    );
    expect(readCsv(`"${'""'.repeat(1_000_000)}"`).records[0]?.cells[0]).toHaveLength(1_000_000);
  });

  test("numbers a record by its first line, and skips a byte order mark and blank lines", () => {
    expect(readCsv('\ufeffa,b\r\n"1\n2",3\n\n , \n4,\n"5",""').records).toEqual([
      { line: 1, cells: ["a", "b"] },
      { line: 2, cells: ["1\n2", "3"] },
      { line: 6, cells: ["4", ""] },
      { line: 7, cells: ["5", ""] },
    ]);
    expect(readCsv("a,").records).toEqual([{ line: 1, cells: ["a", ""] }]);
  });

  test.each([
    ["a quote that is never closed", 'a,b\n1,"2\n3', "line 2", "never closed"],
    ["a quote in the middle of a cell", 'a,b\n1,2"3\n4,5', "line 2", "middle of a cell"],
    ["text after a closing quote", 'a,b\n"1"2,3', "line 2", "middle of a cell"],
    ["a carriage return alone", "a,b\r1,2", "line 1", "carriage return"],
  ])("%s is reported with its line", (_what, text, at, words) => {
    expect(readFileTable(text).faults[0]).toEqual({ at, column: null, sentence: expect.stringContaining(words) });
  });
});

describe("a file as a whole", () => {
  test.each([
    ["nothing", "", "file", "no rows"],
    ["a head alone", "sku,price_cents\n", "file", "no rows"],
    ["other separators", "sku;price_cents\na;1", "line 1", "commas"],
    ["a column without a name", "sku,\na,1", "line 1", "no name"],
    ["a column twice", "sku,sku\na,b", "line 1", "twice"],
    ["a line with a cell too many", "sku,price_cents\na,1,2", "line 2", "number of cells"],
    ["no rows in JSON", "[]", "file", "no rows"],
    ["more rows than one statement takes", `sku,price_cents\n${"a,1\n".repeat(20_001)}`, "file", "at most 20000 rows"],
    ["more items than one statement takes", `[${Array(20_001).fill("{}")}]`, "file", "at most 20000 rows"],
    ["an object", "{}", "file", "array of objects"],
    ["an item that is not an object", '[{"sku":"a"},4]', "item 2", "JSON object"],
    ["torn JSON", '[\n{"sku":"a"},\n{"sku"}]', "line 3", "not valid JSON"],
    ["JSON that ends early", '[\n{"sku":\n', "line 3", "not valid JSON"],
  ])("%s is refused", (_what, text, at, words) => {
    const { faults, rows, diff } = planText("products", text);
    expect(faults).toContainEqual(expect.objectContaining({ at, sentence: expect.stringContaining(words) }));
    expect([rows, changesNothing(diff)]).toEqual([[], true]);
  });

  test("is recognized by its columns if all required ones are present", () => {
    for (const kind of catalogueKinds) {
      const columns = catalogueColumns[kind];
      expect(kindOfColumns(columns.map(({ name }) => name))).toBe(kind);
      expect(kindOfColumns(columns.filter(({ empty }) => empty === undefined).map(({ name }) => name))).toBe(kind);
      expect(kindOfColumns([columns[0].name])).toBeUndefined();
    }
  });

  test("with an unknown column, or without its key, is rejected once and not for every row", () => {
    const text = "skuu,price_cents\na,1\nb,2\n";
    expect(places(planText("products", text))).toEqual(["file skuu", "file sku"]);
    expect(places(planText("products", "sku,price_cents\na,1\nb,2\n"))).toHaveLength(
      catalogueColumns.products.filter(({ empty }) => empty === undefined).length - 2,
    );
  });
});

/** Invalid values for each column, besides those that are invalid everywhere. */
const wrongValues: Record<CatalogueKind, Record<string, readonly unknown[]>> = {
  products: {
    sku: ["", " ", "a\nb", "x".repeat(65)],
    ndc: ["7099901013", "709990101301", "70999-0101", "seventy", 70999010130],
    gcn: ["x".repeat(65), "9\u0007"],
    name: ["", "\u0000", "x".repeat(256), "\ud800"],
    ingredients: ["atorvastatin", [""], ["a", "a"], ["a;b"], [4]],
    rx_only: ["yes", 1, null],
    drug_schedule: ["1", "6", "", "II"],
    package_sizes: [[], null, [0], [-1], [1.0001], [30, 30], ["30"], [1e9], 30],
    quantities: [[], [0], [1.5], [1001], [1, 1]],
    written_quantities: [[], [0], [0.0001], [Number.MAX_SAFE_INTEGER]],
    max_units: [0, -1, "30", 1e9, null],
    shipping_method_ids: [[], [0], ["1"], [1, 1], [1.5]],
    blocked_states: [["XX"], ["CA", "CA"], ["California"], "CA"],
    cold_chain: ["cold", 0],
    price_cents: [-1, 12.5, "1200", 1e9, null],
    back_orders: ["no", 1],
    is_drug: ["maybe", 0],
  },
  brands: {
    id: [0, -1, 1.5, "1", null, 1e12],
    name: ["", "a\tb"],
    default: ["yes", 1],
  },
  shipping_methods: {
    id: [0, "1", null],
    name: [""],
    carrier: ["", null],
    service: ["", null],
    signature_confirmation: [null, "true"],
    po_box: [null, 1],
    cold_chain: [null, "x"],
    price_cents: [-1, 0.5, null],
    transit_days_min: [-1, 400, 1.5, null],
    transit_days_max: [-1, 400, null],
    default: ["first"],
  },
  licences: {
    state: ["", "XX", "California", 4],
    number: ["", null],
    status: ["", "revoked", null],
    valid_from: ["2026-02-30", "01/02/2026", "", 20260101],
    valid_to: ["2026-13-01", null],
  },
  stock: {
    sku: ["", null, 4],
    on_hand_units: [-1, 0.0001, 1e12, "many", null, [1]],
  },
};
const allColumns = catalogueKinds.flatMap((kind) => catalogueColumns[kind].map((column) => ({ kind, column })));

describe("every column", () => {
  test("has fixtures here, and there are none for others", () => {
    for (const kind of catalogueKinds) {
      expect(Object.keys(wrongValues[kind])).toEqual(catalogueColumns[kind].map(({ name }) => name));
    }
  });

  test.each(allColumns.map(({ kind, column }) => [kind, column.name, column] as const))(
    "%s.%s says what was expected, with its location",
    (kind, name, column) => {
      for (const value of [...wrongValues[kind][name]!, { deep: [] }, [[]]]) {
        const { faults } = plan(kind, [{ ...first(kind), [name]: value }]);
        const expected = { at: "item 1", column: name, sentence: column.expected };
        expect([value, faults]).toEqual([value, expect.arrayContaining([expected])]);
      }
    },
  );

  test.each(allColumns.filter(({ column }) => column.empty !== undefined))(
    "$kind.$column.name may be empty",
    ({ kind, column }) => {
      expect(column.accept(column.empty) ?? null).toEqual(column.empty);
      // A single brand is the default, so no rule about another column applies.
      const { faults } = plan(kind, [{ ...first(kind), [column.name]: null }]);
      expect(faults.filter(({ sentence }) => sentence === column.expected)).toEqual([]);
    },
  );
});

describe("cells are read as people and spreadsheets write them", () => {
  const changed = (column: string, cell: string) => {
    const { faults, rows } = planText("products", `sku,${column}\natorvastatin-20,"${cell}"\n`);
    return faults[0]?.sentence ?? rows[0]?.[column];
  };
  test.each([
    ["ndc", "70999-0101-31", "70999010131"],
    ["ndc", " 70999 0101 31 ", "70999010131"],
    ["rx_only", "TRUE", undefined],
    ["back_orders", "True", true],
    ["package_sizes", "30; 60 ;7.5", [30, 60, 7.5]],
    ["ingredients", "atorvastatin ; calcium", ["atorvastatin", "calcium"]],
    ["blocked_states", "ar;Tx", ["AR", "TX"]],
    ["blocked_states", "", undefined],
    ["drug_schedule", "4", "4"],
    ["price_cents", "0012", 12],
    ["price_cents", "1,200", expect.stringContaining("whole number")],
    ["price_cents", "1e3", expect.stringContaining("whole number")],
    ["price_cents", "$12", expect.stringContaining("whole number")],
    ["ndc", "7099901013", expect.stringContaining("leading zeros")],
    ["package_sizes", "30,60", expect.stringContaining("above 0")],
  ])("%s %j", (column, cell, expected) => expect(changed(column, cell)).toEqual(expected));
});

/** For each rule, by its sentence, a file that breaks only that rule. */
const breaking: Record<CatalogueKind, Record<string, { rows: readonly object[]; at: string; partial?: boolean }>> = {
  products: {
    "A product that needs a prescription must have an NDC, because prescriptions name it.": one({
      sku: "atorvastatin-20",
      ndc: null,
    }),
    "A product that needs a prescription must have a GCN, which links brand and generic.": one({
      sku: "atorvastatin-20",
      gcn: null,
    }),
    "A controlled substance must need a prescription.": one({ sku: "zolpidem-5", rx_only: false }),
    [CONTROLLED]: one({ sku: "zolpidem-5", drug_schedule: "0" }),
    "A drug must list its ingredients, because the safety checks use them. If it is not a drug, set is_drug to false.":
      one({ sku: "pill-organizer", is_drug: true }),
    "A product with ingredients, or one that needs a prescription, is a drug.": one({
      sku: "atorvastatin-20",
      is_drug: false,
    }),
    "The account has no shipping method with this id. Import shipping_methods first.": one({
      sku: "zolpidem-5",
      shipping_method_ids: [1, 77],
    }),
    "A cold-chain product can ship only by methods that keep it cold.": one({
      sku: "semaglutide-pen",
      shipping_method_ids: [4, 3],
    }),
    "The largest of the quantities can cost at most 40000000 cents.": one({
      sku: "pill-organizer",
      price_cents: 10_000_000,
      quantities: [5],
    }),
    "Another product has this NDC.": one({ sku: "lipora-20", ndc: "70999010130" }),
  },
  brands: {
    "Exactly one row must be the default.": one({ id: 2, default: true }),
  },
  shipping_methods: {
    "It is less than transit_days_min.": one({ id: 1, transit_days_max: 2 }),
    "Cold-chain products ship by this method. Import products without it first.": one({ id: 4, cold_chain: false }),
    "Exactly one row must be the default.": one({ id: 1, default: false }, "file"),
    "Products ship by this method. Import products without it first.": {
      rows: castCatalogue.shipping_methods.filter(({ id }) => id !== 4),
      at: "method 4, left out",
      partial: false,
    },
  },
  licences: { "It is before valid_from.": one({ state: "CA", valid_to: "2001-01-01" }) },
  stock: { "Orders have reserved more than this.": one({ sku: "atorvastatin-20", on_hand_units: 89.999 }) },
};
function one(row: object, at = "item 1") {
  return { rows: [row], at };
}
const allRules = catalogueKinds.flatMap((kind) => {
  const { rows, whole } = catalogueRules[kind];
  return [...rows, ...whole].map(({ column, sentence }) => ({ kind, column, sentence }));
});

describe("every rule", () => {
  test("has a fixture here, and there are none for others", () => {
    for (const kind of catalogueKinds) {
      const sentences = allRules.filter((rule) => rule.kind === kind).map(({ sentence }) => sentence);
      expect(Object.keys(breaking[kind]).sort()).toEqual([...new Set(sentences)].sort());
    }
  });

  test.each(allRules)("$kind: $sentence", ({ kind, column, sentence }) => {
    const { rows, at, partial = true } = breaking[kind][sentence]!;
    expect(plan(kind, rows, castCatalogue, partial).faults).toEqual([{ at, column, sentence }]);
  });

  test("and every wrong column is reported at once, in the order of the file", () => {
    const text = [
      "sku,ndc,name,rx_only,drug_schedule,package_sizes,quantities,written_quantities,max_units,shipping_method_ids,price_cents,ingredients",
      "new-1,70999010130,One,false,0,30,1,30,30,1,100,urea",
      "new-2,123,Two,maybe,9,0,0,0,0,0,-1,urea",
      "new-1,,Three,false,0,30,1,30,30,88,100,urea",
      "new-4,,Four,true,0,30,1,30,30,1,100,urea",
    ].join("\n");
    expect(places(planText("products", text))).toEqual([
      "line 2 ndc",
      ...["ndc", "rx_only", "drug_schedule", "package_sizes", "quantities", "written_quantities", "max_units"].map(
        (name) => `line 3 ${name}`,
      ),
      "line 3 shipping_method_ids",
      "line 3 price_cents",
      "line 4 sku",
      "line 5 ndc",
      "line 5 gcn",
    ]);
  });

  test("an unknown product cannot be counted", () => {
    expect(places(plan("stock", [{ sku: "unheard-of", on_hand_units: 1 }]))).toEqual(["item 1 sku"]);
  });
});

describe("ingredients", () => {
  const row = { ...first("products"), sku: "zz", ndc: "00000000001" };
  const readIngredient = (ingredient: string) => ({
    names: ingredient === "Ambien" ? ["zolpidem"] : [ingredient],
    known: ingredient !== "zorblaxin" && ingredient !== "atorvastatn",
    did_you_mean: ingredient === "atorvastatn" ? ["atorvastatin"] : [],
  });
  const planned = (change: object) =>
    planImport("products", readFileTable(JSON.stringify([{ ...row, ...change }])), castCatalogue, {
      partial: true,
      readIngredient,
    });

  test("that the safety tables do not know are a warning, and the file can be imported", () => {
    const { faults, warnings, diff } = planned({ ingredients: ["atorvastatin", "zorblaxin", "atorvastatn"] });
    expect([faults, diff.added]).toEqual([[], ["zz"]]);
    expect(warnings).toEqual([
      { at: "item 1", column: "ingredients", sentence: expect.stringContaining("do not know ingredient 2. Orders") },
      { at: "item 1", column: "ingredients", sentence: expect.stringContaining("Did you mean atorvastatin?") },
    ]);
    expect(planned({ ingredients: ["atorvastatin"] }).warnings).toEqual([]);
  });

  test("that are controlled are rejected under schedule 0, also by their brand", () => {
    for (const ingredient of ["zolpidem tartrate", "Ambien"]) {
      expect(planned({ ingredients: [ingredient] }).faults).toEqual([
        { at: "item 1", column: "drug_schedule", sentence: CONTROLLED },
      ]);
      expect(planned({ ingredients: [ingredient], drug_schedule: "4" }).faults).toEqual([]);
    }
  });
});

describe("the difference", () => {
  const price = { sku: "atorvastatin-20", price_cents: 1300 };

  test("of a partial file is what it changes; an omitted column stays", () => {
    const { diff, rows } = plan("products", [price, { ...first("products"), sku: "zz", ndc: "00000000001" }]);
    expect(diff).toEqual({
      added: ["zz"],
      changed: [{ key: "atorvastatin-20", fields: [{ field: "price_cents", from: 1200, to: 1300 }] }],
      retired: [],
      unchanged: castCatalogue.products.length - 1,
    });
    expect(rows).toContainEqual({ ...first("products"), ...price });
  });

  test("of a complete file retires what it omits, except stock", () => {
    const { diff } = plan("products", [price], castCatalogue, false);
    expect(diff.retired).toEqual(castCatalogue.products.slice(1).map(({ sku }) => sku));
    expect(plan("stock", [{ sku: "lipora-20", on_hand_units: 90 }], castCatalogue, false).diff).toEqual({
      added: [],
      changed: [{ key: "lipora-20", fields: [{ field: "on_hand_units", from: 100_000, to: 90 }] }],
      retired: [],
      unchanged: castCatalogue.stock.length - 1,
    });
  });

  test("between a catalogue and its own file is empty, and its file gives an empty one the same content", () => {
    fc.assert(
      fc.property(catalogues, fc.boolean(), (catalogue, partial) => {
        for (const kind of catalogueKinds) {
          const rows = catalogue[kind] as unknown as Row[];
          for (const format of formats) {
            const file = readFileTable(writeFile(kind, rows, format));
            expect(file.format).toBe(format);
            expect(planImport(kind, file, catalogue, { partial })).toEqual({
              faults: [],
              warnings: [],
              diff: { added: [], changed: [], retired: [], unchanged: rows.length },
              rows: [],
            });
            if (kind === "stock") continue;
            const made = planImport(kind, file, { ...catalogue, [kind]: [] }, { partial });
            expect([made.faults, made.rows]).toEqual([[], rows]);
          }
        }
      }),
      RUNS,
    );
  });

  test("of any two catalogues, applied to the first, gives the second", () => {
    fc.assert(
      fc.property(catalogues, catalogues, fc.constantFrom(...formats), (before, after, format) => {
        for (const kind of ["brands", "licences"] as const) {
          const rows = after[kind] as unknown as Row[];
          const file = readFileTable(writeFile(kind, rows, format));
          const key = catalogueColumns[kind][0].name;
          const { diff, rows: written } = planImport(kind, file, before, { partial: false });
          const stayed = (before[kind] as unknown as Row[]).filter(
            (row) => ![...diff.retired, ...diff.changed.map((change) => change.key)].includes(row[key] as string),
          );
          const result = [...stayed, ...written];
          expect(
            new Set(
              result.map((row) =>
                JSON.stringify(
                  row,
                  catalogueColumns[kind].map(({ name }) => name),
                ),
              ),
            ),
          ).toEqual(
            new Set(
              rows.map((row) =>
                JSON.stringify(
                  row,
                  catalogueColumns[kind].map(({ name }) => name),
                ),
              ),
            ),
          );
        }
      }),
      RUNS,
    );
  });
});
