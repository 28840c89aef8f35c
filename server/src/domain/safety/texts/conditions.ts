import { medicalWords } from "../../values/text.ts";
import type { ConditionRow, PatientRules } from "../patient-rules.ts";

/** What a patient's list of conditions means. */
export type ReadConditions = {
  conditions: readonly ConditionRow[];
  /** The entries that name no known condition, counted from 1. */
  unreadable: readonly number[];
};

export function readConditions(rules: PatientRules, texts: readonly string[]): ReadConditions {
  const conditions = new Set<ConditionRow>();
  const unreadable: number[] = [];
  for (const [index, text] of texts.entries()) {
    const { found, understood } = readEntry(rules, text);
    for (const row of found) conditions.add(row);
    if (!understood) unreadable.push(index + 1);
  }
  return { conditions: [...conditions], unreadable };
}

/** "J45.909", "O09". The letter U has only provisional codes. */
const CODE = /\b([a-tv-z]\d[0-9a-z])(?:\.?([0-9a-z]{1,4}))?\b/gi;
const SHORTEST_CODE = 3;
/** Words that deny what follows them: "no asthma", "denies seizures". */
const DENIES = new Set(["no", "not", "denies", "denied", "denying", "negative", "neg", "without", "never", "non"]);
const FAMILY = new Set([
  "family",
  "fh",
  "fhx",
  "mother",
  "father",
  "sister",
  "brother",
  "parent",
  "sibling",
  "relative",
]);
const CLAUSE = /[,;\n]|\.\s+(?=[A-Z])|\b(?:but|But|BUT)\b/;
/** How many words after it a denial still counts. */
const REACH = 5;

function readEntry(rules: PatientRules, text: string): { found: ConditionRow[]; understood: boolean } {
  const found: ConditionRow[] = [];
  let understood = false;
  const rest = text.replace(CODE, (written, start: string, end: string | undefined) => {
    const rows = rowsOfCode(rules, (start + (end ?? "")).toUpperCase());
    if (rows.length === 0) return written;
    understood = true;
    found.push(...rows);
    return " ";
  });
  // A denial or a relative does not reach beyond its own clause: "no asthma; seizures".
  for (const clause of rest.split(CLAUSE)) {
    const words = medicalWords(clause).split(" ");
    let denied_at = Number.NEGATIVE_INFINITY;
    const of_family = words.some((word) => FAMILY.has(word));
    for (let at = 0; at < words.length; ) {
      const { rows, count } = phraseAt(rules, words, at);
      if (rows !== undefined) {
        understood = true;
        if (at - denied_at > REACH) found.push(...rows.filter(({ family }) => !of_family || family === "counts"));
      }
      // Also the first word of a phrase: "not pregnant or breastfeeding".
      if (DENIES.has(words[at] as string)) denied_at = at;
      at += count;
    }
  }
  return { found, understood };
}

/** A longer code is also what its beginning is: N18.4 is severe, and it is kidney disease. */
function rowsOfCode({ codes }: PatientRules, code: string): readonly ConditionRow[] {
  const found: ConditionRow[] = [];
  for (let length = code.length; length >= SHORTEST_CODE; length--)
    found.push(...(codes.get(code.slice(0, length)) ?? []));
  return found;
}

/** The longest phrase that begins here, also in the plural. */
function phraseAt({ phrases, longest_phrase }: PatientRules, words: readonly string[], at: number) {
  for (let count = Math.min(longest_phrase, words.length - at); count > 0; count--) {
    const text = words.slice(at, at + count).join(" ");
    const rows = phrases.get(text) ?? (text.endsWith("s") ? phrases.get(text.slice(0, -1)) : undefined);
    if (rows !== undefined) return { rows, count };
  }
  return { rows: undefined, count: 1 };
}
