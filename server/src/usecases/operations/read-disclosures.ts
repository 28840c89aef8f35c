import { auditActions, spreadsheetText, writeCsv } from "@pestle/contract";
import { type AuditRow, listDisclosures } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";
import { patientIndex } from "../patients/patient-rows.ts";
import { type OpenedAudit, openAudit } from "./audit-note.ts";

type Line = OpenedAudit<AuditRow & { name: string | null }>;
const PER_PAGE = 500;

/** A patient's accounting of disclosures: everyone who saw or changed their data, newest first, page by page. */
export async function* walkDisclosures(
  deps: Pick<Deps, "db" | "vault">,
  account_id: string,
  patient_id: string,
): AsyncGenerator<Line[]> {
  const index = patientIndex(deps, account_id, patient_id);
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const rows = (await listDisclosures(deps.db, account_id, index, before, PER_PAGE)).map((row) =>
      openAudit(deps, row),
    );
    if (rows.length > 0) yield rows;
    if (rows.length < PER_PAGE) return;
    before = rows.at(-1)!.audit_id;
  }
}

const columns = ["at", "who", "role", "action", "fields", "subject", "address", "request_id"] as const;
export const disclosuresHead = writeCsv([columns]);

/** Who it was, as the log knows them. */
export const whoOf = ({ name, person_id, credential_id, account_id, os_user, role }: Omit<Line, "patients">): string =>
  name ??
  person_id ??
  (credential_id === null ? null : `credential ${account_id}-${credential_id}`) ??
  (os_user === null ? null : `command line, ${os_user}`) ??
  role ??
  "unknown";

export const disclosureLines = (rows: readonly Line[]): string =>
  writeCsv(rows.map((row) => cellsOf(row).map(spreadsheetText)));

const cellsOf = (row: Line): string[] => [
  row.at.toISOString(),
  whoOf(row),
  row.role ?? "",
  auditActions[row.action] ?? row.action,
  row.field_groups.join(" "),
  row.subject ?? "",
  row.address ?? "",
  row.request_id ?? "",
];
