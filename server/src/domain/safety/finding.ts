import type { Severity } from "./rows.ts";

/** Something that a pharmacist should know before the order goes out. */
export type SafetyFinding = {
  kind: "allergy" | "allergy_unreadable" | "interaction" | "duplicate_therapy" | "refill_too_soon" | "unavailable";
  severity: Severity;
  /** The exception that holds the order; null is a warning. */
  exception_id: 74 | 75 | null;
  /** The item that it is about; null where it is about the patient or the engine. */
  item_id: number | null;
  /** The same for the same substances, whatever else changes: an override holds for it. */
  key: string;
  message: string;
  /** Where the rule comes from, and which tables it was read in. */
  source: string;
  version: string;
};

/** Every sentence that a finding can say. The words in between are names of the tables and of products. */
export const sentences = {
  allergy_ingredient: (drug: string) => `The patient is allergic to ${drug}.`,
  allergy_class: (drug: string, allergen: string, group: string) =>
    `The patient is allergic to ${allergen}, and ${drug} is of the same class (${group}).`,
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
  same_ingredient: (drug: string, where: string) => `The patient would have ${drug} twice (${where}).`,
  same_class: (drug: string, other: string, where: string, group: string) =>
    `${drug} and ${other} (${where}) are of the same class (${group}).`,
  refill_too_soon: (drug: string, order_number: string, days_supply: number, date: string) =>
    `${drug} was filled for ${days_supply} days with order ${order_number}: the next fill is due from ${date}.`,
  unavailable: () =>
    "The safety tables could not be relied on when this order was checked: nothing is known about allergies and interactions.",
} as const;

/** Where the other drug of a finding comes from. */
export const places = {
  item: () => "in this order",
  open: (order_number: string) => `order ${order_number}, on its way`,
  taken: (order_number: string) => `order ${order_number}`,
  washing_out: (order_number: string) => `order ${order_number}, which may still act`,
  listed: () => "which the patient is said to take",
} as const;

/** The source of what no row of the tables says. */
export const OWN_RULE = "Rule of this service";

const HOLDING: ReadonlySet<Severity> = new Set(["contraindicated", "major"]);

/** What is worse than moderate holds the order. */
export const holdBy = <Id extends 74 | 75>(id: Id, severity: Severity): Id | null =>
  HOLDING.has(severity) ? id : null;

/** For an order that could not be checked. It is held: what was not looked at is not safe. */
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
