import type { AuditAction } from "@pestle/contract";
import type { Queryable, Tx } from "../../db/db.ts";
import { insertAudit } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";
import { transact } from "../write.ts";
import { writeLook } from "./write-audit.ts";

/** A person of a partner, and the request they made. */
export type PortalActor = { account_id: string; person_id: string; role: string; request_id: string };

/** Ids only: people who may not see patients read the log too. */
export const auditPortal = (
  db: Queryable,
  at: Date,
  by: PortalActor,
  action: AuditAction,
  subject: string | null,
): Promise<number> => insertAudit(db, { at, action, subject, ...by });

/** Records that a person sees patient data, before it is shown. */
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
