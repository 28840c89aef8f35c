import type { AuditAction } from "@pestle/contract";
import type { Queryable, Tx } from "../../db/db.ts";
import { insertAudit } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { writeLook } from "./write-audit.ts";

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

/** That somebody saw what tells of a patient, before it is shown. */
export const auditView = (
  deps: Pick<Deps, "db" | "now">,
  by: PortalActor,
  action: "order_viewed" | "event_viewed",
  subject: string,
): Promise<number> => writeLook(deps, by, { account_id: by.account_id, action, subject }, by.request_id);

/** Does something in a transaction: that it was done is written down with it, or neither is. */
export function audited<Done>(
  deps: Pick<Deps, "db" | "vault" | "now">,
  by: PortalActor,
  work: (tx: Tx, now: Date) => Promise<{ action: AuditAction; subject: string; done: Done }>,
): Promise<Done> {
  return withKeysOfNow(deps, () =>
    deps.db.transaction(async (tx) => {
      const now = deps.now();
      const { action, subject, done } = await work(tx, now);
      await auditPortal(tx, now, by, action, subject);
      return done;
    }),
  );
}
