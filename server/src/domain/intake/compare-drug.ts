import type { SafetyData, Substance } from "../safety/data.ts";
import { readOnce } from "../safety/texts/read-once.ts";
import { understand } from "../safety/texts/understand.ts";
import { medicalWords } from "../values/text.ts";
import { type Strength, strengthsIn } from "./strengths.ts";

/** How a written drug differs from the drug of its NDC. */
export type DrugDifference = "ingredient" | "strength";

/** Strengths of tablets are exact. Those of liquids are rounded: 2 mg in 3 mL are given as 0.68 mg/mL. */
const TOLERANCE = { exact: 0.011, rounded: 0.06 } as const;

/**
 * Compares two descriptions of a drug. Returns null if they agree, or if one only says less: a missing strength, a
 * brand for its generic, or a name that the tables do not know proves nothing.
 */
export function compareDrug(data: SafetyData, written: string, other: string): DrugDifference | null {
  const { drugs: own, strengths } = readWritten(data, written);
  const { drugs: theirs, strengths: others } = readListed(data, other);
  if (own.length > 0 && theirs.length > 0 && differ(own, theirs, countsOf(written, strengths))) return "ingredient";
  return contradicts(strengths, others) ? "strength" : null;
}

/**
 * `by_name`: the text has the ingredient's own name. A brand can contain more than the tables say. `certain`: no word of
 * the text means one of several, as "vitamin D" does.
 */
type Named = { name: string; by_name: boolean; certain: boolean };

type ReadDrug = { drugs: readonly Named[]; strengths: readonly Strength[] };
const bytesOf = ({ drugs, strengths }: ReadDrug) => 100 + 100 * (drugs.length + strengths.length);
/** Remembered, because prescribers write few drugs in few ways. */
const readWritten = readOnce(
  (data: SafetyData, text): ReadDrug => ({ drugs: drugsIn(data, text), strengths: strengthsIn(text) }),
  bytesOf,
);
const readListed = readOnce(
  (data: SafetyData, text): ReadDrug => ({
    drugs: drugsIn(data, text, { misspelled: false }),
    strengths: strengthsIn(text),
  }),
  bytesOf,
);

/** A list of NDCs has no typing errors, so a word that resembles a name is another word. */
function drugsIn(data: SafetyData, text: string, { misspelled } = { misspelled: true }): Named[] {
  const words = ` ${medicalWords(text)} `;
  const { substances, did_you_mean } = understand(data, text);
  const certain = !data.lexicon.abbreviations.some((row) => row.either === true && words.includes(` ${row.text} `));
  return substances
    .filter((one) => !one.is_class && (misspelled || !did_you_mean.includes(one)))
    .map((one) => ({ name: one.name, by_name: isNamed(words, one), certain }));
}

const isNamed = (words: string, { name }: Substance): boolean => words.includes(` ${name} `);

function differ(own: readonly Named[], theirs: readonly Named[], strengths: number): boolean {
  const missing = own.filter(({ name }) => !theirs.some((one) => one.name === name));
  if (missing.length === own.length) return true;
  if (missing.some(({ by_name, certain }) => by_name || certain)) return true;
  const added = theirs.filter(({ name }) => !own.some((one) => one.name === name));
  // "Lisinopril 20 mg" is not lisinopril with hydrochlorothiazide. "Oxycodone 5-325 mg" names the second by its strength.
  return added.length > 0 && own.every(({ by_name }) => by_name) && strengths < theirs.length;
}

/** A pair without a unit counts too: "5-325". */
const countsOf = (text: string, strengths: readonly Strength[]): number =>
  Math.max(strengths.length, /\d\s*[-/]\s*\d/.test(text) ? 2 : 0);

/** Whether a strength of the one has the same kind as some of the other, and equals none of them nor their sum. */
function contradicts(own: readonly Strength[], theirs: readonly Strength[]): boolean {
  return own.some(({ kind, value }) => {
    const same = theirs.filter((one) => one.kind === kind).map((one) => one.value);
    if (same.length === 0) return false;
    // Mixed amphetamine salts are named by their sum.
    const sum = same.reduce((total, one) => total + one, 0);
    const tolerance = kind === "mg" || kind === "unit" || kind === "meq" ? TOLERANCE.exact : TOLERANCE.rounded;
    return ![...same, sum].some((one) => Math.abs(one - value) <= tolerance * one);
  });
}
