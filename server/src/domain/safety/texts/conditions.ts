import { medicalWords } from "../../values/text.ts";
import type { ConditionRow, PatientRules } from "../patient-rules.ts";
import { readOnce } from "./read-once.ts";
import { nearestWords } from "./spelling.ts";

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
const ONLY_CODE = /^\s*[a-tv-z]\d[0-9a-z](?:\.[0-9a-z]{1,4}|[0-9a-z]{1,4})\s*$/i;
const SHORTEST_CODE = 3;
/** Words that deny what follows them, and how many words they reach: "no asthma", "denies seizures". */
const DENIALS: ReadonlyMap<string, number> = new Map([
  ...["no", "not", "denies", "denied", "denying", "negative", "neg", "without", "never"].map(
    (word) => [word, 5] as const,
  ),
  // "Non-ischemic cardiomyopathy" is a cardiomyopathy.
  ["non", 1],
]);
/** They deny the whole list that follows: "denies seizures, eating disorders". */
const DENY_LISTS = new Set(["denies", "denied", "denying", "negative", "neg"]);
/** What follows a denial that is none: "not well controlled", "no treatment for". */
const STILL_PRESENT = new Set(
  "controlled well compliant adherent taking treated treating sure only just responding improved improving specified otherwise intractable medicated tolerating managed stable meds medication medications treatment therapy improvement change changes".split(
    " ",
  ),
);
/** They do not use up the reach of a denial: "no personal or family history of MTC or MEN 2". */
const FILLERS = new Set(
  "personal or nor and family history hx of for any known prior past previous current significant".split(" "),
);
/** The answer after a question, at the end of a clause: "Pregnant? No". */
const ANSWERS_NO = new Set([
  "no",
  "none",
  "n",
  "denied",
  "denies",
  "negative",
  "neg",
  "never",
  "false",
  "absent",
  "ruled out",
  "not present",
  "no history",
  "not applicable",
  "none reported",
  // "Tobacco use: former".
  "former",
  "quit",
]);
const LONGEST_ANSWER = 2;
/** They begin something new in a list: "denies asthma, has seizures". */
const AFFIRMS = new Set("has have had reports positive yes takes currently recent recently history hx".split(" "));
/** A longer part of a list is a clause of its own. */
const LONGEST_PART = 5;
const FAMILY = new Set(
  "family fh fhx mother mom mum father dad sister brother parent sibling relative aunt uncle grandmother grandfather grandma grandpa grandparent son daughter husband wife cousin niece nephew spouse maternal paternal".split(
    " ",
  ),
);
const SENTENCE = /[;\n]|\.\s+(?=[A-Z])|\b(?:but|But|BUT)\b/;

/** Within about half a year. */
const RECENT =
  /\b(?:recent|recently|yesterday|(?:last|this|past) (?:week|month|few weeks|few months|couple of weeks)|just had|(?:\d{1,2}|an?|one|two|three|four|five|six|few|couple of|several) (?:days?|weeks?|wks?) ago|(?:[1-6]|a|one|two|three|four|five|six|few|couple of) (?:months?|mos?) ago)\b/;

type Part = { readonly words: readonly string[]; readonly denied: boolean };
type Match = { rows: readonly ConditionRow[]; part: Part; denied: boolean; from: number; to: number };

type ReadEntry = { found: readonly ConditionRow[]; understood: boolean };

const readEntry = readOnce(readText, ({ found }: ReadEntry) => 100 + 8 * found.length);

function readText(rules: PatientRules, text: string): ReadEntry {
  const found: ConditionRow[] = [];
  // A code without rows has no rule, and there is nothing else to read in it.
  let understood = ONLY_CODE.test(text);
  const rest = text.replace(CODE, (written, start: string, end: string | undefined) => {
    const rows = rowsOfCode(rules, (start + (end ?? "")).toUpperCase());
    if (rows.length === 0) return written;
    understood = true;
    found.push(...rows);
    return " ";
  });
  const measured = measuredConditions(rules, rest);
  if (measured !== null) {
    understood = true;
    found.push(...measured);
  }
  // A denial or a relative does not reach beyond its own part: "no asthma; seizures".
  for (const sentence of rest.split(SENTENCE)) {
    const parts = partsOf(rules, sentence);
    const words = parts.flatMap((part) => part.words);
    const owners = parts.flatMap((part) => part.words.map(() => part));
    const matches: Match[] = [];
    const relatives = new Set<Part>();
    let denied_until = -1;
    let denied_part: Part | undefined;
    for (let at = 0; at < words.length; ) {
      const part = owners[at] as Part;
      // ICD-10 titles have commas inside: "chronic kidney disease, stage 4".
      const { rows, count } = phraseAt(rules, words, at);
      if (rows !== undefined) {
        understood = true;
        const denied = part.denied || (part === denied_part && at <= denied_until);
        matches.push({ rows, part, denied, from: at, to: at + count });
      } else if (FAMILY.has(singular(words[at] as string)) && words[at + 1] !== "of") {
        // "Mother of two" is the patient.
        relatives.add(part);
      }
      // Also the first word of a phrase: "not pregnant or breastfeeding".
      if (at <= denied_until && (rows !== undefined || FILLERS.has(words[at] as string))) denied_until += count;
      const reach = DENIALS.get(words[at] as string);
      if (reach !== undefined && !STILL_PRESENT.has(words[at + 1] ?? "")) {
        denied_until = at + reach;
        denied_part = part;
      }
      at += count;
    }
    for (const part of parts) denyAnswered(matches, part, words, owners.lastIndexOf(part) + 1);
    for (const { rows, part, denied } of matches) {
      if (denied) continue;
      const own = rows.filter(({ family }) => !relatives.has(part) || family === "counts");
      // "Heart attack, 3 weeks ago": the time follows in the same part or the next.
      const told = [part, parts[parts.indexOf(part) + 1]].flatMap((one) => one?.words ?? []).join(" ");
      const lately = RECENT.test(told) ? own.flatMap(({ recent }) => rules.conditions.get(recent ?? "") ?? []) : [];
      found.push(...own, ...lately);
    }
  }
  return { found, understood };
}

