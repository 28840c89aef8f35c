import type { Patient, Workflow } from "@pestle/contract";
import { type Arrival, loadPrescriptions, type PatientPrescription } from "../../db/intake/prescriptions.ts";
import { loadPatient } from "../../db/patients/patients.ts";
import type { Deps } from "../../deps.ts";
import { patientAnswer } from "../../domain/patients/patient-record.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import { openWritten } from "../intake/written.ts";
import { loadPage } from "../operations/load-page.ts";
import { fillRules } from "../orders/read-orders.ts";
import type { PatientKey } from "./change-patient.ts";
import { openRecord, patientIndex } from "./patient-rows.ts";

/** A patient as partners see it; undefined if the account has no patient with that id. */
export async function readPatient(deps: Deps, { account_id, patient_id }: PatientKey): Promise<Patient | undefined> {
  return withKeysOfNow(deps, async () => {
    const row = await loadPatient(deps.db, account_id, patientIndex(deps, account_id, patient_id));
    return row && patientAnswer(patient_id, openRecord(deps, account_id, row.patient_key, row.record_sealed), row);
  });
}

/** More than a page of them has. */
const MOST_PRESCRIPTIONS = 10_000;
const BYTES_PER_PRESCRIPTION = 700;
const BYTES_PER_DISPENSE = 400;

/**
 * Prescriptions of a patient before a position, newest first, as many as a page takes; undefined if there is no such
 * patient. `next`: the last one, if more follow.
 */
export async function readPrescriptions(
  deps: Deps,
  account_id: string,
  patient_id: string,
  active: boolean | null,
  before: Arrival | null,
) {
  const index = patientIndex(deps, account_id, patient_id);
  return withKeysOfNow(deps, async () => {
    let found_in: { workflow: Workflow; clock_offset_s: number } | undefined;
    const { rows, more } = await loadPage(
      MOST_PRESCRIPTIONS,
      async (after: PatientPrescription | undefined, most) => {
        const found = await loadPrescriptions(deps.db, account_id, index, active, after ?? before, most);
        found_in ??= found;
        return found?.prescriptions ?? [];
      },
      ({ written_sealed, medication_dispenses }) =>
        BYTES_PER_PRESCRIPTION + (written_sealed?.length ?? 0) + BYTES_PER_DISPENSE * medication_dispenses.length,
    );
    if (found_in === undefined) return undefined;
    const { workflow, clock_offset_s } = found_in;
    const { formulary } = await readCatalogue(deps, account_id);
    const prescriptions = rows.map((row) => ({ ...openWritten(deps.vault, account_id, row), patient_id }));
    const rules = fillRules(deps, formulary, clock_offset_s);
    return { workflow, rules, prescriptions, next: more ? rows.at(-1)! : null };
  });
}
