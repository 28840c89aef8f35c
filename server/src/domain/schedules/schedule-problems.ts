import { type ErrorCode, messageOf } from "@pestle/contract";
import type { FormularyProduct } from "../catalogue/formulary.ts";
import { type FillRules, fillability } from "../orders/fillability.ts";
import type { PrescriptionFact } from "../orders/order-facts.ts";
import { startOfDay } from "../values/calendar.ts";
import type { Problem } from "../values/refusals.ts";
import { intervalOf, type Why } from "./schedule.ts";

/** The rules of a schedule that an order does not have. The checks of the order find everything else. */
export function scheduleProblems(given: {
  prescription: Pick<PrescriptionFact, "drug_schedule" | "days_supply"> | null;
  product: Pick<FormularyProduct, "drug_schedule"> | null;
  every_days: number | null;
  /** Undefined if it is missing or malformed, which has a problem already. */
  consent_at: Date | undefined;
  has_schedule: boolean;
  now: Date;
}): Problem[] {
  const { prescription, product, every_days, consent_at, has_schedule, now } = given;
  const problems: Problem[] = [];
  if (consent_at !== undefined && consent_at > now) problems.push({ code: 42271, field: "consent.given_at" });
  if (prescription === null) return problems;
  if (every_days === null && intervalOf(null, prescription.days_supply) === null)
    problems.push({ code: 42272, field: "every_days", problem: "missing" });
  if (prescription.drug_schedule === "2" || product?.drug_schedule === "2")
    problems.push({ code: 42274, field: "prescription_id" });
  if (has_schedule) problems.push({ code: 42275, field: "prescription_id" });
  return problems;
}

/** New stock can arrive before the fill. */
const MAY_PASS: ReadonlySet<ErrorCode> = new Set([42253]);

/**
 * Adds the problems of the order that a schedule would place, as problems of the schedule's own fields. A drug that no
 * schedule can have needs no identity document.
 */
export function withOrderProblems(
  own: readonly Problem[],
  of_order: readonly Problem[],
  has_prescription: boolean,
): Problem[] {
  const never = own.some(({ code }) => code === 42274);
  const counted = of_order.filter(
    ({ code, field }) =>
      !MAY_PASS.has(code) && !(never && code === 42208) && (has_prescription || !field.startsWith("items[")),
  );
  return [...counted.map((problem) => ({ ...problem, field: ownField(problem.field) })), ...own];
}

const ownField = (field: string): string => {
  if (field === "patient.patient_id") return "patient_id";
  return field.startsWith("items[") ? "prescription_id" : field;
};

/** Why the next fill would be refused: what is wrong with the order now, and with the prescription on that day. */
export function nextFillProblems(
  problems_now: readonly Problem[],
  prescription: PrescriptionFact,
  workflow: Parameters<typeof fillability>[1],
  rules: FillRules,
  fill_on: string,
): Why[] {
  const start = startOfDay(rules.time_zone, fill_on);
  const then: FillRules = { ...rules, today: fill_on, now: start > rules.now ? start : rules.now };
  const { not_fillable } = fillability(prescription, workflow, then);
  return whysOf([...problems_now.map(({ code }) => code), ...not_fillable.map(({ code }) => code as ErrorCode)]);
}

/** Each code once, in order. */
export const whysOf = (codes: readonly ErrorCode[]): Why[] =>
  [...new Set(codes)].sort((a, b) => a - b).map((code) => ({ code, message: messageOf(code) }));
