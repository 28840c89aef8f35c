import { medicalWords } from "../../values/text.ts";

/** A name of a drug. Without ingredients it is an ingredient itself; otherwise it is a brand, a salt or a synonym. */
export type DrugName = { readonly name: string; readonly ingredients: readonly string[] };

/** A row of the source: `rxcui,kind,name,ingredients,source`. Names from elsewhere than RxNorm have no rxcui. */
export type DrugNameRow = { rxcui: string; kind: string; name: string; ingredients: string };

/** Words that RxNorm puts before an ingredient to tell two products of a brand apart. */
const QUALIFIERS: ReadonlySet<string> = new Set([
  ...["abuse", "deterrent", "augmented", "biphasic", "breath", "actuated", "daily", "emollient", "evening", "dosing"],
  ...[
    "free",
    "home",
    "admin",
    "hyponatremia",
    "micronized",
    "microencapsulated",
    "modified",
    "month",
    "3",
    "4",
    "bead",
  ],
  ...["once", "osmotic", "pediatric", "preservative", "pulmonary", "hypertension", "atrial", "fibrillation", "release"],
  ...["sensor", "sprinkle", "sugar", "twice", "dose", "doses", "unt", "mg", "0", "5", "25", "20", "30", "40", "50"],
  ...["60", "70", "80"],
]);

/** Names that begin like a salt and are an ingredient: "potassium chloride" is not a salt of potassium. */
const MINERALS: ReadonlySet<string> = new Set([
  ...[
    "aluminum",
    "ammonium",
    "barium",
    "calcium",
    "cobalt",
    "copper",
    "cupric",
    "ferric",
    "ferrous",
    "iron",
    "lithium",
  ],
  ...["magnesium", "manganese", "potassium", "selenium", "silver", "sodium", "strontium", "zinc", "acetic", "amino"],
  ...["ascorbic", "azelaic", "folic", "alcohol"],
]);

/**
 * Reduces the source to the names that the engine needs: ingredients, and other names with the ingredients they mean.
 * Salts that are an ingredient followed by words of a salt are left out, because the reader recognizes those words.
 */
export function drugNames(rows: readonly DrugNameRow[], salts: ReadonlySet<string>): DrugName[] {
  const base = (name: string) => baseOf(name, salts);
  const ingredients = new Set<string>();
  for (const { rxcui, kind, name } of rows) {
    // The Orange Book lists salts as ingredients.
    if (kind === "IN") ingredients.add(rxcui === "" ? base(medicalWords(name)) : medicalWords(name));
  }
  const others = new Map<string, string[]>();
  for (const { kind, name, ingredients: list } of rows) {
    const words = medicalWords(name);
    if (words === "" || ingredients.has(words)) continue;
    if (kind === "PIN") {
      const found = ingredientOf(words, ingredients, base);
      if (found === undefined) ingredients.add(words);
      else if (base(words) !== found) others.set(words, [found]);
    }
    if (kind !== "BN") continue;
    const meant = list
      .split(" / ")
      .map((one) => medicalWords(one))
      .filter((one) => one !== "" && !one.split(" ").every((word) => QUALIFIERS.has(word)))
      .map((one) => {
        const found = ingredientOf(one, ingredients, base);
        if (found === undefined) ingredients.add(base(one));
        return found ?? base(one);
      });
    if (meant.length > 0) others.set(words, [...new Set(meant)]);
  }
  return [
    ...[...ingredients].map((name) => ({ name, ingredients: [] })),
    ...[...others].filter(([name]) => !ingredients.has(name)).map(([name, list]) => ({ name, ingredients: list })),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The known ingredient that a name contains: without qualifiers before it, and without its salt or suffix. */
function ingredientOf(words: string, known: ReadonlySet<string>, base: (name: string) => string): string | undefined {
  const all = words.split(" ");
  const first = all.findIndex((word) => !QUALIFIERS.has(word));
  const plain = all.slice(Math.max(0, first)).join(" ");
  const candidates = [words, plain, base(plain)];
  // Biologics have a suffix of four letters: "bevacizumab-awwb".
  if (/ [a-z]{4}$/.test(plain)) candidates.push(plain.slice(0, -5));
  const found = candidates.find((one) => known.has(one));
  if (found !== undefined) return found;
  // "insulin lispro protamine human", "heparin sodium porcine": the longest beginning that is an ingredient.
  const parts = plain.split(" ");
  for (let count = parts.length - 1; count > 0; count--) {
    const start = parts.slice(0, count).join(" ");
    if (known.has(start) && (count > 1 || !MINERALS.has(start))) return start;
  }
  return undefined;
}

/** The name without the words of its salt. */
export function baseOf(name: string, salts: ReadonlySet<string>): string {
  const words = name.split(" ");
  if (MINERALS.has(words[0] as string)) return name;
  let count = words.length;
  while (count > 1 && salts.has(words[count - 1] as string)) count--;
  return words.slice(0, count).join(" ");
}

/** One name per line, with the ingredients it means. */
export const writeDrugNames = (names: readonly DrugName[]): string =>
  names.map(({ name, ingredients }) => [name, ...ingredients].join("|")).join("\n");

export function readDrugNames(text: string): DrugName[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [name, ...ingredients] = line.split("|") as [string, ...string[]];
      return { name, ingredients };
    });
}
