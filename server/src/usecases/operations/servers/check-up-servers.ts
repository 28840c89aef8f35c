import type { Queryable } from "../../../db/db.ts";
import { distributionState } from "../../../db/operations/distribution.ts";
import { countUnhealthyParts, listBrokenPaths, listBusyAccounts, listServers } from "../../../db/operations/servers.ts";
import { type Finding, finding } from "../check-up.ts";
import { named } from "./spread.ts";

const MOST_BUSY = 3;
/** An account with more than this share of what the busiest send should have parts of its own. */
const TOO_BUSY = 0.75;
const PERMISSION_DENIED = "42501";

/** The servers that share the tables of the accounts. None if all tables are on one. */
export async function checkServers(db: Queryable): Promise<Finding[]> {
  const state = await distributionState(db);
  if (state === "none") return [];
  if (state !== "spread")
    return [
      finding(
        "servers",
        "failed",
        `a run was interrupted: run \`pestle distribute${state === "gathering" ? " --undo" : ""}\` again`,
      ),
    ];
  return [await checkWorkers(db), await checkParts(db), await checkPaths(db), await checkBusy(db)];
}

async function checkWorkers(db: Queryable): Promise<Finding> {
  const servers = await listServers(db);
  const off = servers.filter(({ active }) => !active);
  if (off.length > 0)
    return finding(
      "servers",
      "failed",
      `${off.map(named).join(", ")} takes no part: select citus_activate_node on the coordinator`,
    );
  const each = servers.map((one) => `${named(one)} ${one.shards} parts, ${mebibytes(one.bytes)} MiB`);
  return finding("servers", "ok", each.join("; "));
}

async function checkParts(db: Queryable): Promise<Finding> {
  const count = await countUnhealthyParts(db);
  if (count === 0) return finding("parts of tables", "ok", "a server that takes part holds each");
  return finding("parts of tables", "failed", `no server that takes part holds ${count}: see pg_dist_placement`);
}

async function checkPaths(db: Queryable): Promise<Finding> {
  const what = "paths between servers";
  return permitted(what, async () => {
    const broken = await listBrokenPaths(db);
    if (broken.length === 0) return finding(what, "ok", "each server reaches each other one");
    return finding(what, "failed", `no connection from ${broken.join(", ")}: check pg_hba.conf and .pgpass there`);
  });
}

async function checkBusy(db: Queryable): Promise<Finding> {
  const what = "busy accounts";
  return permitted(what, async () => {
    const accounts = await listBusyAccounts(db, MOST_BUSY);
    if (accounts.length === 0)
      return finding(what, "ok", "not counted: set citus.stat_tenants_track = 'all' on the workers to see them");
    const all = accounts.reduce((sum, { queries }) => sum + queries, 0);
    const each = accounts.map(
      ({ account_id, queries, cpu_s }) => `${account_id} ${queries} statements, ${cpu_s} s CPU`,
    );
    const [first] = accounts;
    const too_busy = accounts.length === MOST_BUSY && first !== undefined && first.queries > all * TOO_BUSY;
    return finding(
      what,
      too_busy ? "warning" : "ok",
      too_busy ? `${each.join("; ")}: run \`pestle distribute --isolate ${first.account_id}\`` : each.join("; "),
    );
  });
}

/** The role of the jobs may not ask this. The owner may. */
const permitted = async (what: string, check: () => Promise<Finding>): Promise<Finding> => {
  try {
    return await check();
  } catch (error) {
    if ((error as { code?: string }).code !== PERMISSION_DENIED) throw error;
    return finding(what, "ok", "not checked: the role of DATABASE_JOBS_URL is not a member of pg_monitor");
  }
};

const mebibytes = (bytes: number) => Math.ceil(bytes / 1024 ** 2);
