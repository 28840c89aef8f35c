import { type AuditRoot, leafHash, rootIsSignedBy } from "@pestle/contract";
import type { Database, Tx } from "../../../db/db.ts";
import { listAuditKeys, listRoots } from "../../../db/operations/audit-roots.ts";
import {
  findDrop,
  findTree,
  idsBetween,
  listLeaves,
  listWithoutLeaf,
  loadNodes,
  type TreeState,
} from "../../../db/operations/audit-tree.ts";
import { FAN, openTree, partsOf, type StoredNode, type Tree } from "../../../domain/operations/audit-tree.ts";
import { BrokenTree, nodesAt } from "./chain-entries.ts";

type AuditFault = {
  /**
   * `changed`, `missing`, `inserted`: one entry. `rewritten`: entries of a range, because the tree leads to another root
   * than the one that was signed. `truncated`: the end is missing. `unsigned`: a root without a valid signature.
   */
  kind: "changed" | "missing" | "inserted" | "rewritten" | "truncated" | "unsigned";
  /** The entry's number, if the fault is about one. */
  audit_id: number | null;
  says: string;
};
type VerifiedLog = {
  entries: number;
  /** Committed, but not in the tree yet. */
  not_chained: number;
  roots: number;
  shipped_roots: number;
  /** Shipped roots of entries that are past their retention. */
  too_old: number;
  faults: AuditFault[];
  /** The list stops here. */
  more_faults: boolean;
};

const PAGE = 2_000;
/** No entry is dropped before it is a year old (`drop_audit_entries`). */
const LEAST_KEPT_MS = 365 * 24 * 3600 * 1000;
const MOST_FAULTS = 200;

/**
 * Compares every entry with its hash, the hashes with the tree, and the tree with every signed root, both stored and
 * shipped. Reads one snapshot, so that it can run while the service writes.
 */
export const verifyLog = (
  db: Database,
  /** Roots that were shipped elsewhere, and public keys (PEM) that are trusted in place of those in the database. */
  given: { shipped?: readonly AuditRoot[]; public_keys?: readonly string[] } = {},
  onProgress: (entries: number) => void = () => {},
): Promise<VerifiedLog> =>
  db.transaction(async (tx) => {
    const faults: AuditFault[] = [];
    const report = (kind: AuditFault["kind"], audit_id: number | null, says: string) => {
      if (faults.length <= MOST_FAULTS) faults.push({ kind, audit_id, says });
    };
    const found = await findTree(tx);
    const state = found ?? { log_id: "", size: 0, settled_id: 0, dropped_size: 0 };
    const { checkpoints, stored, too_old } = await loadCheckpoints(tx, state, given, report);
    await checkDrop(tx, state, checkpoints, report);
    const walked = await walkLeaves(tx, state, new Set(checkpoints.map(({ size }) => size)), report, onProgress);
    await compareRoots(tx, checkpoints, walked.roots, state.size, report);
    const not_chained = await findInserted(tx, state, report);
    return {
      entries: walked.entries,
      not_chained,
      roots: stored,
      shipped_roots: given.shipped?.length ?? 0,
      too_old,
      faults: faults.slice(0, MOST_FAULTS),
      more_faults: faults.length > MOST_FAULTS,
    };
  }, "repeatable read");

type Report = (kind: AuditFault["kind"], audit_id: number | null, says: string) => void;
/** What the tree of the first `size` entries must lead to. */
type Checkpoint = { size: number; root: string; at: string; shipped: boolean };

/** The stored and the shipped roots whose signature is valid. */
async function loadCheckpoints(
  tx: Tx,
  state: TreeState,
  { shipped = [], public_keys }: { shipped?: readonly AuditRoot[]; public_keys?: readonly string[] },
  report: Report,
): Promise<{ checkpoints: Checkpoint[]; stored: number; too_old: number }> {
  const trusted = public_keys ?? (await listAuditKeys(tx)).map(({ public_key }) => public_key);
  const isSigned = (root: AuditRoot) => trusted.some((public_key) => rootIsSignedBy(root, public_key));
  const checkpoints: Checkpoint[] = [];
  let [stored, too_old, last] = [0, 0, 0];
  const oldest = state.dropped_size - (state.dropped_size % FAN);
  const check = (root: AuditRoot, from: string) => {
    if (!isSigned(root)) {
      const hint = from === "shipped" ? "" : " Someone replaced it, or the key.";
      report("unsigned", null, `The ${from} root of ${root.at} (size ${root.size}) has no valid signature.${hint}`);
      return;
    }
    if (root.size < oldest) too_old += from === "shipped" ? 1 : 0;
    else checkpoints.push({ size: root.size, root: root.root, at: root.at, shipped: from === "shipped" });
  };
  for (;;) {
    const rows = await listRoots(tx, last, PAGE);
    for (const { size, root_hash, at, key_id, signature } of rows) {
      const root = { form: 1, log_id: state.log_id, size, root: root_hash.toString("hex") } as const;
      check({ ...root, at: at.toISOString(), key_id, signature }, "stored");
    }
    stored += rows.length;
    if (rows.length < PAGE) break;
    last = rows.at(-1)!.root_number;
  }
  for (const root of shipped) check(root, "shipped");
  return { checkpoints: checkpoints.toSorted((a, b) => a.size - b.size), stored, too_old };
}

