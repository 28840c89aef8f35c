import { describe, expect, test } from "vitest";
import { canariesFail } from "../../../src/domain/safety/canaries.ts";
import { readSafetyData as readTables } from "../../../src/domain/safety/data.ts";
import { diffSafetyRows } from "../../../src/domain/safety/diff.ts";
import { withInteractionsOf } from "../../../src/domain/safety/interaction-csv.ts";
import { type Place, SafetyDataFault } from "../../../src/domain/safety/read-rows.ts";
import {
  canaryKinds,
  laterCanaryKinds,
  laterTables,
  type SafetyRows,
  safetyFields,
  safetyTables,
  wordLists,
} from "../../../src/domain/safety/rows.ts";
import { isNamesFile, withNamesOf } from "../../../src/domain/safety/texts/names-csv.ts";
import { understand } from "../../../src/domain/safety/texts/understand.ts";
import { loadLexicon } from "../../../src/usecases/safety/load-lexicon.ts";
import { found, shipped, shippedJson } from "../../support/samples/safety.ts";

const readSafetyData = (json: unknown, place?: Place) => readTables(json, place, loadLexicon());

/** The file, to be damaged. */
type Rows = Record<string, Record<string, unknown>[]>;

function faultsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof SafetyDataFault) return error.faults;
    throw error;
  }
  return [];
}
const faultsWith = (change: (rows: Rows) => void) => {
  const rows = shippedJson() as unknown as Rows;
  change(rows);
  return faultsOf(() => readSafetyData(rows));
};
const wordsOf = (rows: Rows) => rows["words"] as unknown as Record<string, string[]>;
/** Puts a value into a row of a table. */
const put = (table: string, index: number, name: string, value: unknown) => (rows: Rows) => {
  rows[table]![index]![name] = value;
};

