import {
  type ClinicalFacts,
  type ClinicalFill,
  type ClinicalLine,
  type ClinicalReview,
  type ExceptionId,
  safetyKindNames,
} from "@pestle/contract";
import { listNames } from "../../db/fulfillment/order-page.ts";
import { type FillLine, listFillLines } from "../../db/fulfillment/patient-fills.ts";
import type { Deps } from "../../deps.ts";
import { daysOfUnits } from "../../domain/fulfillment/fill-numbers.ts";
import { isOpen } from "../../domain/orders/order.ts";
import { assessedOrder, decideChange } from "../../domain/orders/order-change.ts";
import type { PatientRecord } from "../../domain/patients/patient-record.ts";
import { safetyAnswer, safetyStatuses } from "../../domain/patients/safety-record.ts";
import { type MadeChecks, madeChecks } from "../../domain/safety/clinical-checks.ts";
import type { SafetyFinding } from "../../domain/safety/finding.ts";
import { ageOf } from "../../domain/safety/patient-findings.ts";
import { patientFacts } from "../../domain/safety/safety-facts.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { type Looker, writeAudit } from "../operations/write-audit.ts";
import { type LoadedOrder, loadChangingOrder } from "../orders/load-order.ts";
import { type OrderNote, readNotes } from "./claim-order.ts";

const MOST_FILLS = 20;

/**
 * What a pharmacist judges an order by, without identifying the patient. The checks run on the order as it is now, with what
 * other partners know, as they do before the approval. The audit entry is written before the data is returned.
 */
export async function readClinical(
  deps: Deps,
  by: Looker,
  account_id: string,
  order_number: string,
  request_id: string,
): Promise<ClinicalReview> {
  const { db } = deps;
  const [loaded, notes] = await Promise.all([
    withKeysOfNow(deps, () => loadChangingOrder(deps, db, account_id, order_number, "elsewhere")),
    readNotes(deps, account_id, order_number),
  ]);
  const overrides = notes.filter(({ overridden }) => overridden.length > 0);
  const people = [...new Set(overrides.flatMap(({ person_id }) => person_id ?? []))];
  const [fills, names] = await Promise.all([
    listFillLines(db, account_id, loaded.row.patient_key, order_number, MOST_FILLS + 1),
    listNames(db, people),
    writeAudit(deps, by, { account_id, action: "clinical_viewed", subject: order_number }, request_id),
  ]);
  const { record, rules, standing } = loaded;
  const findings = isOpen(standing) ? decideChange(loaded, {}, rules).findings : loaded.found;
  const asked = safetyStatuses(record.patient_safety);
  const { version, checks, doses } = madeChecks(rules.safety, assessedOrder(loaded, rules), asked, findings);
  const accepted = new Set(overrides.flatMap(({ found }) => found));
  return {
    patient: clinicalPatient(record, rules.now),
    facts: clinicalFacts(record),
    fills: fills.slice(0, MOST_FILLS).map((fill) => clinicalFill(fill, rules.now)),
    more_fills: fills.length > MOST_FILLS,
    tables_version: version,
    checked_at: rules.now.toISOString(),
    checks,
    findings: findings.map((finding) => ({ ...shownFinding(finding), overridden: accepted.has(finding.key) })),
    overrides: overrides.map((note) => shownOverride(note, names)).reverse(),
    lines: linesOf(loaded, doses),
  };
}

export const clinicalPatient = (record: PatientRecord, now: Date): ClinicalReview["patient"] => ({
  age: ageOf(patientFacts(record).dob, now),
  sex: record.gender,
  weight_kg: record.weight_kg ?? null,
});

export function clinicalFacts({ patient_safety }: PatientRecord): ClinicalFacts[] {
  const status = safetyStatuses(patient_safety);
  const { entries } = safetyAnswer(patient_safety);
  return safetyKindNames.map((kind) => ({
    kind,
    status: status[kind],
    entries: entries.filter((entry) => entry.kind === kind),
    none: patient_safety.none_known[kind] ?? null,
  }));
}

export function clinicalFill(
  { written_qty, ordered_at, shipped_at, supply_ends_at, ...fill }: FillLine,
  now: Date,
): ClinicalFill {
  return {
    ...fill,
    days_supply: daysOfUnits({ ...fill, written_qty }),
    ordered_at: ordered_at.toISOString(),
    shipped_at: shipped_at?.toISOString() ?? null,
    supply_ends_at: supply_ends_at?.toISOString() ?? null,
    active: shipped_at === null || (supply_ends_at !== null && supply_ends_at > now),
  };
}

const shownFinding = ({ key: _, elsewhere = [], advice = null, ...finding }: SafetyFinding) => ({
  ...finding,
  advice,
  elsewhere,
});

const shownOverride = (
  { at, person_id, license_number, overridden, code, reason, signature_holds }: OrderNote,
  names: readonly { person_id: string; name: string }[],
): ClinicalReview["overrides"][number] => ({
  at: at.toISOString(),
  who: names.find((one) => one.person_id === person_id)?.name ?? person_id,
  license_number,
  exception_ids: overridden as ExceptionId[],
  code,
  reason,
  signature_holds: signature_holds === true,
});

function linesOf({ order, prescriptions, rules }: LoadedOrder, doses: MadeChecks["doses"]): ClinicalLine[] {
  return order.items.map(({ item_id, sku, prescription_id }) => {
    const written = prescriptions.find((one) => one.prescription_id === prescription_id);
    return {
      item_id,
      name: rules.formulary.by_sku.get(sku)?.name ?? written?.drug_name ?? sku,
      sig_text: written?.sig_text ?? null,
      daily: doses.get(item_id) ?? null,
      prescriber: written
        ? { name: written.prescriber_name, phone: written.prescriber_phone, fax: written.prescriber_fax }
        : null,
    };
  });
}
