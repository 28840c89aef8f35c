import type { SafetyData } from "./data.ts";
import { COUNTED, type DirectedItem, fits, strengthOf } from "./dose-findings.ts";
import { advices, OWN_RULE, type SafetyFinding, sentences } from "./finding.ts";
import type { Sig } from "./texts/sig.ts";
import type { Range } from "./texts/sig-grammar.ts";
import { isLocal } from "./texts/strength.ts";

type ReadSig = Extract<Sig, { parsed: true }>;

/** Compares the directions with the quantity, the days of supply and the strength. Compares only what is comparable. */
export function sigFindings(data: SafetyData, items: readonly DirectedItem[]): SafetyFinding[] {
  return items.flatMap((item): SafetyFinding[] => {
    const { sig } = item;
    if (sig === null || !sig.parsed) return [];
    return [...statedFindings(data, item, sig), ...quantityFindings(data, item, sig)];
  });
}

/** "1 tablet (20 mg total)" of a 40 mg tablet. */
function statedFindings(
  data: SafetyData,
  item: DirectedItem,
  { stated_mg, amount_per_dose, unit }: ReadSig,
): SafetyFinding[] {
  const only = item.substances.length === 1 ? item.substances[0] : undefined;
  if (stated_mg === null || only === undefined || amount_per_dose.min !== amount_per_dose.max) return [];
  const strength = strengthOf(item, only);
  if (strength === null || strength.unit !== "mg" || !fits(unit, strength.per.unit)) return [];
  const product_mg = (amount_per_dose.max * strength.value) / strength.per.amount;
  if (isAbout(stated_mg, product_mg, CLOSE)) return [];
  return [holding(data, item, "strength", sentences.sig_strength(shownOf(item), stated_mg, rounded(product_mg)))];
}

function quantityFindings(data: SafetyData, item: DirectedItem, sig: ReadSig): SafetyFinding[] {
  const { units, days_supply } = item;
  const per_day = unitsPerDay(item, sig);
  if (units === null || units <= 0 || per_day === null) return [];
  const course = sig.days !== null;
  const days = course ? sig.days : days_supply;
  if (days === null || days <= 0) return [];
  const needed = neededFor(sig, per_day, days);
  if (sig.prn) {
    // As needed means any number up to the maximum, so only too many are strange.
    if (units <= needed.max * MANY || units - needed.max <= per_day.max) return [];
    return [warning(data, item, sentences.sig_quantity(shownOf(item), units, days, needed))];
  }
  // One day more or less is a partial first day or a full package.
  const fitting =
    units >= Math.min(needed.min * FEW, needed.min - per_day.max) &&
    units <= Math.max(needed.max * MANY, needed.max + per_day.max);
  if (fitting) return [];
  return [holding(data, item, "quantity", sentences.sig_quantity(shownOf(item), units, days, needed))];
}

/** Packages come in fixed sizes, and days of supply are rounded. */
const FEW = 0.8;
const MANY = 1.25;
const CLOSE = 0.02;

/** Units of the package per day; null if the directions count something else, such as drops from a bottle in mL. */
export function unitsPerDay(item: DirectedItem, { unit, steps }: ReadSig): Range | null {
  const scale = scaleOf(item, unit);
  if (scale === null) return null;
  return {
    min: Math.min(...steps.map(({ amount_per_day }) => amount_per_day.min)) * scale,
    max: Math.max(...steps.map(({ amount_per_day }) => amount_per_day.max)) * scale,
  };
}

const SOLID =
  /\b(?:tablets?|tabs?|capsules?|caps?|caplets?|softgels?|lozenges?|suppositor(?:y|ies)|patch(?:es)?|films?|packets?|odt)\b/i;
const LIQUID = /\b(?:suspension|solution|syrup|elixir|liquid|oral susp|soln)\b|\/ ?(?:\d+(?:\.\d+)? ?)?ml\b/i;
/** A pen or vial is counted in packages or in mL: the quantity alone does not say. */
const PACKAGED = /\b(?:pens?|vials?|syringes?|injector|injection|kit|inhaler|cartridges?)\b/i;

/** How many units of the package one unit of the directions is. */
function scaleOf(item: DirectedItem, unit: string): number | null {
  const { drug } = item;
  if (PACKAGED.test(drug) || (isLocal(drug) && !SOLID.test(drug))) return null;
  if (unit === "mL") return LIQUID.test(drug) ? 1 : null;
  if (LIQUID.test(drug) && !SOLID.test(drug)) return null;
  if (COUNTED.has(unit)) return SOLID.test(drug) || !LIQUID.test(drug) ? 1 : null;
  if (unit !== "mg" || item.substances.length !== 1 || !SOLID.test(drug)) return null;
  const strength = strengthOf(item, item.substances[0]!);
  return strength !== null && strength.unit === "mg" && strength.per.unit === "each" ? 1 / strength.value : null;
}

/** The units for that many days, step by step. The last step lasts as long as the supply does. */
function neededFor({ steps }: ReadSig, per_day: Range, days: number): Range {
  if (steps.length === 1) return { min: per_day.min * days, max: per_day.max * days };
  const scale = per_day.max / Math.max(...steps.map(({ amount_per_day }) => amount_per_day.max));
  let left = days;
  const sum = { min: 0, max: 0 };
  for (const { amount_per_day, days: lasts } of steps) {
    const own = Math.min(lasts ?? left, left);
    sum.min += amount_per_day.min * own * scale;
    sum.max += amount_per_day.max * own * scale;
    left -= own;
  }
  return sum;
}

const isAbout = (a: number, b: number, share: number) => Math.abs(a - b) <= share * Math.max(a, b);
const rounded = (value: number) => Math.round(value * 1000) / 1000;
const shownOf = ({ substances }: DirectedItem) =>
  substances.map(({ shown }) => shown).join(" and ") || "This medication";

/** Substances keep the key stable; the kind of contradiction keeps two of them apart. */
const keyOf = ({ substances }: DirectedItem, what: string) =>
  ["sig", what, ...substances.map(({ name }) => name).sort()].join(" ");

const holding = (
  data: SafetyData,
  item: DirectedItem,
  what: "quantity" | "strength",
  message: string,
): SafetyFinding => ({
  kind: "sig",
  severity: "major",
  exception_id: 69,
  item_id: item.item_id,
  key: keyOf(item, what),
  message,
  advice: advices.sig,
  source: OWN_RULE,
  version: data.version,
});

const warning = (data: SafetyData, item: DirectedItem, message: string): SafetyFinding => ({
  kind: "sig",
  severity: "moderate",
  exception_id: null,
  item_id: item.item_id,
  key: keyOf(item, "quantity"),
  message,
  advice: advices.sig_prn,
  source: OWN_RULE,
  version: data.version,
});
