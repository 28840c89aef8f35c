import { fieldGroupsOf, reportRow } from "@pestle/contract";
import { type AuditEntry, insertAudits } from "../../../db/operations/audit.ts";
import type { Deps } from "../../../deps.ts";
import { auditedPatients } from "../../operations/audit-note.ts";
import type { AskedReport } from "./report-source.ts";
import type { ReportRow } from "./walk-report.ts";

/** Who reads a report: a person at the screen, or a user of the operating system. */
export type Reader = Pick<AuditEntry, "person_id" | "role" | "os_user" | "address" | "request_id">;

const subjectOf = ({ report, from, to }: AskedReport) =>
  from === to ? `${report} ${from}` : `${report} ${from} ${to}`;

/** Records who reads which report, before its first row. A report about a patient names the patient. */
export const auditReport = (
  deps: Pick<Deps, "db" | "vault" | "now">,
  by: Reader,
  action: "report_viewed" | "report_exported",
  asked: AskedReport,
): Promise<number> => {
  const { someone } = asked;
  const about =
    someone !== null && "patient_id" in someone
      ? { account_id: someone.account_id, patients: auditedPatients(deps, someone.account_id, [someone.patient_id]) }
      : { account_id: null };
  const groups = reportRow(asked.report).groups;
  const field_groups = groups.length === 0 ? fieldGroupsOf(action) : groups;
  return insertAudits(deps.db, [{ ...by, at: deps.now(), action, subject: subjectOf(asked), field_groups, ...about }]);
};

/** Records the patients of some rows, an entry for each account, before the rows leave. */
export async function auditRows(
  deps: Pick<Deps, "db" | "now">,
  by: Reader,
  action: "report_viewed" | "report_exported",
  asked: AskedReport,
  rows: readonly ReportRow[],
): Promise<void> {
  const keys = new Map<string, Set<number>>();
  for (const { account_id, patient_key } of rows) {
    if (account_id === null || patient_key === null) continue;
    keys.set(account_id, (keys.get(account_id) ?? new Set()).add(patient_key));
  }
  if (keys.size === 0) return;
  const entry = {
    ...by,
    at: deps.now(),
    action,
    subject: subjectOf(asked),
    field_groups: reportRow(asked.report).groups,
  };
  await insertAudits(
    deps.db,
    [...keys].map(([account_id, patients]) => ({ ...entry, account_id, patient_keys: [...patients] })),
  );
}
