import { remembering } from "../../values/remembering.ts";
import { medicalWords } from "../../values/text.ts";

/** How much of each ingredient one unit of a product has, as its name says. */
export type Strength = {
  /** Masses are in mg. Other amounts keep their unit. */
  readonly amounts: readonly { readonly value: number; readonly unit: "mg" | "unit" | "meq" }[];
  /** `each` for a tablet or capsule; else the volume or the puff that has the amounts. */
  readonly per: { readonly amount: number; readonly unit: "each" | "mL" | "puff" | "hour" };
};

const LONGEST = 300;
const N = "\\d+(?:\\.\\d+)?";
const MASS = "mcg|micrograms?|mg|milligrams?|grams?|gm|g|units?|iu|meq";
const ONE = new RegExp(
  `(?<![\\w.])(${N}(?: ?[-/] ?${N})*) ?-?(${MASS})\\b(?: ?/ ?(?:(${N}) ?)?(ml|milliliters?|actuation|act|inh|inhalation|puff|spray|hr|hour|h)\\b)?`,
  "g",
);

const factors: Readonly<Record<string, readonly [number, "mg" | "unit" | "meq"]>> = {
  mcg: [0.001, "mg"],
  microgram: [0.001, "mg"],
  mg: [1, "mg"],
  milligram: [1, "mg"],
  g: [1000, "mg"],
  gm: [1000, "mg"],
  gram: [1000, "mg"],
  unit: [1, "unit"],
  iu: [1, "unit"],
  meq: [1, "meq"],
};
const pers: readonly (readonly [RegExp, Strength["per"]["unit"]])[] = [
  [/^(?:ml|millil)/, "mL"],
  [/^(?:act|inh|puff|spray)/, "puff"],
  [/^h/, "hour"],
];

/**
 * Reads "20 mg tablet", "10-325 mg", "250 mg/5 mL" and "90 mcg/actuation". Returns null if the text has no strength, or
 * if its parts do not belong together.
 */
export const readStrength = (text: string): Strength | null => (text.length > LONGEST ? null : parsed(text));

const parsed = remembering((text: string): Strength | null => {
  const plain = text.toLowerCase().replace(/(\d),(\d{3})\b/g, "$1$2");
  const found = [...plain.matchAll(ONE)].map(([, values, unit, per_amount, per_unit]) => {
    const [factor, of] = factors[(unit as string).replace(/s$/, "")] ?? [1, "mg" as const];
    const amounts = (values as string).split(/ ?[-/] ?/).map((value) => ({ value: Number(value) * factor, unit: of }));
    const per = pers.find(([is]) => per_unit !== undefined && is.test(per_unit))?.[1] ?? "each";
    return { amounts, per: { amount: per_amount === undefined ? 1 : Number(per_amount), unit: per } };
  });
  const [first] = found;
  if (first === undefined) return null;
  if (found.some(({ per }) => per.unit !== first.per.unit || per.amount !== first.per.amount)) return null;
  const amounts = found.flatMap((one) => one.amounts);
  if (amounts.some(({ value }) => !(value > 0)) || first.per.amount <= 0) return null;
  return { amounts, per: first.per };
});

/**
 * The amount of one ingredient. A product with several ingredients needs as many amounts, in the order in which its
 * name gives the ingredients.
 */
export function amountOf(
  { amounts }: Strength,
  text: string,
  ingredient: string,
  ingredients: readonly string[],
): Strength["amounts"][number] | null {
  const is_sum = SALTS_OF_ONE.some((salts) => ingredients.every((name) => salts.has(name)));
  if (amounts.length === 1 && is_sum) return amounts[0] ?? null;
  if (amounts.length !== ingredients.length) return null;
  if (amounts.length === 1) return amounts[0] ?? null;
  const words = ` ${medicalWords(text)} `;
  const placed = ingredients.map((name) => ({ name, at: words.indexOf(` ${name} `) }));
  if (placed.some(({ at }) => at < 0)) return soleLargest(amounts, ingredient, ingredients);
  const order = placed.sort((a, b) => a.at - b.at).map(({ name }) => name);
  return amounts[order.indexOf(ingredient)] ?? null;
}

/** Of a brand with two ingredients, this one has the larger amount, and the other one at most so much, in mg. */
const LARGER: Readonly<Record<string, { readonly least: number; readonly other_most: number }>> = {
  // No opioid beside it has more than 60 mg.
  acetaminophen: { least: 300, other_most: 100 },
  // Canagliflozin has the largest amount beside it.
  metformin: { least: 250, other_most: 150 },
  bupropion: { least: 90, other_most: 45 },
  ibuprofen: { least: 200, other_most: 30 },
};

/** A brand name gives no order, but for some ingredients the size of the amount does. */
function soleLargest(
  amounts: Strength["amounts"],
  ingredient: string,
  ingredients: readonly string[],
): Strength["amounts"][number] | null {
  const known = ingredients.find((name) => Object.hasOwn(LARGER, name));
  const [small, large] = [...amounts].sort((a, b) => a.value - b.value);
  if (ingredients.length !== 2 || known === undefined || small === undefined || large === undefined) return null;
  const { least, other_most } = LARGER[known]!;
  if (small.value > other_most || large.value < least) return null;
  return ingredient === known ? large : small;
}

/** Mixed salts of one drug: the product gives their sum. */
const SALTS_OF_ONE = [new Set(["amphetamine", "dextroamphetamine"])];

const LOCAL =
  /\b(?:cream|ointment|lotion|shampoo|foam|topical|ophthalmic|otic|eye|ear|nasal|vaginal|gel|solution for the skin|external|wash|swab|mouthwash)\b/i;

/** Local forms that act on the whole body: contraceptive rings, estrogen gels, nasal sprays against migraine. */
const THROUGH_THE_SKIN =
  /\b(?:ring|transdermal)\b|\b(?:estradiol|testosterone)\b.*\bgel\b|\b(?:\w+triptan|dihydroergotamine|butorphanol|ketorolac|desmopressin|esketamine|fentanyl|metoclopramide|diazepam|midazolam|testosterone)\b.*\bnasal\b/i;

/** A product that acts where it is applied. Rules about the whole body skip it, unless they say otherwise. */
export const isLocal = (text: string): boolean => LOCAL.test(text) && !THROUGH_THE_SKIN.test(text);
