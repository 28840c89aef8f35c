import { describe, expect, test } from "vitest";
import { canariesFail } from "../../../src/domain/safety/canaries.ts";
import { type InteractionRow, keyOfRow, type Side, severities } from "../../../src/domain/safety/rows.ts";
import { understand } from "../../../src/domain/safety/texts/understand.ts";
import { daysAgo, found, holdsOf, shipped } from "../../support/samples/safety.ts";

/** Tests every row of the shipped tables with every member that it names, so every row has an effect. */

const { rows } = shipped;
const members = (side: Side) => ("class" in side ? shipped.classes.get(side.class)!.ingredients : [side.ingredient]);
const pairsOf = ({ a, b }: { a: Side; b: Side }) =>
  members(a).flatMap((one) => members(b).flatMap((two) => (one === two ? [] : [[one, two] as const])));
const rank = (severity: (typeof severities)[number]) => severities.indexOf(severity);
/** The mildest that a row can be for some patient; -1 if it can be silent. */
const mildest = ({ severity, exceptions }: InteractionRow) => {
  const all = [severity, ...exceptions.map((one) => one.severity)];
  return all.some((one) => one === "none") ? -1 : Math.max(...all.map((one) => rank(one as typeof severity)));
};
const interactionKey = (one: string, two: string) => `interaction ${[one, two].sort().join(" ")}`;

describe("interactions", () => {
  test.each(rows.interactions.map((row) => [keyOfRow.interactions(row), row] as const))("%s", (_key, row) => {
    const pairs = pairsOf(row);
    expect(pairs.length).toBeGreaterThan(0);
    // Thousands of pairs: one comparison at the end costs much less than one for each.
    const wrong: unknown[] = [];
    for (const [index, [one, two]] of pairs.entries()) {
      const ways = {
        "beside a listed medication": found([one], { medications: [`${two} 10 mg twice a day`] }),
        // A large class has hundreds of pairs, which all take the same way.
        ...(index < 20 && {
          "in one order": found([one, two]),
          "beside a fill": found([one], { fills: [{ ingredients: [two] }] }),
          "beside an open order": found([one], { fills: [{ ingredients: [two], shipped_at: null }] }),
          "the other way round": found([two], { medications: [one] }),
        }),
      };
      for (const [way, findings] of Object.entries(ways)) {
        const finding = findings.find(({ key }) => key === interactionKey(one, two));
        if (finding === undefined && mildest(row) < 0) continue;
        const right =
          finding !== undefined &&
          // Another row may be more severe for the same pair.
          rank(finding.severity) <= (mildest(row) < 0 ? rank("moderate") : mildest(row)) &&
          finding.advice?.endsWith(".") === true &&
          finding.exception_id === (finding.severity === "moderate" ? null : 75) &&
          finding.kind === "interaction" &&
          finding.item_id === 1 &&
          finding.version === rows.version &&
          Object.values(rows.sources).includes(finding.source);
        if (!right) wrong.push([`${one} and ${two} ${way}`, finding]);
      }
    }
    expect(wrong).toEqual([]);
  });

  test.each(
    rows.interactions
      .filter(({ washout_days }) => washout_days > 0)
      .map((row) => [keyOfRow.interactions(row), row] as const),
  )("%s lasts as long as the table says, and no longer", (_key, row) => {
    const [one, two] = pairsOf(row)[0]!;
    const longest = Math.max(
      ...rows.interactions
        .filter((other) => pairsOf(other).some((pair) => interactionKey(...pair) === interactionKey(one, two)))
        .map(({ washout_days }) => washout_days),
    );
    const over = 30 + rows.grace_days + longest;
    const at = (days: number) => found([one], { fills: [{ ingredients: [two], shipped_at: daysAgo(days) }] });
    expect(at(over).map(({ key }) => key)).toContain(interactionKey(one, two));
    expect(at(over).find(({ key }) => key === interactionKey(one, two))!.message).toContain(
      "which may still have an effect",
    );
    expect(at(over + 1).map(({ key }) => key)).not.toContain(interactionKey(one, two));
  });

  test("have all fifteen pairs of the ONC list, each with a row that names it", () => {
    const samples = [
      ["dextroamphetamine", "phenelzine"],
      ["atazanavir", "omeprazole"],
      ["febuxostat", "azathioprine"],
      ["sertraline", "tranylcypromine"],
      ["irinotecan", "ketoconazole"],
      ["meperidine", "isocarboxazid"],
      ["amitriptyline", "selegiline"],
      ["dofetilide", "ziprasidone"],
      ["ramelteon", "fluvoxamine"],
      ["rifampin", "darunavir"],
      ["simvastatin", "clarithromycin"],
      ["ergotamine", "ritonavir"],
      ["tizanidine", "ciprofloxacin"],
      ["tranylcypromine", "procarbazine"],
      ["sumatriptan", "phenelzine"],
    ] as const;
    for (const [one, two] of samples) {
      const finding = found([one, two]).find(({ key }) => key === interactionKey(one, two));
      expect(finding, `${one} and ${two}`).toMatchObject({ severity: "contraindicated", exception_id: 75 });
      expect(finding!.source).toBe(rows.sources["onc"]);
    }
  });
});

