import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "../../../db/db.ts";
import { distributionState, type Host, listWorkers } from "../../../db/operations/distribution.ts";
import {
  addWorker,
  findAccount,
  isolateAccount,
  rebalanceState,
  startRebalancing,
  type TransferMode,
  transferMode,
} from "../../../db/operations/servers.ts";
import { AdminRefusal } from "../../accounts/admin-refusal.ts";
import { addExtensions, type OpenWorker, requireWorkers } from "./spread.ts";

const LOOK_AFTER_MS = 500;

/** Gives one account parts of the tables that it shares with no other. The service may run. */
export async function isolate(db: Database, account_id: string): Promise<{ account_id: string; mode: TransferMode }> {
  await requireSpread(db);
  const found = await findAccount(db, account_id);
  if (found === undefined) throw new AdminRefusal(`There is no account ${account_id}. See \`pestle partner list\`.`);
  const mode = await transferMode(db);
  // Citus would refuse the second time.
  if (found.others > 0) await isolateAccount(db, account_id, mode);
  return { account_id, mode };
}

/** Moves parts of tables until the workers hold equally much. The service may run. */
export async function rebalance(
  db: Database,
  workers: readonly Host[],
  openWorker: OpenWorker,
  progress: (state: string, done: number, of: number) => void,
): Promise<{ moved: number; mode: TransferMode }> {
  await requireSpread(db);
  if (workers.length > 0) {
    await requireWorkers(db, workers, openWorker, await listWorkers(db));
    await addExtensions(workers, openWorker);
  }
  for (const host of workers) await addWorker(db, host);
  const mode = await transferMode(db);
  const job = await startRebalancing(db, mode);
  if (job === null) return { moved: 0, mode };
  for (;;) {
    const { state, done, of } = await rebalanceState(db, job);
    progress(state, done, of);
    if (state === "finished") return { moved: done, mode };
    if (["failed", "cancelled"].includes(state))
      throw new AdminRefusal(
        `The move of parts ${state}. See \`select * from citus_rebalance_status()\`, and run this again.`,
      );
    await delay(LOOK_AFTER_MS);
  }
}

async function requireSpread(db: Database): Promise<void> {
  if ((await distributionState(db)) !== "spread")
    throw new AdminRefusal("The tables are on one server. Run `pestle distribute --worker HOST:PORT` first.");
}
