import type { AuditProof, AuditRoot } from "@pestle/contract";
import type { Database, Queryable } from "../../../db/db.ts";
import { newestRoot } from "../../../db/operations/audit-roots.ts";
import { listEntriesOfOrder, loadTree } from "../../../db/operations/audit-tree.ts";
import { pathOf, pathParts } from "../../../domain/operations/audit-tree.ts";
import type { Vault } from "../../../vault/vault.ts";
import { AdminRefusal } from "../../accounts/admin-refusal.ts";
import { chainAll, nodesAt } from "./chain-entries.ts";
import { rootOfRow, signNow } from "./sign-root.ts";

/**
 * Proves that the entries about an order are in the log. Signs a root if the newest one does not cover all of them. It
 * does not prove that there are no other entries.
 */
export async function proveOrder(
  deps: { db: Database; vault: Vault; now: () => Date },
  account_id: string,
  order_number: string,
): Promise<AuditProof> {
  await chainAll(deps.db);
  const entries = (await listEntriesOfOrder(deps.db, account_id, order_number)).flatMap(({ position, ...entry }) =>
    position === null ? [] : [{ position, entry }],
  );
  if (entries.length === 0)
    throw new AdminRefusal(`The audit log has no entry about order ${order_number} of account ${account_id}.`);
  const root = await coveringRoot(deps, Math.max(...entries.map(({ position }) => position)));
  const proven = [];
  for (const { position, entry } of entries)
    proven.push({ position, entry, path: await pathIn(deps.db, position, root.size) });
  return { form: 1, account_id, order_number, root, entries: proven };
}

async function coveringRoot(
  deps: { db: Database; vault: Vault; now: () => Date },
  position: number,
): Promise<AuditRoot> {
  const newest = await newestRoot(deps.db);
  if (newest === undefined || newest.size <= position) return signNow(deps);
  return rootOfRow((await loadTree(deps.db)).log_id, newest);
}

async function pathIn(db: Queryable, position: number, size: number): Promise<string[]> {
  const get = await nodesAt(db, pathParts(position, size));
  return pathOf(position, size, get).map((hash) => hash.toString("hex"));
}