describe("damaged data", () => {
  test("is rejected as a whole if it is not an object", () => {
    for (const json of [null, [], "text", 7]) {
      expect(faultsOf(() => readSafetyData(json))).toEqual(["file: expected a JSON object"]);
    }
    expect(faultsOf(() => readSafetyData({})).length).toBeGreaterThan(10);
  });

  test.each(
    Object.entries(safetyTables).flatMap(([table, columns]) => Object.keys(columns).map((name) => [table, name])),
  )("a wrong %s.%s is reported with the row's location", (table, name) => {
    const wrongs = [-7.5, [null], { class: 1 }];
    const faults = faultsWith((rows) => {
      for (const [index, wrong] of wrongs.entries()) put(table!, index, name!, wrong)(rows);
    });
    expect(faults).toEqual(wrongs.map((_, index) => expect.stringMatching(`^${table}\\[${index}\\]\\.${name}: give `)));
  });

  test.each(
    Object.entries(safetyTables).flatMap(([table, columns]) =>
      Object.entries(columns).flatMap(([name, field]) => ("missing" in field ? [] : [[table, name]])),
    ),
  )("a %s without %s is reported, never dropped", (table, name) => {
    const faults = faultsWith((rows) => {
      delete rows[table!]![0]![name!];
    });
    expect(faults).toEqual([expect.stringMatching(`^${table}\\[0\\]\\.${name}: give `)]);
  });

  test.each([
    ...Object.keys(safetyFields),
    ...Object.keys(safetyTables).filter((table) => !laterTables.has(table)),
    "sources",
    "words",
  ])("%s is required", (name) => {
    const faults = faultsWith((rows) => void delete rows[name]);
    expect(faults).toEqual([expect.stringMatching(`^${name}: `)]);
  });

  test.each(Object.entries(wordLists).flatMap(([name, field]) => ("missing" in field ? [] : [name])))(
    "words.%s is required",
    (name) => {
      expect(faultsWith((rows) => void delete wordsOf(rows)[name])).toEqual([
        `words.${name}: give a list of words, each once`,
      ]);
    },
  );
  test("tables of 0.1.0 still load: they have no rules about the patient", () => {
    const rows = shippedJson() as unknown as Rows;
    for (const table of laterTables) delete rows[table];
    const { condition_rules, dose_limits } = readSafetyData(rows).rows;
    expect([condition_rules, dose_limits]).toEqual([[], []]);
  });

  test.each<[string, (rows: Rows) => void, string]>([
    [
      "an unknown class of a rule about the patient",
      put("age_rules", 0, "drugs", ["warfarin", "class nosuch"]),
      "age_rules[0].drugs: the table of classes",
    ],
    [
      "an unknown condition of a rule",
      put("condition_rules", 0, "condition", "nosuch"),
      "condition_rules[0].condition: the table of condition words",
    ],
    [
      "an unknown ingredient of a class",
      put("classes", 2, "ingredients", ["warfarin", "nosuch"]),
      "classes[2].ingredients: the table of ingredients",
    ],
    [
      "an unknown ingredient of a row",
      put("interactions", 5, "b", { ingredient: "nosuch" }),
      "interactions[5].b: the table of ingredients",
    ],
    [
      "an unknown class",
      put("cross_reactions", 0, "a", { class: "nosuch" }),
      "cross_reactions[0].a: the table of classes",
    ],
    [
      "an unknown side of a combination",
      put("combinations", 0, "sides", [{ class: "nsaids" }, { class: "statins" }, { class: "nosuch" }]),
      "combinations[0].sides: the table of classes",
    ],
    [
      "an unknown drug of an exception",
      put("interactions", 0, "exceptions", [{ drug: "nosuch", severity: "none" }]),
      "interactions[0].exceptions: the table of ingredients",
    ],
    [
      "an exception by strength without its drug",
      put("interactions", 0, "exceptions", [{ most_mg: 20, severity: "none" }]),
      "interactions[0].exceptions: give a list of exceptions",
    ],
    [
      "an unknown source",
      put("interactions", 3, "source", "toString"),
      "interactions[3].source: sources has no such name",
    ],
    [
      "a row twice, turned round",
      ({ interactions }) => {
        const { a, b, ...row } = interactions![0]!;
        interactions!.push({ ...row, a: b, b: a });
      },
      ": an earlier row has the same value",
    ],
    ["an unknown field", put("excipients", 0, "excipeint", "x"), "excipients[0]: this field does not exist"],
    [
      "a class named like an ingredient",
      ({ classes }) => void classes!.push({ ...classes![0]!, class: "warfarin" }),
      "a class cannot have the name of an ingredient",
    ],
    [
      "a class by name without words",
      ({ classes }) => void delete classes!.find((row) => row["allergy"] === "named")!["words"],
      "a class that is allergic by name needs words",
    ],
    [
      "a schedule without a rule",
      ({ refill_rules }) => void refill_rules!.pop(),
      "refill_rules: no rule, or more than one, for schedule 5",
    ],
    [
      "an unknown table",
      (rows) => {
        rows["interaction"] = [];
      },
      "file: this field does not exist",
    ],
  ])("%s is reported", (_what, change, fault) => {
    const faults = faultsWith(change);
    expect(
      faults.some((one) => one.includes(fault)),
      faults.join("\n"),
    ).toBe(true);
  });

  test("reports all problems at once, and none of the content", () => {
    const faults = faultsWith((rows) => {
      put("interactions", 0, "severity", "xyzzy")(rows);
      put("interactions", 4, "since", "xyzzy")(rows);
      rows["ingredients"]![9] = "xyzzy" as never;
    });
    expect(faults).toEqual([
      "ingredients[9]: expected a JSON object",
      "interactions[0].severity: give one of contraindicated, major, moderate",
      "interactions[4].since: give a date as YYYY-MM-DD",
    ]);
    expect(new SafetyDataFault(faults).message).toBe(`The safety data has faults: ${faults.join("; ")}`);
  });
});

