import { leafHash } from "@pestle/contract";
import type { Database, Queryable } from "../../../db/db.ts";
import {
  appendLeaves,
  listUnchained,
  listWriters,
  loadNodes,
  loadTree,
  lockTree,
  newestEntry,
  settleEntries,
} from "../../../db/operations/audit-tree.ts";
import { type GetNode, type NodePlace, openTree, partsOf } from "../../../domain/operations/audit-tree.ts";

/** Entries per transaction. Hashing them takes a few milliseconds of the process. */
const BATCH = 500;

export type EntryChainer = { run(): Promise<number> };

/**
 * Appends the hashes of committed entries to the tree. An entry takes its number before it commits, so a smaller number
 * can appear later. The job therefore looks again at every entry above `settled_id`. That number grows only after all
 * transactions that could hold a smaller number have ended.
 */
export function entryChainer(db: Database): EntryChainer {
  let seen: { audit_id: number; writers: readonly string[] } | undefined;
  return {
    async run() {
      const open = new Set(seen === undefined ? [] : await listWriters(db));
      const ended = seen !== undefined && !seen.writers.some((writer) => open.has(writer));
      // Reads after the check, so it sees what those transactions committed.
      const chained = await chainAll(db);
      if (seen !== undefined && ended) await settleEntries(db, seen.audit_id);
      if (seen === undefined || ended) {
        // In this order: a transaction with a smaller number than this one holds its lock already, or has ended.
        const audit_id = await newestEntry(db);
        seen = { audit_id, writers: await listWriters(db) };
      }
      return chained;
    },
  };
}

/** Appends every committed entry. Returns how many. */
export async function chainAll(db: Database): Promise<number> {
  let { settled_id: after } = await loadTree(db);
  let total = 0;
  for (;;) {
    const { count, last_id } = await chainSome(db, after);
    total += count;
    if (count < BATCH) return total;
    after = last_id;
  }
}

const chainSome = (db: Database, after: number): Promise<{ count: number; last_id: number }> =>
  db.transaction(async (tx) => {
    await lockTree(tx);
    const { size } = await loadTree(tx);
    const entries = await listUnchained(tx, after, BATCH);
    if (entries.length === 0) return { count: 0, last_id: after };
    const tree = openTree(size, await nodesAt(tx, partsOf(size)));
    const leaves = entries.map((entry) => ({ audit_id: entry.audit_id, hash: leafHash(entry) }));
    const completed = leaves.flatMap(({ hash }) => tree.add(hash));
    await appendLeaves(tx, size, leaves, completed);
    return { count: leaves.length, last_id: leaves.at(-1)!.audit_id };
  });

/** Loads stored hashes, for reading them one by one. */
export async function nodesAt(db: Queryable, wanted: readonly NodePlace[]): Promise<GetNode> {
  const found = new Map<string, Buffer>();
  for (const { level, place, hash } of wanted.length === 0 ? [] : await loadNodes(db, wanted))
    found.set(`${level} ${place}`, hash);
  return (level, place) => {
    const hash = found.get(`${level} ${place}`);
    if (hash === undefined) throw new BrokenTree(`The audit tree lacks the hash ${place} of level ${level}.`);
    return hash;
  };
}

/** A stored hash is gone. `pestle audit verify` reports it. */
export class BrokenTree extends Error {}
