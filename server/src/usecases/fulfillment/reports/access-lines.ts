import { auditActions } from "@pestle/contract";
import { type AuditRow, listAuditOf, listDisclosuresIn } from "../../../db/operations/audit.ts";
import { withKeysOfNow } from "../../../vault/vault.ts";
import { openAudit } from "../../operations/audit-note.ts";
import { whoOf } from "../../operations/read-disclosures.ts";
import { patientIndex } from "../../patients/patient-rows.ts";
import {
  type AskedReport,
  type Days,
  localTime,
  paged,
  type ReportDeps,
  type ReportLine,
  ROWS_AT_ONCE,
} from "./report-source.ts";

type Row = AuditRow & { name: string | null };

/** Entries of the audit log: of a person, oldest first, or about a patient, newest first. */
export async function* accessLines(
  deps: ReportDeps,
  someone: NonNullable<AskedReport["someone"]>,
  days: Days,
): AsyncGenerator<ReportLine<"access">> {
  const rows = "person_id" in someone ? personRows(deps, someone.person_id, days) : patientRows(deps, someone, days);
  for await (const sealed of rows) {
    const row = await withKeysOfNow(deps, async () => openAudit(deps, sealed));
    yield {
      at: row.at,
      account_id: row.account_id,
      patient_key: null,
      cells: {
        at: localTime(deps, row.at),
        who: whoOf(row),
        role: row.role ?? "",
        action: auditActions[row.action] ?? row.action,
        subject: row.subject ?? "",
        patients: row.patients.join(" "),
        fields: row.field_groups.join(" "),
        address: row.address ?? "",
      },
    };
  }
}

const personRows = (deps: ReportDeps, person_id: string, { from, before }: Days): AsyncGenerator<Row> =>
  paged((last) => listAuditOf(deps.db, person_id, last ?? { at: from, audit_id: 0 }, before, ROWS_AT_ONCE));

function patientRows(
  deps: ReportDeps,
  { account_id, patient_id }: { account_id: string; patient_id: string },
  { from, before }: Days,
): AsyncGenerator<Row> {
  const index = patientIndex(deps, account_id, patient_id);
  const days = { from, until: before };
  return paged((last) =>
    listDisclosuresIn(deps.db, account_id, index, last?.audit_id ?? Number.MAX_SAFE_INTEGER, days, ROWS_AT_ONCE),
  );
}
