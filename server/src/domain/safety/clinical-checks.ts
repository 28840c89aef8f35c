import {
  type CheckGap,
  type ClinicalCheck,
  type ClinicalCheckName,
  clinicalCheckNames,
  clinicalChecks,
  type DailyDose,
  type SafetyKind,
  type SafetyStatus,
} from "@pestle/contract";
import type { AssessedOrder, SafetyState } from "./assess-safety.ts";
import { type CheckedOrder, checkedOrder } from "./checked-order.ts";
import { dailyDose } from "./daily-dose.ts";
import type { SafetyData, Substance } from "./data.ts";
import type { SafetyFinding } from "./finding.ts";
import { ageOf } from "./patient-findings.ts";
import { rowsFor } from "./patient-rules.ts";
import type { SafetyTable } from "./rows.ts";
import { readSig } from "./texts/sig.ts";

/** The tables behind each check. */
const CHECK_TABLES = {
  allergy: ["ingredients", "classes", "cross_reactions", "excipients"],
  interaction: ["interactions", "combinations"],
  duplicate: ["ingredients", "classes"],
  refill: ["refill_rules"],
  condition: ["condition_words", "measurements", "condition_rules"],
  age_and_sex: ["age_rules", "sex_rules"],
  dose: ["dose_limits", "weekly_drugs", "weight_rules"],
  directions: [],
  unknown: ["ingredients"],
} as const satisfies Record<ClinicalCheckName, readonly SafetyTable[]>;

type Asked = Readonly<Record<SafetyKind, SafetyStatus>>;

export type MadeChecks = {
  /** Null if the tables are unusable. */
  version: string | null;
  checks: ClinicalCheck[];
  /** By item. */
  doses: ReadonlyMap<number, DailyDose | null>;
};

/**
 * What the safety engine compared an order with, what it could not compare, and the daily dose that it computed. A check
 * without findings says something only if a person sees what it covered.
 */
export function madeChecks(
  safety: SafetyState,
  order: AssessedOrder,
  asked: Asked,
  findings: readonly SafetyFinding[],
): MadeChecks {
  if ("unfit" in safety) return { version: null, checks: clinicalCheckNames.map(notMade), doses: readAlone(order) };
  const { data } = safety;
  const { allergies, medications, health_conditions: conditions } = order.patient_safety;
  const checked = checkedOrder(data, { ...order, allergies, medications, conditions });
  const doses = new Map(checked.items.map((item) => [item.item_id, dailyDose({ ...item, sig: sigOf(item) })]));
  const others = checked.taken.length + Math.max(checked.items.length - 1, 0);
  const compared: Partial<Record<ClinicalCheckName, number>> = {
    allergy: allergies.length,
    interaction: others,
    duplicate: others,
    refill: order.fills.length,
    condition: conditions.length,
  };
  const gaps = gapsOf(data, order, checked, asked, [...doses.values()]);
  const checks = clinicalCheckNames.map((check) => ({
    check,
    compared: compared[check] ?? null,
    findings: findings.filter(({ kind }) => (clinicalChecks[check].finds as readonly string[]).includes(kind)).length,
    gaps: gaps[check] ?? [],
    tables: CHECK_TABLES[check].map((name) => ({ name, rows: data.rows[name].length })),
  }));
  return { version: data.version, checks, doses };
}

/** A fact that is missing is a gap only where a rule for one of the drugs asks for it. */
function gapsOf(
  { patient_rules }: SafetyData,
  { patient, now }: AssessedOrder,
  { items }: CheckedOrder,
  asked: Asked,
  doses: readonly (DailyDose | null)[],
): Partial<Record<ClinicalCheckName, CheckGap[]>> {
  const substances = items.flatMap((item) => item.substances);
  const has = (index: Parameters<typeof rowsFor>[0]) =>
    substances.some((one: Substance) => rowsFor(index, one).length > 0);
  const when = (gap: CheckGap, is: boolean): CheckGap[] => (is ? [gap] : []);
  const unread = when(
    "directions_unread",
    doses.some((dose) => dose !== null && !dose.read),
  );
  const medications = when("medications_not_asked", asked.medication === "not_asked");
  return {
    allergy: when("allergies_not_asked", asked.allergy === "not_asked"),
    interaction: medications,
    duplicate: medications,
    condition: when("conditions_not_asked", asked.condition === "not_asked"),
    age_and_sex: [
      ...when("age_unknown", ageOf(patient.dob, now) === null),
      ...when("sex_unknown", patient.gender === null && has(patient_rules.sex_rules)),
    ],
    dose: [...when("weight_unknown", patient.weight_kg === null && has(patient_rules.weight_rules)), ...unread],
    directions: unread,
  };
}

const notMade = (check: ClinicalCheckName): ClinicalCheck => ({
  check,
  compared: null,
  findings: 0,
  gaps: ["tables_unusable"],
  tables: [],
});

const sigOf = ({ sig_text }: { sig_text: string | null }) => (sig_text === null ? null : readSig(sig_text));

/** Directions need no tables; only the amounts per ingredient do. */
const readAlone = ({ items }: AssessedOrder): MadeChecks["doses"] =>
  new Map(items.map((item) => [item.item_id, dailyDose({ ...item, substances: [], absorbed: [], sig: sigOf(item) })]));
