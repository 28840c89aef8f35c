import type { AuditEntry, AuditRow } from "../../db/operations/audit.ts";
import { bytes } from "../../db/values.ts";
import type { Deps } from "../../deps.ts";
import type { Vault } from "../../vault/vault.ts";
import { openPatientId, patientIndex } from "../patients/patient-rows.ts";

/** An entry that names the patients by the partner's ids. */
export type AuditNote = Omit<AuditEntry, "patients"> & { patients?: readonly string[] };

/** The entry as the statement takes it: it finds the patients' keys by blind indexes. */
export function withPatientIndexes(vault: Vault, { patients = [], ...entry }: AuditNote): AuditEntry {
  const { account_id } = entry;
  if (account_id === null || patients.length === 0) return entry;
  return { ...entry, patients: auditedPatients({ vault }, account_id, patients) };
}

export const auditedPatients = (deps: Pick<Deps, "vault">, account_id: string, patient_ids: readonly string[]) =>
  patient_ids.map((id) => bytes(patientIndex(deps, account_id, id)));

/** An entry of the log with the partner's ids of its patients. */
export type OpenedAudit<Row extends AuditRow> = Omit<Row, "patients"> & { patients: string[] };

export function openAudit<Row extends AuditRow>(deps: Pick<Deps, "vault">, row: Row): OpenedAudit<Row> {
  const { account_id, patients } = row;
  const ids = account_id === null ? [] : patients.map((one) => openPatientId(deps, account_id, one));
  return { ...row, patients: ids.sort() };
}
