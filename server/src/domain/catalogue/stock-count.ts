import { type CountReason, countReasons, EXPLANATION_CHARACTERS } from "@pestle/contract";
import { addMonths } from "../values/calendar.ts";
import type { Shelf } from "./stock.ts";

/** 21 CFR 1304.11(c): at least every two years. */
const BIENNIAL_MONTHS = 24;

/** Why a count of a controlled substance is not accepted, as shown to the user. */
export const countRefusals = {
  pharmacist: "Only a pharmacist may count a controlled substance. Name the pharmacist.",
  reason: `The count differs from the ledger. Give one of these reasons: ${Object.keys(countReasons).join(", ")}.`,
  explanation: `Explain the difference in at least ${EXPLANATION_CHARACTERS} characters.`,
} as const;

export type ControlledCount = {
  counted_units: number;
  ledger_units: number;
  reason: CountReason | null;
  explanation: string | null;
};

/** Accepts a count of a controlled substance if its difference is explained, or says what is missing. */
export function decideCount(
  { on_hand_units }: Pick<Shelf, "on_hand_units">,
  counted_units: number,
  given: { by_pharmacist: boolean; reason: string | null; explanation: string | null },
): { count: ControlledCount } | { refused: keyof typeof countRefusals } {
  if (!given.by_pharmacist) return { refused: "pharmacist" };
  const { reason } = given;
  const explanation = given.explanation?.trim() || null;
  if (counted_units === on_hand_units) {
    return { count: { counted_units, ledger_units: on_hand_units, reason: null, explanation } };
  }
  if (reason === null || !isReason(reason)) return { refused: "reason" };
  if (explanation === null || explanation.length < EXPLANATION_CHARACTERS) return { refused: "explanation" };
  return { count: { counted_units, ledger_units: on_hand_units, reason, explanation } };
}

/** Whether the next count is due: the last one, or the first entry if there was none, is more than two years old. */
export const isCountDue = (last: string, today: string): boolean => today > addMonths(last, BIENNIAL_MONTHS);

const isReason = (text: string): text is CountReason => Object.hasOwn(countReasons, text);
