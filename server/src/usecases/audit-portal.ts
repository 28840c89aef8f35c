import type { AuditAction } from "@pestle/contract";
import { insertAudit } from "../db/audit.ts";
import type { Queryable } from "../db/db.ts";

/** Who of a partner does something, and in which request. */
export type PortalActor = { account_id: string; person_id: string; role: string; request_id: string };

/** Ids only: the log is read by others than those who may see what they stand for. */
export const auditPortal = (
  db: Queryable,
  at: Date,
  by: PortalActor,
  action: AuditAction,
  subject: string | null,
): Promise<number> => insertAudit(db, { at, action, subject, ...by });