/** The parts between the commas of a sentence, and whether each is denied as a whole. */
function partsOf(rules: PatientRules, sentence: string): Part[] {
  const parts = sentence
    .split(",")
    .map((part) => medicalWords(part).split(" "))
    .map((words) => words.map((word) => (word === "dz" ? "disease" : corrected(rules, word))));
  // "No asthma, COPD or seizures" is one denial. "No asthma, seizures" may be two facts.
  const last_or = parts.findLastIndex((words) => words.includes("or") || words.includes("nor"));
  let denied_through = -1;
  return parts.map((words, index) => {
    const continues = words[0] === "or" || words[0] === "nor";
    if (!continues && (words.length > LONGEST_PART || words.some((word) => AFFIRMS.has(word)))) denied_through = -1;
    const denied = index <= denied_through;
    if (words.some((word) => DENY_LISTS.has(word))) denied_through = Number.POSITIVE_INFINITY;
    else if (index < last_or && words.some((word) => (DENIALS.get(word) ?? 0) > 1)) denied_through = last_or;
    return { words, denied };
  });
}

/** Denies the phrases of a part that ends with such an answer, unless the answer belongs to a phrase itself. */
function denyAnswered(matches: readonly Match[], part: Part, words: readonly string[], end: number): void {
  for (let count = 1; count <= LONGEST_ANSWER; count++) {
    const from = end - count;
    if (from < 0 || !ANSWERS_NO.has(words.slice(from, end).join(" "))) continue;
    const own = matches.filter((match) => match.part === part);
    if (own.some((match) => match.from < from && match.to > from)) continue;
    for (const match of own) if (match.to <= from) match.denied = true;
  }
}

/** A word with a slip of the pen, as the tables have it: "siezures". */
function corrected({ vocabulary, spellings }: PatientRules, word: string): string {
  if (word.length < SHORTEST_CORRECTED || DENIALS.has(word) || FAMILY.has(singular(word))) return word;
  if (vocabulary.has(word) || vocabulary.has(singular(word))) return word;
  const [near, ...others] = nearestWords(spellings, word).filter((one) => prefixOf(one) === prefixOf(word));
  return near === undefined || others.length > 0 ? word : near;
}

/** Shorter words have too many neighbors. */
const SHORTEST_CORRECTED = 6;
/** Two letters apart, and the opposite. */
const prefixOf = (word: string) => /^(?:hyper|hypo)/.exec(word)?.[0];
const singular = (word: string) => (word.endsWith("s") ? word.slice(0, -1) : word);

const COMPARED = /^(?:<|≤|less than|below|under)/;
const EXCEEDED = /^(?:>|≥|greater than|above|over|more than)/;

/** What measured values mean: "eGFR 24", "K+ 6.1". Null if the text has none. */
function measuredConditions({ measured, measurements }: PatientRules, text: string): ConditionRow[] | null {
  if (measured === null) return null;
  let any = false;
  const found: ConditionRow[] = [];
  for (const [, name, compared, written, weeks, of] of text.toLowerCase().matchAll(measured)) {
    const given = Number((written ?? (weeks as string)).replaceAll(",", ""));
    // "Below 30" is less than 30, and "above 60" is more.
    const value = COMPARED.test(compared ?? "") ? given - TINY : EXCEEDED.test(compared ?? "") ? given + TINY : given;
    for (const { row, condition } of measurements.get(medicalWords(name ?? (of as string))) ?? []) {
      if (value < row.least || value > row.most) continue;
      any = true;
      if ((row.below !== null && value < row.below) || (row.above !== null && value > row.above)) found.push(condition);
    }
  }
  return any ? found : null;
}

const TINY = 0.01;

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