/** Below the retention, entries may be gone only up to a signed root, at least a year after it, and on record. */
async function checkDrop(
  tx: Tx,
  { dropped_size }: TreeState,
  checkpoints: readonly Checkpoint[],
  report: Report,
): Promise<void> {
  if (dropped_size === 0) return;
  const drop = await findDrop(tx, dropped_size);
  const signed = checkpoints.some(
    ({ size, at }) =>
      size === dropped_size && drop !== undefined && Date.parse(at) <= drop.at.getTime() - LEAST_KEPT_MS,
  );
  if (!signed)
    report("missing", null, `The first ${dropped_size} entries are gone, and no entry and no old root allows it.`);
}

/** Hashes every entry again and builds the tree. Returns its roots at the wanted sizes, up to the first gap. */
async function walkLeaves(
  tx: Tx,
  { size, dropped_size }: TreeState,
  wanted: ReadonlySet<number>,
  report: Report,
  onProgress: (entries: number) => void,
): Promise<{ entries: number; roots: Map<number, string> }> {
  const first = dropped_size - (dropped_size % FAN);
  const roots = new Map<number, string>();
  const tree = await openStored(tx, first, report);
  let whole = tree !== undefined;
  const note = () => {
    if (tree !== undefined && whole && wanted.has(tree.size)) roots.set(tree.size, tree.root().toString("hex"));
  };
  note();
  let next = first;
  let entries = 0;
  for (;;) {
    const leaves = await listLeaves(tx, next, PAGE);
    const completed: StoredNode[] = [];
    for (const { position, leaf_audit_id, hash, entry } of leaves) {
      if (position !== next) {
        const places = position === next + 1 ? `${next}` : `${next} to ${position - 1}`;
        report("missing", null, `The tree lacks the entries at position ${places}.`);
        whole = false;
      }
      next = position + 1;
      if (entry !== null) entries += 1;
      if (entry === null && position >= dropped_size)
        report("missing", leaf_audit_id, `Entry ${leaf_audit_id} (position ${position}) was deleted.`);
      if (entry !== null && !leafHash(entry).equals(hash))
        report("changed", leaf_audit_id, `Entry ${leaf_audit_id} (position ${position}) is not as it was written.`);
      if (tree !== undefined && whole) completed.push(...tree.add(hash));
      note();
    }
    if (whole) await compareNodes(tx, completed, report);
    onProgress(next);
    if (leaves.length < PAGE) break;
  }
  if (next < size) report("missing", null, `The tree lacks the entries at position ${next} to ${size - 1}.`);
  return { entries, roots };
}

async function openStored(tx: Tx, size: number, report: Report): Promise<Tree | undefined> {
  try {
    return openTree(size, await nodesAt(tx, partsOf(size)));
  } catch (error) {
    if (!(error instanceof BrokenTree)) throw error;
    report("missing", null, error.message);
    return undefined;
  }
}

/** A node is the root of 256 entries, or of 256 other nodes. */
async function compareNodes(tx: Tx, completed: readonly StoredNode[], report: Report): Promise<void> {
  if (completed.length === 0) return;
  const stored = new Map((await loadNodes(tx, completed)).map((node) => [`${node.level} ${node.place}`, node.hash]));
  for (const { level, place, hash } of completed) {
    if (stored.get(`${level} ${place}`)?.equals(hash)) continue;
    const leaves = 2 ** level;
    const [first, end] = [place * leaves, (place + 1) * leaves];
    report(
      "rewritten",
      null,
      `${await range(tx, first, end)} do not lead to the stored hash of their part of the tree.`,
    );
  }
}

/** The first root that does not fit shows where the log was rewritten: after the last one that does. */
async function compareRoots(
  tx: Tx,
  checkpoints: readonly Checkpoint[],
  roots: ReadonlyMap<number, string>,
  size: number,
  report: Report,
): Promise<void> {
  let good = 0;
  let told = false;
  for (const { size: at_size, root, at, shipped } of checkpoints) {
    const named = `the ${shipped ? "shipped" : "stored"} root of ${at}`;
    if (at_size > size) {
      const lost = at_size - size;
      const says = `The log has ${size} entries, but ${named} covers ${at_size}: at least ${lost} are missing at the end.`;
      report("truncated", null, says);
      return;
    }
    const reached = roots.get(at_size);
    if (reached === root) good = at_size;
    // After a gap, no root can be computed. The gap is already a fault.
    else if (reached !== undefined && !told) {
      report("rewritten", null, `${await range(tx, Math.min(good, at_size - 1), at_size)} do not lead to ${named}.`);
      told = true;
    }
  }
}

async function range(tx: Tx, first: number, end: number): Promise<string> {
  const { first_id, last_id } = await idsBetween(tx, Math.max(first, 0), end);
  const ids = first_id === null ? "" : ` (entries ${first_id} to ${last_id})`;
  return `The entries at position ${Math.max(first, 0)} to ${end - 1}${ids}`;
}

/** Entries that the job must have seen and did not. Returns how many newer ones it has not reached yet. */
async function findInserted(tx: Tx, { settled_id }: TreeState, report: Report): Promise<number> {
  const more = async function* (from: number, until: number) {
    for (let after = from; ; ) {
      const ids = await listWithoutLeaf(tx, after, until, PAGE);
      yield ids;
      if (ids.length < PAGE) return;
      after = ids.at(-1)!;
    }
  };
  for await (const ids of more(-1, settled_id))
    for (const id of ids) report("inserted", id, `Entry ${id} was added later, and it is not in the tree.`);
  let not_chained = 0;
  for await (const ids of more(settled_id, Number.MAX_SAFE_INTEGER)) not_chained += ids.length;
  return not_chained;
}
