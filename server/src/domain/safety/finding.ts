import type { Severity } from "./rows.ts";

/** Something a pharmacist should know before the order ships. */
export type SafetyFinding = {
  kind: "allergy" | "allergy_unreadable" | "interaction" | "duplicate_therapy" | "refill_too_soon" | "unavailable";
  severity: Severity;
  /** The exception that holds the order; null for a warning. */
  exception_id: 74 | 75 | null;
  /** The affected item; null if it concerns the patient or the engine. */
  item_id: number | null;
  /** Stable for the same substances. An override refers to it. */
  key: string;
  message: string;
  /** What to do; null if the rule gives no advice. */
  advice?: string | null;
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
  allergy_unreadable: (places: readonly number[]) =>
    `The patient's list of allergies could not be understood in full: read ${places.length === 1 ? "entry" : "entries"} ${places.join(", ")}.`,
  interaction: (one: string, other: string, where: string, mechanism: string) =>
    `${one} and ${other} (${where}): ${mechanism}.`,
  same_ingredient: (drug: string, where: string) => `The patient would take ${drug} twice (${where}).`,
  same_class: (drug: string, other: string, where: string, group: string) =>
    `${drug} and ${other} (${where}) are in the same class (${group}).`,
  refill_too_soon: (drug: string, order_number: string, days_supply: number, date: string) =>
    `${drug} was filled for ${days_supply} days with order ${order_number}: the next fill is due from ${date}.`,
  refill_drift: (drug: string, fills: number, days: number, date: string) =>
    `${drug}: the ${fills} fills of the last year leave about ${days} days on hand: the next fill is due from ${date}.`,
  unavailable: () =>
    "The safety tables were unusable when this order was checked. Check allergies and interactions by hand.",
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
export const holdBy = <Id extends 74 | 75>(id: Id, severity: Severity): Id | null =>
  HOLDING.has(severity) ? id : null;

/** For an order that could not be checked. The order is held, because unchecked is not safe. */
export const unavailableFinding = (): SafetyFinding => ({
  kind: "unavailable",
  severity: "major",
  exception_id: 75,
  item_id: null,
  key: "unavailable",
  message: sentences.unavailable(),
  source: OWN_RULE,
  version: "none",
});