describe("tables of 0.1.0", () => {
  /** What an operator may have imported before the tables had advice, exceptions, combinations and graded duplicates. */
  const older = () => {
    const rows = shippedJson() as unknown as Rows;
    for (const table of laterTables) delete rows[table];
    for (const row of rows["interactions"]!) for (const name of ["advice", "exceptions"]) delete row[name];
    for (const row of rows["classes"]!) {
      row["duplicates"] = "duplicates" in row;
      delete row["local_if_topical"];
    }
    for (const name of ["topical_forms", "oral_forms"]) delete wordsOf(rows)[name];
    rows["canaries"] = rows["canaries"]!.filter(({ covers }) => canaryKinds.some((kind) => kind === covers));
    return rows;
  };

  test("still load, and their findings have no advice", () => {
    const data = readSafetyData(older());
    expect(found(["sertraline"], { medications: ["Nardil"] }, data)).toMatchObject([
      { key: "interaction phenelzine sertraline", exception_id: 75, advice: null },
    ]);
  });

  test("warn about every duplicate, as they did", () => {
    expect(found(["sertraline", "fluoxetine"], {}, readSafetyData(older()))).toContainEqual(
      expect.objectContaining({ kind: "duplicate_therapy", severity: "moderate", exception_id: null }),
    );
  });
});

describe("canaries", () => {
  test.each([...canaryKinds, ...laterCanaryKinds])("must watch over %s", (kind) => {
    const faults = faultsWith((rows) => {
      rows["canaries"] = rows["canaries"]!.filter(({ covers }) => covers !== kind);
    });
    expect(faults).toEqual([`canaries: no canary covers ${kind}`]);
  });

  test.each(
    shipped.rows.canaries
      .filter(({ covers }) => covers !== "near_miss")
      .map(({ name, covers, expects }) => [name, covers, expects] as const),
  )("%s fails if what it watches is missing", (name, covers, expects) => {
    const json = shippedJson() as unknown as Rows;
    // Well-formed tables without content.
    if (covers.startsWith("interaction")) json["interactions"] = [];
    else if (covers === "combination") json["combinations"] = [];
    else if (covers === "duplicate_therapy") for (const row of json["classes"]!) delete row["duplicates"];
    else if (covers === "allergy_cross") json["cross_reactions"] = [];
    else if (covers === "allergy_class") for (const row of json["classes"]!) delete row["allergy"];
    else for (const row of json["ingredients"]!) row["aliases"] = [];
    expect(expects).toHaveLength(1);
    // The names that ship beside the tables know the aliases too.
    const data = covers === "allergy_ingredient" ? readTables(json) : readSafetyData(json);
    expect(canariesFail(data)).toContain(name);
  });

  test("near misses fail if too much is found", () => {
    const json = shippedJson() as unknown as Rows;
    json["interactions"]!.push({
      ...json["interactions"]![0]!,
      a: { ingredient: "sertraline" },
      b: { class: "statins" },
    } as never);
    expect(canariesFail(readSafetyData(json))).toEqual(["sertraline and atorvastatin in one order"]);
  });

  test("an engine that breaks is unfit", () => {
    const broken = { ...shipped, substances: null as never };
    expect(canariesFail(broken)).toHaveLength(shipped.rows.canaries.length);
  });
});

