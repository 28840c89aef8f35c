import { remembering } from "../../values/remembering.ts";
import {
  newReading,
  ONE,
  type Part,
  pieces,
  type Range,
  type Reading,
  type SigFault,
  simplified,
} from "./sig-grammar.ts";

/**
 * Reads directions ("sig") as amounts per day. It reads every word or nothing: a word that it does not know makes the
 * directions unparsed, because a dose that it only half understands is a guess.
 */
export type Sig =
  | {
      readonly parsed: true;
      readonly amount_per_dose: Range & { readonly unit: string };
      readonly doses_per_day: Range;
      readonly amount_per_day: Range;
      /** Singular. Milligrams for every mass, milliliters for every volume; `each` if the directions name no unit. */
      readonly unit: string;
      readonly prn: boolean;
      /** The directions count doses by the week. */
      readonly weekly: boolean;
      /** The length of the course; null if it has no end. */
      readonly days: number | null;
      /** The parts of a taper or titration, in order. */
      readonly steps: readonly SigStep[];
      /** The amount of drug per dose, in mg, if the directions also give that: "2 tablets (40 mg total)". */
      readonly stated_mg: number | null;
      /** The most per day in mg, if the directions limit it: "max 4 g per day". */
      readonly most_mg: number | null;
    }
  | {
      readonly parsed: false;
      readonly why: SigFault;
      /** How often, if that is the part that it could read. */
      readonly doses_per_day: Range | null;
    };
type SigStep = { readonly amount_per_day: Range; readonly days: number | null };
/** Longer directions are on hold anyway (69). */
const LONGEST = 1_000;

export const readSig = (text: string): Sig => (text.length > LONGEST ? unparsed("too_long") : parsed(text));

const parsed = remembering((text: string): Sig => {
  const plain = simplified(text);
  if (plain === "") return unparsed("blank");
  const reading = newReading();
  for (let at = 0; at < plain.length; ) {
    const next = consumed(plain, at, reading);
    if (next === undefined) return unparsed("not_understood");
    at = next;
    if (reading.fault !== null) return unparsed(reading.fault);
  }
  return summed(reading);
});

const unparsed = (why: SigFault, doses_per_day: Range | null = null): Sig => ({ parsed: false, why, doses_per_day });

/** A dash before a number is a minus, which no dose has. */
const SEPARATORS = /(?:[\s,.;:()]|-(?!\d))+/y;

/** The position after the next piece; undefined if no piece fits. */
function consumed(text: string, at: number, reading: Reading): number | undefined {
  for (const { is, does } of pieces) {
    is.lastIndex = at;
    const found = is.exec(text);
    if (found === null || found[0] === "") continue;
    does?.(reading, found);
    return is.lastIndex;
  }
  SEPARATORS.lastIndex = at;
  return SEPARATORS.test(text) ? SEPARATORS.lastIndex : undefined;
}

/** Doses per day of one part; a fault if the directions contradict themselves or give none. */
function frequencyOf(
  { rates, times, weekdays, meals, days, repeats, dose: given }: Part,
  reading: Reading,
): Range | SigFault {
  const [first, ...rest] = rates;
  if (rest.some(({ min, max }) => !near(min, first!.min) || !near(max, first!.max))) return "contradictory";
  if (weekdays.size > 0) {
    const each = Math.max(times.size, 1);
    const by_days = (weekdays.size * each) / 7;
    if (first !== undefined && !near(first.max, weekdays.size / 7)) return "contradictory";
    return { min: by_days, max: by_days };
  }
  if (first !== undefined) {
    // "Daily in the morning and at bedtime" says once and twice.
    if (first.max <= 1 && times.size > 1) return "contradictory";
    return first;
  }
  const counted = times.size + (meals ? 3 : 0);
  if (counted > 0) return { min: counted, max: counted };
  if (days !== null) return days === 1 ? ONE : "no_frequency";
  if (repeats === "once") return { min: 1, max: 2 };
  const cap = reading.most;
  if (reading.prn && cap !== null && given !== null) {
    if (cap.unit === "dose") return { min: 0, max: cap.amount };
    if (cap.unit === "each" || cap.unit === given.unit) return { min: 0, max: cap.amount / given.min };
  }
  return "no_frequency";
}

