import type { AuditAction } from "@pestle/contract";
import { insertAudit } from "../db/audit.ts";
import type { Queryable } from "../db/db.ts";
import type { Deps } from "../deps.ts";

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