describe("a CSV file of interactions", () => {
  const head = "a_class,a_ingredient,b_class,b_ingredient,severity,mechanism,washout_days,source,since";
  const read = (text: string) => {
    const { json, place } = withInteractionsOf(text, shipped, "feed 7");
    return readSafetyData(json, place);
  };

  test("replaces the interactions, and adds its own ingredients and sources", () => {
    const data = read(
      `${head}\nmaois,,,Zorblaxin,MAJOR,"rises, badly",14,Feed 2026-11,2026-11-01\n,warfarin,,Zorblaxin,moderate,bleeds,,label,2026-11-01\n`,
    );
    expect(data.version).toBe("feed 7");
    expect(data.rows.interactions).toHaveLength(2);
    expect(data.rows.classes).toEqual(shipped.rows.classes);
    expect(found(["phenelzine"], { medications: ["ZORBLAXIN 5 mg"] }, data)).toMatchObject([
      { key: "interaction phenelzine zorblaxin", source: "Feed 2026-11", version: "feed 7", exception_id: 75 },
    ]);
    const diff = diffSafetyRows(shipped.rows, data.rows);
    expect(diff.map(({ table }) => table)).toEqual(["sources", "ingredients", "interactions"]);
    expect(diff[2]).toMatchObject({ added: ["class maois + zorblaxin", "warfarin + zorblaxin"], changed: [] });
    expect(diff[2]!.removed).toHaveLength(shipped.rows.interactions.length);
  });

  test("may say what to do", () => {
    const data = read(
      `${head},advice\nmaois,,,Zorblaxin,major,rises,0,label,2026-11-01,"Wait, then call."\n,warfarin,,Zorblaxin,major,rises,0,label,2026-11-01,\n`,
    );
    expect(data.rows.interactions.map(({ advice }) => advice)).toEqual(["Wait, then call.", null]);
  });

  test("keeps the exceptions of a row that the tables have with the same severity", () => {
    const row = (severity: string) =>
      `${head}\nace_inhibitors,,potassium_sparing,,${severity},rises,0,label,2026-11-01\n`;
    const [same] = read(row("major")).rows.interactions;
    expect(same).toMatchObject({ mechanism: "rises", advice: expect.any(String) });
    expect(same!.exceptions.length).toBeGreaterThan(0);
    expect(read(row("contraindicated")).rows.interactions).toMatchObject([{ advice: null, exceptions: [] }]);
  });

  test("resolves a salt or a brand as the tables do", () => {
    const data = read(`${head}\n,Sertraline Hydrochloride,,Lipora,major,rises,0,label,2026-11-01\n`);
    expect(data.rows.interactions).toMatchObject([
      { a: { ingredient: "sertraline" }, b: { ingredient: "atorvastatin" } },
    ]);
    expect(data.rows.ingredients).toEqual(shipped.rows.ingredients);
  });

  test.each([
    ["another head", "a,b,severity\n1,2,major\n", "line 1: the first line must name the columns"],
    ["no rows", `${head}\n`, "file: the file has no rows"],
    ["nothing", "", "line 1: the first line must name the columns"],
    ["a cell too few", `${head}\nmaois,,,x,major,m,0,s\n`, "line 2: a different number of cells"],
    ["a torn quote", `${head}\nmaois,,,"x,major,m,0,s,2026-01-01\n`, "line 2: The opening quote"],
    ["both of a side", `${head}\n\nmaois,warfarin,,x,major,m,0,s,2026-01-01\n`, "line 3.a: give {"],
    ["neither of a side", `${head}\nmaois,,,,major,m,0,s,2026-01-01\n`, "line 2.b: give {"],
    [
      "an unknown class",
      `${head}\nnosuch,,,x,major,m,0,s,2026-01-01\n`,
      "line 2.a: the table of classes has no such class",
    ],
    ["a severity of its own", `${head}\nmaois,,,x,3,m,0,s,2026-01-01\n`, "line 2.severity: give one of"],
    [
      "two ingredients in one",
      `${head}\nmaois,,,Bactrim,major,m,0,s,2026-01-01\n`,
      "line 2.b_ingredient: the tables read this as several",
    ],
    [
      "a class as an ingredient",
      `${head}\n,statin drug,,x,major,m,0,s,2026-01-01\n`,
      "line 2.a_ingredient: the tables read this as a class",
    ],
    ["no source", `${head}\nmaois,,,x,major,m,0,,2026-01-01\n`, "source: give one line"],
    [
      "a washout in words",
      `${head}\nmaois,,,x,major,m,two weeks,s,2026-01-01\n`,
      "line 2.washout_days: give a whole number",
    ],
  ])("with %s is rejected by line", (_what, text, fault) => {
    const faults = faultsOf(() => read(text));
    expect(
      faults.some((one) => one.includes(fault)),
      faults.join("\n"),
    ).toBe(true);
  });
});

