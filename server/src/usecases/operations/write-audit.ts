import type { AuditAction } from "@pestle/contract";
import type { Queryable } from "../../db/db.ts";
import { insertAudit, insertAuditOnce } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";

/** The signed-in person. */
export type Looker = { person_id: string; role: string };

/**
 * Records who viewed or changed what, before the data is shown. It stores ids only, so an entry does not identify a
 * patient. A change is audited in the transaction that makes it.
 */
export const writeAudit = (
  deps: Pick<Deps, "now"> & { db: Queryable },
  { person_id, role }: Looker,
  entry: { account_id: string | null; action: AuditAction; subject: string | null },
  /** Null for a command, which is not a request. */
  request_id: string | null,
): Promise<number> => insertAudit(deps.db, { at: deps.now(), person_id, role, request_id, ...entry });

/** Repeated requests of an open page within this time count as one view. */
const ONE_LOOK_MS = 5 * 60 * 1000;

/** The same for data that an open page requests repeatedly. */
export function writeLook(
  { db, now }: Pick<Deps, "db" | "now">,
  { person_id, role }: Looker,
  entry: { account_id: string | null; action: AuditAction; subject: string },
  request_id: string,
): Promise<number> {
  const at = now();
  return insertAuditOnce(db, { at, person_id, role, request_id, ...entry }, new Date(at.getTime() - ONE_LOOK_MS));
}