const near = (a: number, b: number) => Math.abs(a - b) < 1e-9;

function summed(reading: Reading): Sig {
  const parts = reading.steps.flat();
  const rates = parts.map((part) => frequencyOf(part, reading));
  const readable = rates.filter((one): one is Range => typeof one !== "string");
  const often = readable.length === rates.length ? spanOf(readable) : null;
  for (const part of parts) {
    if (part.dose === null && part.applied) part.dose = { min: 1, max: 1, unit: "application" };
  }
  if (reading.next_step || parts.some((part) => part.dose === null)) return unparsed("no_dose", often);
  const fault = rates.find((one) => typeof one === "string");
  if (fault !== undefined) return unparsed(fault as SigFault);
  const named = parts.map((part) => part.dose!.unit).filter((unit) => unit !== "each");
  const unit = named[0] ?? "each";
  if (named.some((one) => one !== unit)) return unparsed("mixed_units", often);

  const steps = reading.steps.map((step) => {
    const sums = step.map((part) => {
      const { min, max } = frequencyOf(part, reading) as Range;
      return {
        doses: { min, max },
        amount: { min: min * part.dose!.min * part.sides, max: max * part.dose!.max * part.sides },
      };
    });
    const days = step.reduce<number | null>(
      (longest, part) => (part.days === null ? longest : Math.max(longest ?? 0, part.days)),
      null,
    );
    return {
      doses: sumOf(sums.map((one) => one.doses)),
      amount_per_day: capped(sumOf(sums.map((one) => one.amount)), unit, reading),
      days,
    };
  });
  if (steps.slice(0, -1).some(({ days }) => days === null)) return unparsed("contradictory");
  const doses = spanOf(parts.map((part) => ({ min: part.dose!.min * part.sides, max: part.dose!.max * part.sides })));
  const rate_cap = reading.most?.unit === "dose" ? reading.most.amount : Number.POSITIVE_INFINITY;
  const doses_per_day = spanOf(steps.map((step) => step.doses));
  const stated = new Set(parts.map((part) => part.stated_mg));
  return {
    parsed: true,
    amount_per_dose: { ...doses, unit },
    doses_per_day: { min: Math.min(doses_per_day.min, rate_cap), max: Math.min(doses_per_day.max, rate_cap) },
    amount_per_day: spanOf(steps.map((step) => step.amount_per_day)),
    unit,
    prn: reading.prn,
    weekly: reading.weekly,
    days: steps.every(({ days }) => days !== null) ? steps.reduce((sum, { days }) => sum + days!, 0) : null,
    steps: steps.map(({ amount_per_day, days }) => ({ amount_per_day, days })),
    stated_mg: parts.length === 1 ? ([...stated][0] ?? null) : null,
    most_mg: reading.most?.unit === "mg" ? reading.most.amount : null,
  };
}

/** Limits the amount to what "max 6 per day" allows. */
function capped({ min, max }: Range, unit: string, { most: cap, steps }: Reading): Range {
  if (cap === null) return { min, max };
  const limit =
    cap.unit === "dose"
      ? cap.amount * Math.max(...steps.flat().map((part) => part.dose!.max * part.sides))
      : cap.unit === "each" || cap.unit === unit
        ? cap.amount
        : Number.POSITIVE_INFINITY;
  return { min: Math.min(min, limit), max: Math.min(max, limit) };
}

const sumOf = (ranges: readonly Range[]): Range => ({
  min: ranges.reduce((sum, { min }) => sum + min, 0),
  max: ranges.reduce((sum, { max }) => sum + max, 0),
});
const spanOf = (ranges: readonly Range[]): Range => ({
  min: Math.min(...ranges.map(({ min }) => min)),
  max: Math.max(...ranges.map(({ max }) => max)),
});
