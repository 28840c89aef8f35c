import type { Config } from "../../../config.ts";
import type { Database } from "../../../db/db.ts";
import { insertAudit } from "../../../db/operations/audit.ts";
import { newestRootBefore } from "../../../db/operations/audit-roots.ts";
import { dropEntries, loadTree, lockTree, noteDropped } from "../../../db/operations/audit-tree.ts";
import { inBites } from "../../webhooks/tidy-webhooks.ts";

const BITE = 5_000;

/** The words of the entry that records a drop. `verifyLog` reads the size. */
const droppedSubject = (size: number, root: Buffer) => `${size} entries, up to root ${root.toString("hex")}`;

/**
 * Drops the entries that a root older than the retention covers: a whole prefix of the tree, so that its root still
 * verifies. First the log records it, then the rows go. Returns how many.
 */
export async function dropOldEntries({
  db,
  config,
  now,
}: {
  db: Database;
  config: Pick<Config, "AUDIT_RETENTION_YEARS">;
  now: () => Date;
}): Promise<number> {
  const at = now();
  const before = new Date(at);
  before.setUTCFullYear(at.getUTCFullYear() - config.AUDIT_RETENTION_YEARS);
  await db.transaction(async (tx) => {
    await lockTree(tx);
    const root = await newestRootBefore(tx, before);
    if (root === undefined || root.size <= (await loadTree(tx)).dropped_size) return;
    await noteDropped(tx, root.size);
    const by = { person_id: null, role: "system", account_id: null, request_id: null };
    await insertAudit(tx, { at, action: "audit_dropped", subject: droppedSubject(root.size, root.root_hash), ...by });
  });
  return inBites(BITE, () => dropEntries(db, BITE));
}
