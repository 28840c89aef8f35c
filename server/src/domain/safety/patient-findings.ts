import type { CheckedItem, CheckedOrder } from "./checked-order.ts";
import type { SafetyData, Substance } from "./data.ts";
import { holdBy, type SafetyFinding, sentences } from "./finding.ts";
import { rowsFor } from "./patient-rules.ts";
import type { Severity } from "./rows.ts";
import type { SafetyPatient } from "./safety-facts.ts";
import { readConditions } from "./texts/conditions.ts";
import { isLocal } from "./texts/strength.ts";

/** Checks every item against the patient's age. Without a date of birth it finds nothing. */
export function ageFindings(data: SafetyData, order: CheckedOrder, age: number | null): SafetyFinding[] {
  if (age === null) return [];
  return perSubstance(order, (item, one) =>
    rowsFor(data.patient_rules.age_rules, one)
      .filter((row) => concerns(row, item, one) && isWithin(row, age))
      .map((row) => finding(data, "age", item, one, row, sentences.age(one.shown, age, row.reason))),
  );
}

/** Checks every item against the patient's sex, where a label speaks of it. */
export function sexFindings(
  data: SafetyData,
  order: CheckedOrder,
  { gender }: SafetyPatient,
  age: number | null,
): SafetyFinding[] {
  if (gender === null) return [];
  return perSubstance(order, (item, one) =>
    rowsFor(data.patient_rules.sex_rules, one)
      .filter((row) => row.sex === gender && concerns(row, item, one))
      .filter((row) => appliesAt(row, age) && !meantFor(data, row.unless, order.conditions))
      .map((row) => finding(data, "sex", item, one, row, sentences.sex(one.shown, gender, row.reason))),
  );
}

/** Whether the patient has one of the conditions. Reads them only for the few rows that ask. */
const meantFor = (data: SafetyData, unless: readonly string[], texts: readonly string[]): boolean =>
  unless.length > 0 &&
  texts.length > 0 &&
  readConditions(data.patient_rules, texts).conditions.some(({ condition }) => unless.includes(condition));

/** Checks every item against the patient's weight, if it is known. */
export function weightFindings(data: SafetyData, order: CheckedOrder, { weight_kg }: SafetyPatient): SafetyFinding[] {
  if (weight_kg === null) return [];
  return perSubstance(order, (item, one) =>
    rowsFor(data.patient_rules.weight_rules, one)
      .filter((row) => concerns(row, item, one) && weight_kg < row.below_kg)
      .map((row) => finding(data, "dose", item, one, row, sentences.weight(one.shown, row.below_kg, row.reason))),
  );
}

/** Whole years on the day of `now`; null if unknown. */
export function ageOf(dob: string | null, now: Date): number | null {
  if (dob === null) return null;
  const today = now.toISOString().slice(0, 10);
  const years = Number(today.slice(0, 4)) - Number(dob.slice(0, 4));
  const age = today.slice(5) < dob.slice(5) ? years - 1 : years;
  return Number.isInteger(age) && age >= 0 ? age : null;
}

type Ages = { readonly from: number | null; readonly below: number | null };

const isWithin = ({ from, below }: Ages, age: number): boolean =>
  (from === null || age >= from) && (below === null || age < below);

/** A row without ages applies to all patients; one with ages only to a patient whose age is known. */
export const appliesAt = (row: Ages, age: number | null): boolean =>
  age === null ? row.from === null && row.below === null : isWithin(row, age);

type PatientRow = {
  readonly route: "systemic" | "any";
  readonly except: readonly string[];
  readonly severity: Severity;
  readonly advice: string;
  readonly source: string;
};

const concerns = (
  { route, except }: Pick<PatientRow, "route" | "except">,
  { drug }: CheckedItem,
  { name }: Substance,
) => !except.includes(name) && (route === "any" || !isLocal(drug));

const perSubstance = (
  { items }: CheckedOrder,
  findings: (item: CheckedItem, one: Substance) => SafetyFinding[],
): SafetyFinding[] => items.flatMap((item) => item.substances.flatMap((one) => findings(item, one)));

const finding = (
  data: SafetyData,
  kind: "age" | "sex" | "dose",
  { item_id }: CheckedItem,
  { name }: Substance,
  row: PatientRow,
  message: string,
): SafetyFinding => ({
  kind,
  severity: row.severity,
  exception_id: holdBy(75, row.severity),
  item_id,
  key: `${kind} ${name}`,
  message,
  advice: row.advice,
  source: data.citationOf(row),
  version: data.version,
});
