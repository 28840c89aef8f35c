import type { SafetyLists } from "@pestle/contract";
import { allergyFindings } from "./allergy-findings.ts";
import { checkedOrder } from "./checked-order.ts";
import { conditionFindings } from "./condition-findings.ts";
import type { SafetyData } from "./data.ts";
import { doseFindings, unreadSigFindings, weeklyFindings } from "./dose-findings.ts";
import { type SafetyFinding, unavailableFinding } from "./finding.ts";
import { interactionFindings } from "./interaction-findings.ts";
import { ageFindings, ageOf, sexFindings, weightFindings } from "./patient-findings.ts";
import { refillFindings } from "./refill-findings.ts";
import { severities } from "./rows.ts";
import type { SafetyFacts } from "./safety-facts.ts";
import { sigFindings } from "./sig-findings.ts";
import { readSig } from "./texts/sig.ts";
import { duplicateFindings } from "./therapy-findings.ts";
import { unknownFindings } from "./unknown-findings.ts";

/**
 * All findings for an order, worst first. A finding that holds the order has an `exception_id`; the others are
 * warnings.
 */
export function assessSafety(data: SafetyData, facts: SafetyFacts): SafetyFinding[] {
  const order = checkedOrder(data, facts);
  const { patient, now } = facts;
  const age = ageOf(patient.dob, now);
  const directed = order.items.map((item) => ({
    ...item,
    sig: item.sig_text === null ? null : readSig(item.sig_text),
  }));
  return settled([
    ...allergyFindings(data, order, facts.allergies),
    ...interactionFindings(data, order),
    ...duplicateFindings(data, order),
    ...refillFindings(data, order, now),
    ...conditionFindings(data, order, facts.conditions, age),
    ...ageFindings(data, order, age),
    ...sexFindings(data, order, patient, age),
    ...weightFindings(data, order, patient),
    ...weeklyFindings(data, directed),
    ...doseFindings(data, directed, patient, age),
    ...unreadSigFindings(data, directed),
    ...sigFindings(data, directed),
    ...unknownFindings(data, order, facts),
  ]);
}

/** Keeps the worst finding per key and item, in an order independent of the input order. */
export function settled(findings: SafetyFinding[]): SafetyFinding[] {
  if (findings.length < 2) return findings;
  const rank = ({ severity }: SafetyFinding) => severities.indexOf(severity);
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  findings.sort(
    (a, b) =>
      rank(a) - rank(b) ||
      compare(a.key, b.key) ||
      (a.item_id ?? 0) - (b.item_id ?? 0) ||
      compare(a.message, b.message) ||
      compare(a.source, b.source),
  );
  const seen = new Set<string>();
  return findings.filter(({ key, item_id }) => {
    const one = `${key} ${item_id}`;
    return !seen.has(one) && seen.add(one);
  });
}

/** The current safety engine: its tables, or why it is unusable. */
export type SafetyState = { data: SafetyData } | { unfit: readonly string[] };

export type AssessedOrder = Omit<SafetyFacts, "allergies" | "medications" | "conditions"> & {
  patient_safety: SafetyLists;
};

/** Checks an order. An unusable engine holds the order for a pharmacist. */
export function orderFindings(safety: SafetyState, { patient_safety, ...order }: AssessedOrder): SafetyFinding[] {
  if ("unfit" in safety) return [unavailableFinding()];
  const { allergies, medications, health_conditions: conditions } = patient_safety;
  return assessSafety(safety.data, { ...order, allergies, medications, conditions });
}
