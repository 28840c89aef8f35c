import { type AuditAction, fieldGroupsOf } from "@pestle/contract";
import type { Queryable, Tx } from "../../db/db.ts";
import { insertAudit } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";
import { transact } from "../write.ts";
import { auditedPatients } from "./audit-note.ts";
import { type Looker, writeLook } from "./write-audit.ts";

/** A partner's user and their request. */
export type PortalActor = Looker & { account_id: string; request_id: string };

/** Writes ids only, because people without access to patient data read the log too. */
export const auditPortal = (
  db: Queryable,
  at: Date,
  by: PortalActor,
  action: AuditAction,
  subject: string | null,
): Promise<number> => {
  const { person_id, role, address = null, account_id, request_id } = by;
  const field_groups = fieldGroupsOf(action);
  return insertAudit(db, { at, action, subject, person_id, role, address, account_id, request_id, field_groups });
};

/** Records a view of patient data before the person sees it. */
export const auditView = (
  deps: Pick<Deps, "db" | "now">,
  by: PortalActor,
  action: "order_viewed" | "messages_viewed" | "event_viewed",
  subject: string,
): Promise<number> => writeLook(deps, by, { account_id: by.account_id, action, subject }, by.request_id);

/** Records that a list with patients was shown. */
export const auditListing = (
  deps: Pick<Deps, "db" | "vault" | "now">,
  by: PortalActor,
  rows: readonly { patient_id: string }[],
  action: "orders_listed" | "continuity_read" | "schedules_read" = "orders_listed",
): Promise<number> => {
  const ids = [...new Set(rows.map(({ patient_id }) => patient_id))];
  const patients = auditedPatients(deps, by.account_id, ids);
  const entry = { account_id: by.account_id, action, subject: "portal", patients };
  return writeLook(deps, by, entry, by.request_id);
};

/** Makes a change and its audit entry in one transaction. */
export function audited<Done>(
  deps: Pick<Deps, "db" | "vault" | "now">,
  by: PortalActor,
  work: (tx: Tx, now: Date) => Promise<{ action: AuditAction; subject: string; done: Done }>,
): Promise<Done> {
  return transact(deps, async (tx) => {
    const now = deps.now();
    const { action, subject, done } = await work(tx, now);
    await auditPortal(tx, now, by, action, subject);
    return done;
  });
}
