import type { Severity } from "./rows.ts";

/** Something a pharmacist should know before the order ships. */
export type SafetyFinding = {
  kind:
    | "allergy"
    | "unknown_drug"
    | "interaction"
    | "duplicate_therapy"
    | "condition"
    | "age"
    | "sex"
    | "dose"
    | "sig"
    | "refill_too_soon"
    | "unavailable";
  severity: Severity;
  /** The exception that holds the order; null for a warning. */
  exception_id: 69 | 74 | 75 | null;
  /** The affected item; null if it concerns the patient or the engine. */
  item_id: number | null;
  /** Stable for the same substances. An override refers to it. */
  key: string;
  message: string;
  /** What to do; null if the rule gives no advice. */
  advice: string | null;
  /** The origin of the rule, and the tables that contain it. */
  source: string;
  version: string;
  /** The names of the other partners whose data it rests on. Only the pharmacy sees such a finding. */
  elsewhere?: readonly string[];
};

/** All finding messages. Placeholders are names from the tables and of products. */
export const sentences = {
  allergy_ingredient: (drug: string) => `The patient is allergic to ${drug}.`,
  allergy_class: (drug: string, allergen: string, group: string) =>
    `The patient is allergic to ${allergen}, and ${drug} is in the same class (${group}).`,
  allergy_cross: (drug: string, allergen: string, note: string) =>
    `The patient is allergic to ${allergen}, and ${drug} may cross-react: ${note}.`,
  allergy_contained: (drug: string, excipient: string) =>
    `The patient is allergic to ${excipient}, and products of ${drug} usually contain it.`,
  allergy_excipient: (excipient: string) =>
    `The patient is allergic to ${excipient}: check the inactive ingredients of every package.`,
  interaction: (one: string, other: string, where: string, mechanism: string) =>
    `${one} and ${other} (${where}): ${mechanism}.`,
  combination: (one: string, others: readonly string[], mechanism: string) =>
    `${one} together with ${others.join(" and ")}: ${mechanism}.`,
  same_ingredient: (drug: string, where: string) => `The patient would take ${drug} twice (${where}).`,
  same_class: (drug: string, other: string, where: string, group: string) =>
    `${drug} and ${other} (${where}) are in the same class (${group}).`,
  refill_too_soon: (drug: string, order_number: string, days_supply: number, date: string) =>
    `${drug} was filled for ${days_supply} days with order ${order_number}: the next fill is due from ${date}.`,
  refill_drift: (drug: string, fills: number, days: number, date: string) =>
    `${drug}: the ${fills} fills of the last year leave about ${days} days on hand: the next fill is due from ${date}.`,
  condition: (drug: string, condition: string, reason: string) => `${drug} for a patient with ${condition}: ${reason}.`,
  condition_unreadable: (places: readonly number[]) =>
    `The patient's list of conditions could not be understood in full: read ${places.length === 1 ? "entry" : "entries"} ${places.join(", ")}.`,
  age: (drug: string, age: number, reason: string) => `${drug} at the age of ${age}: ${reason}.`,
  sex: (drug: string, sex: "M" | "F", reason: string) =>
    `${drug} for a ${sex === "F" ? "female" : "male"} patient: ${reason}.`,
  weight: (drug: string, below_kg: number, reason: string) => `${drug} below ${below_kg} kg: ${reason}.`,
  weekly: (drug: string, most: number, reason: string) =>
    `The directions give ${drug} more often than ${most === 1 ? "once" : `${most} times`} a week: ${reason}.`,
  dose: (drug: string, amount: number, most: number, unit: string) =>
    `The directions add up to ${amount} ${unit} of ${drug} per day. The maximum is ${most} ${unit}.`,
  sig_strength: (drug: string, stated_mg: number, product_mg: number) =>
    `The directions for ${drug} say ${stated_mg} mg per dose, but that many units of this product have ${product_mg} mg.`,
  sig_quantity: (drug: string, units: number, days: number, { min, max }: { min: number; max: number }) =>
    `The directions for ${drug} need ${span(min, max)} units for ${days} ${days === 1 ? "day" : "days"}, but the quantity is ${units}.`,
  sig_unread: (drug: string) => `The service could not read the directions for ${drug}, so it did not check the dose.`,
  sig_unread_weekly: (drug: string) =>
    `The service could not read the directions for ${drug}, a drug that is not taken every day.`,
  unavailable: () =>
    "The safety tables were unusable when this order was checked. Check allergies and interactions by hand.",
} as const;

/** What to do about findings whose rows carry no advice of their own. */
export const advices = {
  allergy_hold: "Do not dispense. Ask the prescriber for a drug of another class.",
  allergy_warning: "Ask the patient what happened the last time, and counsel on the signs of a reaction.",
  allergy_excipient: "Compare the inactive ingredients of the package with the allergy before you fill.",
  allergy_unreadable: "Ask the patient or the partner what the entry means, and record it.",
  duplicate: "Ask the prescriber which one the patient should take, and have the other stopped.",
  same_drug: "Confirm that this replaces the earlier supply and that the patient does not take both.",
  refill_too_soon: "Ask why the patient needs it early, or wait until it is due.",
  unavailable: "Check the order by hand, or repair the tables and check it again.",
  condition_unreadable: "Ask the patient or the partner what the entry means, and record it.",
  dose: "Ask the prescriber to confirm or correct the dose.",
  sig: "Ask the prescriber which is right: the directions, the quantity or the days of supply.",
  sig_prn: "Ask the prescriber whether so many are meant.",
  sig_unread: "Read the directions, and compute the daily dose by hand.",
} as const;

/** Where the other drug of a finding comes from. */
export const places = {
  item: () => "in this order",
  open: (order_number: string) => `order ${order_number}, still open`,
  taken: (order_number: string) => `order ${order_number}`,
  washing_out: (order_number: string) => `order ${order_number}, which may still have an effect`,
  listed: () => "which the patient reportedly takes",
} as const;

/** The source of findings without a table row. */
export const OWN_RULE = "Rule of this service";

const HOLDING: ReadonlySet<Severity> = new Set(["contraindicated", "major"]);

/** Holds the order if it is worse than moderate. */
export const holdBy = <Id extends 69 | 74 | 75>(id: Id, severity: Severity): Id | null =>
  HOLDING.has(severity) ? id : null;

/** The key of the finding of an order that could not be checked. It is also stored as the basis of its exception. */
export const UNCHECKED = "unavailable";

/** For an order that could not be checked. The order is held, because unchecked is not safe. */
export const unavailableFinding = (): SafetyFinding => ({
  kind: "unavailable",
  severity: "major",
  exception_id: 75,
  item_id: null,
  key: UNCHECKED,
  message: sentences.unavailable(),
  advice: advices.unavailable,
  source: OWN_RULE,
  version: "none",
});

const span = (min: number, max: number) => (min === max ? String(tenth(max)) : `${tenth(min)} to ${tenth(max)}`);
const tenth = (value: number) => Math.round(value * 10) / 10;