describe("a CSV file of drug names", () => {
  const head = "rxcui,kind,name,ingredients,source";
  const read = (text: string) => {
    const { json, place } = withNamesOf(text, shipped, "names 7");
    return readSafetyData(json, place);
  };

  test("adds new ingredients and brands, and changes no known name", () => {
    const data = read(
      [
        head,
        "1,IN,zorblaxin,,RxNorm 2027",
        "2,PIN,zorblaxin sodium,,RxNorm 2027",
        "3,BN,Zorbex,zorblaxin sodium,RxNorm 2027",
        "4,BN,Newstatin,atorvastatin calcium / linaclotide,RxNorm 2027",
        "5,BN,Zoloft,warfarin,RxNorm 2027",
      ].join("\n"),
    );
    const means = (text: string) => understand(data, text).substances.map(({ name }) => name);
    expect(means("Zorbex 5 mg")).toEqual(["zorblaxin"]);
    expect(means("zorblaxin sodium")).toEqual(["zorblaxin"]);
    expect(means("Newstatin")).toEqual(["atorvastatin", "linaclotide"]);
    expect(means("Zoloft")).toEqual(["sertraline"]);
    expect(diffSafetyRows(shipped.rows, data.rows)).toEqual([
      { table: "sources", added: ["RxNorm 2027"], changed: [], removed: [] },
      { table: "ingredients", added: ["linaclotide", "zorblaxin"], changed: ["atorvastatin"], removed: [] },
    ]);
    expect(canariesFail(data)).toEqual([]);
  });

  test.each([
    ["another head", "rxcui,name\n1,a\n", "line 1: the first line must name the columns"],
    ["no rows", `${head}\n`, "file: the file has no rows"],
    ["a cell too few", `${head}\n1,IN,a,\n`, "line 2: a different number of cells"],
    ["another kind", `${head}\n1,XX,a,,s\n`, "line 2.kind: give one of IN"],
    ["no name", `${head}\n1,IN,?,,s\n`, "line 2.name: give a name"],
    ["no source", `${head}\n1,IN,a,,\n`, "line 2.source: give the source"],
  ])("with %s is rejected by line", (_what, text, fault) => {
    expect(isNamesFile(text)).toBe(true);
    expect(faultsOf(() => read(text)).join("\n")).toContain(fault);
  });
});

describe("the difference of tables", () => {
  const changed = (change: (rows: Rows) => void): SafetyRows => {
    const rows = shippedJson() as unknown as Rows;
    change(rows);
    return readSafetyData(rows).rows;
  };

  test("names what was added, changed and removed, and is empty without changes", () => {
    const named = changed((given) => {
      given["version"] = "other" as never;
    });
    expect(diffSafetyRows(shipped.rows, named)).toEqual([]);
    const rows = changed((given) => {
      given["grace_days"] = 3 as never;
      put("interactions", 0, "severity", "moderate")(given);
      given["interactions"]!.splice(2, 1);
      given["ingredients"]!.push({ ingredient: "zorblaxin", aliases: ["Zorb"], source: "label" });
      wordsOf(given)["no_drug"]!.push("moonlight");
    });
    expect(diffSafetyRows(shipped.rows, rows)).toEqual([
      { table: "settings", added: [], changed: ["grace_days"], removed: [] },
      { table: "ingredients", added: ["zorblaxin"], changed: [], removed: [] },
      {
        table: "interactions",
        added: [],
        changed: ["class amphetamine_derivatives + class maois"],
        removed: ["class thiopurines + febuxostat"],
      },
      { table: "words", added: ["no_drug moonlight"], changed: [], removed: [] },
    ]);
  });
});

test("tables that were read can be written and read again without any difference", () => {
  const again = readSafetyData(JSON.parse(JSON.stringify(shipped.rows)));
  expect(diffSafetyRows(shipped.rows, again.rows)).toEqual([]);
  expect(again.version).toBe(shipped.version);
});
