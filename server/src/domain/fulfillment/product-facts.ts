import type { DispensedItem } from "./documents.ts";

/**
 * What a label says about a product beyond its name: its labeler by NDC, its brand, and how long an opened package keeps.
 * The tables are a draft. We have not compared each entry with FDA's list of labelers and the prescribing information. A
 * product that the tables do not know says nothing.
 */

type Item = Pick<DispensedItem, "ndc" | "drug_name" | "ingredients">;

/** By the first five digits of the NDC. 70999 belongs to no one; the demo uses it. */
const manufacturers: Readonly<Record<string, string>> = {
  "00002": "Eli Lilly",
  "00003": "Bristol-Myers Squibb",
  "00006": "Merck",
  "00009": "Pfizer",
  "00024": "Sanofi-Aventis",
  "00049": "Pfizer",
  "00054": "Hikma",
  "00069": "Pfizer",
  "00071": "Parke-Davis (Pfizer)",
  "00074": "AbbVie",
  "00078": "Novartis",
  "00088": "Sanofi-Aventis",
  "00093": "Teva",
  "00143": "Hikma",
  "00169": "Novo Nordisk",
  "00173": "GlaxoSmithKline",
  "00185": "Sandoz",
  "00228": "Actavis",
  "00310": "AstraZeneca",
  "00378": "Mylan",
  "00406": "SpecGx",
  "00527": "Lannett",
  "00591": "Actavis",
  "00597": "Boehringer Ingelheim",
  "00781": "Sandoz",
  "10370": "Par",
  "13668": "Torrent",
  "16714": "Northstar",
  "29300": "Unichem",
  "31722": "Camber",
  "33342": "Macleods",
  "43547": "Solco",
  "50458": "Janssen",
  "55111": "Dr. Reddy's",
  "59762": "Greenstone",
  "60505": "Apotex",
  "62332": "Alembic",
  "65162": "Amneal",
  "65862": "Aurobindo",
  "68180": "Lupin",
  "68382": "Zydus",
  "69097": "Cipla",
  "70999": "Larkspur Labs",
};

export const manufacturerOf = ({ ndc }: Pick<Item, "ndc">): string | null => manufacturers[ndc.slice(0, 5)] ?? null;

/** The brand that a generic with one ingredient is known by. `named` chooses among brands of other strengths or forms. */
const brands: readonly { ingredient: string; brand: string; named?: RegExp }[] = [
  { ingredient: "alprazolam", brand: "Xanax" },
  { ingredient: "amlodipine", brand: "Norvasc" },
  { ingredient: "atorvastatin", brand: "Lipitor" },
  { ingredient: "azithromycin", brand: "Zithromax" },
  { ingredient: "bupropion", brand: "Wellbutrin XL", named: /\b(XL|24)\b/ },
  { ingredient: "bupropion", brand: "Wellbutrin SR", named: /\b(SR|12)\b/ },
  { ingredient: "buspirone", brand: "BuSpar" },
  { ingredient: "cephalexin", brand: "Keflex" },
  { ingredient: "ciprofloxacin", brand: "Cipro" },
  { ingredient: "citalopram", brand: "Celexa" },
  { ingredient: "clonazepam", brand: "Klonopin" },
  { ingredient: "duloxetine", brand: "Cymbalta" },
  { ingredient: "escitalopram", brand: "Lexapro" },
  { ingredient: "eszopiclone", brand: "Lunesta" },
  { ingredient: "finasteride", brand: "Propecia", named: /\b1 ?mg\b/i },
  { ingredient: "finasteride", brand: "Proscar", named: /\b5 ?mg\b/i },
  { ingredient: "fluoxetine", brand: "Prozac" },
  { ingredient: "gabapentin", brand: "Neurontin" },
  { ingredient: "lisinopril", brand: "Zestril" },
  { ingredient: "lorazepam", brand: "Ativan" },
  { ingredient: "losartan", brand: "Cozaar" },
  { ingredient: "metformin", brand: "Glucophage" },
  { ingredient: "montelukast", brand: "Singulair" },
  { ingredient: "omeprazole", brand: "Prilosec" },
  { ingredient: "ondansetron", brand: "Zofran" },
  { ingredient: "phenelzine", brand: "Nardil" },
  { ingredient: "phentermine", brand: "Adipex-P" },
  { ingredient: "rosuvastatin", brand: "Crestor" },
  { ingredient: "sertraline", brand: "Zoloft" },
  { ingredient: "sildenafil", brand: "Revatio", named: /\b20 ?mg\b/i },
  { ingredient: "sildenafil", brand: "Viagra", named: /\b(25|50|100) ?mg\b/i },
  { ingredient: "simvastatin", brand: "Zocor" },
  { ingredient: "spironolactone", brand: "Aldactone" },
  { ingredient: "sumatriptan", brand: "Imitrex" },
  { ingredient: "tadalafil", brand: "Cialis" },
  { ingredient: "tamsulosin", brand: "Flomax" },
  { ingredient: "topiramate", brand: "Topamax" },
  { ingredient: "tretinoin", brand: "Retin-A", named: /\b(cream|gel)\b/i },
  { ingredient: "valacyclovir", brand: "Valtrex" },
  { ingredient: "venlafaxine", brand: "Effexor XR", named: /\b(XR|ER|extended)\b/i },
  { ingredient: "zolpidem", brand: "Ambien" },
];

