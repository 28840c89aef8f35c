import type { AuditAction } from "@pestle/contract";
import type { Queryable, Tx } from "../../db/db.ts";
import { insertAudit } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";
import { transact } from "../write.ts";
import { writeLook } from "./write-audit.ts";

/** A partner's user and their request. */
export type PortalActor = { account_id: string; person_id: string; role: string; request_id: string };

/** Writes ids only, because people without access to patient data read the log too. */
export const auditPortal = (
  db: Queryable,
  at: Date,
  by: PortalActor,
  action: AuditAction,
  subject: string | null,
): Promise<number> => insertAudit(db, { at, action, subject, ...by });

/** Records a view of patient data before the person sees it. */
export const auditView = (
  deps: Pick<Deps, "db" | "now">,
  by: PortalActor,
  action: "order_viewed" | "event_viewed",
  subject: string,
): Promise<number> => writeLook(deps, by, { account_id: by.account_id, action, subject }, by.request_id);

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
