/**
 * Strengths in a drug's description, in comparable units. `amount`: of one tablet or dose ("20 mg"), in milligrams,
 * units or milliequivalents. `rate`: per milliliter, per actuation or per hour. `share`: of a cream or an ointment, as
 * mass per mass; "1 %" and "10 mg/mL" are the same.
 */
export type Strength = { kind: string; value: number };

/** Milligrams in a unit of mass. */
const MILLIGRAMS: Readonly<Record<string, number>> = {
  ...{ mg: 1, milligram: 1, milligrams: 1, mgs: 1 },
  ...{ mcg: 0.001, ug: 0.001, µg: 0.001, μg: 0.001, microgram: 0.001, micrograms: 0.001 },
  ...{ g: 1_000, gm: 1_000, gram: 1_000, grams: 1_000, gms: 1_000 },
  ...{ ng: 0.000_001 },
};
const OTHER_UNITS: Readonly<Record<string, string>> = {
  ...{ unt: "unit", unit: "unit", units: "unit", iu: "unit", u: "unit", meq: "meq", meqs: "meq" },
};
/** What a strength can be per, and how many of the base unit one is. */
const PER: Readonly<Record<string, readonly [base: string, count: number]>> = {
  ...{ ml: ["ml", 1], milliliter: ["ml", 1], mls: ["ml", 1], cc: ["ml", 1], l: ["ml", 1_000], tsp: ["ml", 5] },
  ...{ mg: ["mg", 1], g: ["mg", 1_000], gm: ["mg", 1_000], gram: ["mg", 1_000] },
  ...{ hr: ["hr", 1], h: ["hr", 1], hour: ["hr", 1], hours: ["hr", 1], day: ["hr", 24] },
  ...{ actuat: ["dose", 1], actuation: ["dose", 1], act: ["dose", 1], inh: ["dose", 1], inhalation: ["dose", 1] },
  ...{ puff: ["dose", 1], spray: ["dose", 1], dose: ["dose", 1], blister: ["dose", 1] },
  // "10 mg/tablet" says nothing more than "10 mg".
  ...{ tablet: ["piece", 1], tab: ["piece", 1], capsule: ["piece", 1], cap: ["piece", 1], patch: ["piece", 1] },
};

/** The search costs more than the length of the text, and no drug has a longer description. */
const LONGEST_TEXT = 400;

const NUMBER = String.raw`\d+(?:,\d{3})*(?:\.\d+)?|\.\d+`;
const words = (table: object) =>
  Object.keys(table)
    .sort((a, b) => b.length - a.length)
    .join("|");
/** Numbers before a shared unit ("20-12.5 mg", "1-20 mg-mcg"), or each with its own, and what they are per. */
const UNIT = `${words({ ...MILLIGRAMS, ...OTHER_UNITS })}|%`;
const GROUP = new RegExp(
  String.raw`((?:(?:${NUMBER})\s*(?:${UNIT})?\s*[-/]\s*)*(?:${NUMBER}))\s*((?:(?:${UNIT})-)*(?:${UNIT}))(?![a-z])(?:\s*(?:/|per)\s*(${NUMBER})?\s*(${words(PER)})(?![a-z]))?`,
  "gi",
);

/** All strengths of a text. What is in parentheses is left out if there is another, because it repeats in other words. */
export function strengthsIn(text: string): Strength[] {
  const outside = strengthsOf(text.replaceAll(/\([^()]*\)/g, " "));
  return outside.length > 0 ? outside : strengthsOf(text);
}

function strengthsOf(text: string): Strength[] {
  return [...text.slice(0, LONGEST_TEXT).toLowerCase().matchAll(GROUP)].flatMap(
    ([, numbers = "", unit = "", count, per]) => {
      const units = unit.split("-");
      return numbers.split(/\s*[-/]\s*/).map((one, index) => {
        const [, digits = "", own] = /^([\d.,]+)\s*(\D*)$/.exec(one.trim()) ?? [];
        return strength(numberOf(digits), own || (units[index] ?? units.at(-1)!), count, per);
      });
    },
  );
}

function strength(value: number, unit: string, count: string | undefined, per: string | undefined): Strength {
  if (unit === "%") return { kind: "share", value: value / 100 };
  const milligrams = MILLIGRAMS[unit];
  const what = milligrams === undefined ? (OTHER_UNITS[unit] ?? unit) : "mg";
  const amount = value * (milligrams ?? 1);
  const [base, times] = (per === undefined ? undefined : PER[per]) ?? ["piece", 1];
  const each = amount / ((count === undefined ? 1 : numberOf(count)) * times);
  if (base === "piece") return { kind: what, value: each };
  // A milliliter of a cream or a solution weighs about a gram.
  if (what === "mg" && (base === "ml" || base === "mg")) {
    return { kind: "share", value: base === "ml" ? each / 1_000 : each };
  }
  return { kind: `${what}/${base}`, value: each };
}

const numberOf = (digits: string): number => Number(digits.replaceAll(",", ""));