describe("combinations", () => {
  const firstOf = (sides: readonly Side[]) => {
    const drugs = new Set<string>();
    for (const side of sides) drugs.add(members(side).find((one) => !drugs.has(one))!);
    return [...drugs];
  };

  test.each(rows.combinations.map((row) => [row.combination, row] as const))("%s", (_key, row) => {
    const drugs = firstOf(row.sides);
    for (const [index, drug] of drugs.entries()) {
      const others = drugs.filter((_, at) => at !== index);
      const key = `interaction ${row.combination} ${drug}`;
      const finding = found([drug], { medications: others }).find((one) => one.key === key);
      expect(finding).toMatchObject({ severity: row.severity, advice: row.advice, item_id: 1 });
      for (const other of others) expect(finding!.message).toContain(other);
      expect(found(drugs).map((one) => one.key)).toContain(key);
      for (const left of others) {
        const rest = others.filter((one) => one !== left);
        expect(found([drug], { medications: rest }).map((one) => one.key)).not.toContain(key);
      }
      const over = { ingredients: [others[0]!], shipped_at: daysAgo(60) };
      expect(found([drug], { medications: others.slice(1), fills: [over] }).map((one) => one.key)).not.toContain(key);
    }
  });
});

describe("allergies", () => {
  test.each(rows.ingredients.map((row) => [row.ingredient, row] as const))(
    "to %s hold it, by each of its names",
    (ingredient, { aliases }) => {
      for (const name of [ingredient, ...aliases]) {
        for (const text of [name, `${name.toUpperCase()} (hives, severe)`]) {
          const finding = found([ingredient], { allergies: [text] }).find(
            ({ key }) => key === `allergy ${ingredient} ${ingredient}`,
          );
          expect(finding, text).toMatchObject({ severity: "contraindicated", exception_id: 74, item_id: 1 });
        }
        const { substances } = understand(shipped, `${name} 50 mg daily`);
        expect(substances.map((one) => one.name)).toContain(ingredient);
      }
    },
  );

  test.each(rows.classes.filter(({ allergy }) => allergy !== null).map((row) => [row.class, row] as const))(
    "to one of the %s hold the others",
    (_name, row) => {
      for (const drug of row.ingredients) {
        const allergens = row.allergy === "members" ? row.ingredients : [];
        for (const allergen of [...allergens, ...row.words, ...row.words.map((word) => `${word}s`)]) {
          const findings = found([drug], { allergies: [allergen] });
          expect(
            findings.filter(({ kind, exception_id }) => kind === "allergy" && exception_id === 74),
            allergen,
          ).not.toEqual([]);
          expect(findings.map(({ kind }) => kind)).not.toContain("unknown_drug");
        }
      }
    },
  );

  test.each(rows.cross_reactions.map((row) => [keyOfRow.cross_reactions(row), row] as const))("%s", (_key, row) => {
    for (const [allergen, drug] of pairsOf(row).flatMap(([one, two]) => [
      [one, two],
      [two, one],
    ])) {
      const finding = found([drug!], { allergies: [allergen!] }).find(
        ({ key }) => key === `allergy ${allergen} ${drug}`,
      );
      expect(finding, `${drug} for somebody allergic to ${allergen}`).toBeDefined();
      expect(rank(finding!.severity)).toBeLessThanOrEqual(rank(row.severity));
      expect(finding!.exception_id).toBe(finding!.severity === "moderate" ? null : 74);
    }
  });

  test.each(rows.excipients.map((row) => [row.excipient, row] as const))(
    "to %s warn about every package, and hold what contains it",
    (excipient, row) => {
      for (const text of [excipient, ...row.words]) {
        const findings = found(["finasteride"], { allergies: [text] });
        expect(findings, text).toContainEqual(
          expect.objectContaining({ key: `allergy ${excipient}`, exception_id: null, item_id: null }),
        );
        expect(holdsOf(findings)).toEqual([]);
        for (const drug of [...row.ingredients, excipient]) {
          expect(holdsOf(found([drug], { allergies: [text] })), text).toContain(`allergy ${excipient} ${drug}`);
        }
      }
    },
  );

  test("that mean none, or that concern no drug, find nothing", () => {
    for (const text of [...rows.words.no_allergies, ...rows.words.no_drug]) {
      expect(found(["amoxicillin"], { allergies: [text] }), text).toEqual([]);
    }
  });

  test("that only describe are not recognized", () => {
    for (const text of rows.words.description) {
      expect(found(["amoxicillin"], { allergies: [text] }), text).toMatchObject([{ kind: "unknown_drug" }]);
    }
  });
});

test.each(rows.classes.filter(({ duplicates }) => duplicates !== null).map((row) => [row.class, row] as const))(
  "two of the %s are reported at least as severely as the class says",
  (_name, row) => {
    for (const [index, one] of row.ingredients.entries()) {
      for (const two of row.ingredients.slice(index + 1)) {
        const doubled = (findings: ReturnType<typeof found>) => {
          const [finding, ...more] = findings.filter(({ kind }) => kind === "duplicate_therapy");
          expect(more).toEqual([]);
          expect(rank(finding!.severity)).toBeLessThanOrEqual(rank(row.duplicates!));
          expect(finding).toMatchObject({ exception_id: finding!.severity === "moderate" ? null : 75, item_id: 1 });
          expect(finding!.advice).toMatch(/\.$/);
        };
        doubled(found([one, two]));
        doubled(found([two], { fills: [{ ingredients: [one] }] }));
        doubled(found([two], { medications: [one] }));
      }
    }
  },
);

test("every canary of the shipped tables passes", () => {
  expect(canariesFail(shipped)).toEqual([]);
});