/** For a product that carries the name of its ingredient, not one of a brand. */
export function genericFor({ drug_name, ingredients }: Item): string | null {
  const [ingredient, ...others] = ingredients.map((name) => name.toLowerCase());
  if (ingredient === undefined || others.length > 0) return null;
  const row = brands.find(
    (one) => hasWord(ingredient, one.ingredient) && (one.named === undefined || one.named.test(drug_name)),
  );
  return row !== undefined && drug_name.toLowerCase().startsWith(row.ingredient) ? `Generic for ${row.brand}` : null;
}

/** How a tablet or capsule looks, by the first nine digits of the NDC. */
const looks: Readonly<Record<string, string>> = {
  "709990101": "White oval tablet, LL 101",
  "709990102": "White oval tablet, LIPORA 20",
  "709990201": "Blue oblong tablet, LL 201",
  "709990301": "Buff and maroon capsule, LL 301",
  "709990401": "Tan round tablet, LL 401",
  "709990501": "Blue diamond tablet, LL 501",
  "709990701": "Orange round tablet, LL 701",
  "709990801": "White round tablet, LL 801",
};

export const lookOf = ({ ndc }: Pick<Item, "ndc">): string | null => looks[ndc.slice(0, 9)] ?? null;

/** How long an opened package keeps. The first row that matches counts. */
const inUseLimits: readonly { ingredient: string; named?: RegExp; days: number }[] = [
  { ingredient: "semaglutide", named: /\b(pen|injection|ozempic)\b/i, days: 56 },
  { ingredient: "liraglutide", days: 30 },
  { ingredient: "exenatide", named: /\b(byetta|pen)\b/i, days: 30 },
  { ingredient: "teriparatide", days: 28 },
  { ingredient: "insulin degludec", days: 56 },
  { ingredient: "insulin detemir", days: 42 },
  { ingredient: "insulin glargine", named: /\b(toujeo|300 ?units)\b/i, days: 56 },
  { ingredient: "insulin glargine", days: 28 },
  { ingredient: "insulin lispro", days: 28 },
  { ingredient: "insulin aspart", days: 28 },
  { ingredient: "insulin glulisine", days: 28 },
  { ingredient: "latanoprost", days: 42 },
];

export function inUseLimit({ drug_name, ingredients }: Item): string | null {
  const texts = [...ingredients, drug_name].map((text) => text.toLowerCase());
  const row = inUseLimits.find(
    ({ ingredient, named }) =>
      texts.some((text) => hasWord(text, ingredient)) && (named === undefined || named.test(drug_name)),
  );
  return row === undefined ? null : `Discard ${row.days} days after first use`;
}

/** Whole words: "insulin lispro" is in "insulin lispro protamine", but "zolpidem" is not in "zolpidemum". */
const hasWord = (text: string, words: string) => ` ${text.replaceAll(/[^a-z]+/g, " ")} `.includes(` ${words} `);
