import type { Database, Queryable } from "../../../db/db.ts";
import {
  claimDestination,
  listDestinations,
  listRoots,
  noteFailed,
  noteShipped,
  releaseDestination,
} from "../../../db/operations/audit-roots.ts";
import { findTree } from "../../../db/operations/audit-tree.ts";
import type { Deps } from "../../../deps.ts";
import { rootOfRow } from "./sign-root.ts";

/** Roots per delivery. */
const BATCH = 200;
/** Longer than one delivery takes, so that no other process repeats it. */
const LEASE_MS = 60_000;
const MOST_FAULT_CHARACTERS = 200;

/**
 * Sends each destination the roots that it does not have, in order. A failed delivery stays due, and the next run repeats
 * it; the destination's row says since when and why.
 */
export async function shipRoots(deps: Pick<Deps, "roots_to" | "now"> & { db: Database }): Promise<void> {
  const tree = await findTree(deps.db);
  if (tree === undefined) return;
  for (const destination of deps.roots_to) while (await shipSome(deps, tree.log_id, destination));
}

/** Whether the destination may have more to receive. */
async function shipSome(
  { db, now }: Pick<Deps, "now"> & { db: Database },
  log_id: string,
  { name, deliver }: Deps["roots_to"][number],
): Promise<boolean> {
  const started = now();
  const claimed = await claimDestination(db, name, started, new Date(started.getTime() + LEASE_MS));
  if (claimed === undefined) return false;
  const roots = await listRoots(db, claimed.shipped_number, BATCH);
  const lines = roots.map((root) => JSON.stringify(rootOfRow(log_id, root)));
  const fault = roots.length === 0 ? undefined : await deliver(lines).then(() => undefined, faultOf);
  if (fault !== undefined) await noteFailed(db, name, now(), fault);
  else if (roots.length > 0) await noteShipped(db, name, roots.at(-1)!.root_number, now());
  await releaseDestination(db, name);
  return fault === undefined && roots.length === BATCH;
}

/** The roots that each destination has not received. */
export async function unshippedRoots(
  db: Queryable,
  names: readonly string[],
): Promise<{ name: string; waiting: number; failing_since: Date | null; fault: string | null }[]> {
  const rows = new Map((await listDestinations(db)).map((row) => [row.destination, row]));
  return names.map((name) => {
    const { waiting = 0, failing_since = null, fault = null } = rows.get(name) ?? {};
    return { name, waiting, failing_since, fault };
  });
}

function faultOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string } };
  const code = (error as { code?: string }).code ?? cause?.code;
  const text = name === "TimeoutError" ? "no answer in time" : (code ?? message);
  return text.slice(0, MOST_FAULT_CHARACTERS);
}
