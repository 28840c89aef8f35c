import type { CheckedOrder } from "./checked-order.ts";
import type { SafetyData } from "./data.ts";
import { advices, holdBy, OWN_RULE, type SafetyFinding, sentences } from "./finding.ts";
import { appliesAt } from "./patient-findings.ts";
import { rowsFor } from "./patient-rules.ts";
import { readConditions } from "./texts/conditions.ts";
import { isLocal } from "./texts/strength.ts";

/** Checks every item against the patient's conditions. Reports entries that name no known condition. */
export function conditionFindings(
  data: SafetyData,
  { items }: CheckedOrder,
  texts: readonly string[],
  age: number | null,
): SafetyFinding[] {
  if (texts.length === 0 || !items.some(({ substances }) => substances.length > 0)) return [];
  const { conditions, unreadable } = readConditions(data.patient_rules, texts);
  const present = new Map(conditions.map((row) => [row.condition, row]));
  const findings = items.flatMap(({ item_id, drug, substances }) => {
    const local = isLocal(drug);
    return substances.flatMap((one) =>
      rowsFor(data.patient_rules.condition_rules, one).flatMap((row): SafetyFinding[] => {
        const condition = present.get(row.condition);
        if (condition === undefined || row.except.includes(one.name) || (local && row.route === "systemic")) return [];
        if (!appliesAt(row, age)) return [];
        return [
          {
            kind: "condition",
            severity: row.severity,
            exception_id: holdBy(75, row.severity),
            item_id,
            key: `condition ${row.condition} ${one.name}`,
            message: sentences.condition(one.shown, condition.name, row.reason),
            advice: row.advice,
            source: data.citationOf(row),
            version: data.version,
          },
        ];
      }),
    );
  });
  if (unreadable.length > 0) {
    findings.push({
      kind: "condition",
      severity: "moderate",
      exception_id: null,
      item_id: null,
      key: "condition_unreadable",
      message: sentences.condition_unreadable(unreadable),
      advice: advices.condition_unreadable,
      source: OWN_RULE,
      version: data.version,
    });
  }
  return findings;
}
