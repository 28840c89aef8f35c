import { type AuditAction, type AuditedOperation, partnerAudit } from "@pestle/contract";
import type { Grant } from "../../db/accounts/tokens.ts";
import type { Deps } from "../../deps.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import type { AuditNote } from "./audit-note.ts";

/** A partner's request, for the audit log. */
export type RequestBy = { request_id: string; address: string };
export type AuditCaller = { grant: Pick<Grant, "account_id" | "credential_id">; by: RequestBy; now: Date };
/** The patients whose data the operation read or changed, and the id of the record if there is one. */
export type Seen = {
  patients: readonly string[];
  /** Instead of `patients`, where only their surrogate keys are known. */
  patient_keys?: readonly number[];
  subject?: string | null;
};

/** The entry of one operation, by the contract's table. */
export function partnerEntry<Id extends AuditedOperation>(
  operation: Id,
  { grant, by, now }: AuditCaller,
  { patients, patient_keys, subject = null }: Seen,
  action: AuditAction = partnerAudit[operation].writes[0]!,
): AuditNote {
  return {
    at: now,
    person_id: null,
    role: null,
    credential_id: grant.credential_id,
    address: by.address,
    account_id: grant.account_id,
    action,
    subject,
    request_id: by.request_id,
    patients: [...new Set(patients)],
    ...(patient_keys && { patient_keys: [...new Set(patient_keys)] }),
    field_groups: partnerAudit[operation].groups,
  };
}

/** Queues the entry of a read. If the queue is full, the read is refused: no program sees a patient without an entry. */
export function auditRead(deps: Pick<Deps, "audit_log">, entry: AuditNote): void {
  if (!deps.audit_log.add(entry)) throw new StatusRefusal(503, 1);
}
