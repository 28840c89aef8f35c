import type { AuditAction } from "@pestle/contract";
import type { Queryable } from "../../db/db.ts";
import { insertAudit, insertAuditOnce } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";

/** Whoever is signed in. */
export type Looker = { person_id: string; role: string };

/**
 * Writes down who looked at what, or did what, before it is shown. Ids only: an entry tells nobody who a patient is.
 * What is changed in a transaction is written down in the same one.
 */
export const writeAudit = (
  deps: Pick<Deps, "now"> & { db: Queryable },
  { person_id, role }: Looker,
  entry: { account_id: string | null; action: AuditAction; subject: string | null },
  request_id: string,
): Promise<number> => insertAudit(deps.db, { at: deps.now(), person_id, role, request_id, ...entry });

/** Whoever stays with something looks at it once, however often the page asks for it meanwhile. */
const ONE_LOOK_MS = 5 * 60 * 1000;

/** The same for what a page asks for again and again. */
export function writeLook(
  { db, now }: Pick<Deps, "db" | "now">,
  { person_id, role }: Looker,
  entry: { account_id: string | null; action: AuditAction; subject: string },
  request_id: string,
): Promise<number> {
  const at = now();
  return insertAuditOnce(db, { at, person_id, role, request_id, ...entry }, new Date(at.getTime() - ONE_LOOK_MS));
}
