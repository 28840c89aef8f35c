import type { Database, Queryable } from "../db.ts";
import type { Host } from "./distribution.ts";

/** What decides whether a PostgreSQL can hold a part of the tables. */
export type ServerFacts = {
  database: string;
  version: number;
  server_version: string;
  /** The version of the extension that is installed on the machine; null without it. */
  citus: string | null;
  preloaded: boolean;
  superuser: boolean;
  /** How many tables of others are in the way. */
  tables: number;
};

export async function loadServer(db: Queryable): Promise<ServerFacts> {
  const { rows } = await db.raw(
    `select current_database()::text as database, current_setting('server_version_num')::integer / 10000 as version,
      split_part(current_setting('server_version'), ' ', 1) as server_version,
      (select e.default_version from pg_available_extensions e where e.name = 'citus') as citus,
      current_setting('shared_preload_libraries') ~ '\\mcitus\\M' as preloaded,
      (select r.rolsuper from pg_roles r where r.rolname = current_user) as superuser,
      (
        select count(*)::integer
        from pg_class c
        where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')) as tables`,
  );
  return rows[0] as ServerFacts;
}

export const addExtension = (db: Queryable) => db.raw("create extension if not exists citus");

export type ServerUse = Host & { active: boolean; shards: number; bytes: number };

/** The workers of a spread database, with how much each holds. */
export async function listServers(db: Queryable): Promise<ServerUse[]> {
  const { rows } = await db.raw(
    `select n.nodename as host, n.nodeport as port, n.isactive as active, count(distinct s.shardid)::integer as shards,
      coalesce(sum(s.shard_size), 0)::bigint as bytes
    from pg_dist_node n
    left join citus_shards s on s.nodename = n.nodename and s.nodeport = n.nodeport
    where n.groupid <> 0
    group by n.nodeid
    order by n.nodeid`,
  );
  return rows as ServerUse[];
}

/** Connections from each server to each other that fail. */
export async function listBrokenPaths(db: Queryable): Promise<string[]> {
  const { rows } = await db.raw(
    `select format('%s:%s to %s:%s', h.from_nodename, h.from_nodeport, h.to_nodename, h.to_nodeport) as path
    from citus_check_cluster_node_health() h
    where h.result is not true
    order by 1`,
  );
  return rows.map(({ path }) => String(path));
}

/** Parts of tables that no server serves, or that one serves which takes part no longer. */
export async function countUnhealthyParts(db: Queryable): Promise<number> {
  const { rows } = await db.raw(
    `select count(*)::integer as count
    from pg_dist_shard s
    left join pg_dist_placement p on p.shardid = s.shardid
    left join pg_dist_node n on n.groupid = p.groupid
    where p.placementid is null or n.nodeid is null or not n.isactive or p.shardstate <> 1`,
  );
  return Number(rows[0]?.["count"]);
}

export type BusyAccount = { account_id: string; queries: number; cpu_s: number };

/** The accounts with the most statements in this period and the last. Empty unless citus.stat_tenants_track is on. */
export async function listBusyAccounts(db: Queryable, most: number): Promise<BusyAccount[]> {
  const { rows } = await db.raw(
    `select t.tenant_attribute as account_id,
      sum(t.query_count_in_this_period + t.query_count_in_last_period)::integer as queries,
      round(sum(t.cpu_usage_in_this_period + t.cpu_usage_in_last_period)::numeric, 2)::real as cpu_s
    from citus_stat_tenants t
    where t.tenant_attribute is not null
    group by 1
    order by 2 desc
    limit $1`,
    [most],
  );
  return rows as BusyAccount[];
}

/** The server and the size of the parts that hold an account, and with how many others it shares them. */
export async function findAccount(
  db: Queryable,
  account_id: string,
): Promise<{ shard_id: string; others: number } | undefined> {
  const { rows } = await db.raw(
    `with own as (
      select get_shard_id_for_distribution_column('account_home', $1::text) as shard_id)
    select own.shard_id::text, (
        select count(*)::integer - 1
        from account a
        where get_shard_id_for_distribution_column('account_home', a.account_id) = own.shard_id) as others
    from own
    where exists (select from account a where a.account_id = $1)`,
    [account_id],
  );
  return rows[0] as { shard_id: string; others: number } | undefined;
}

/** `force_logical`: the service writes on meanwhile. `block_writes`: writes of the accounts that move wait. */
export type TransferMode = "force_logical" | "block_writes";

export async function transferMode(db: Queryable): Promise<TransferMode> {
  const { rows } = await db.raw(
    `select bool_and(w.success and w.result = 'logical') as logical
    from run_command_on_workers('show wal_level') w`,
  );
  return rows[0]?.["logical"] === true ? "force_logical" : "block_writes";
}

/** Gives the account parts of tables that it shares with no other. */
export const isolateAccount = (db: Database, account_id: string, mode: TransferMode): Promise<void> =>
  unlimited(db, async (tx) => {
    await tx.raw(
      "select isolate_tenant_to_new_shard('account_home', $1::text, 'CASCADE', shard_transfer_mode => $2::text::citus.shard_transfer_mode)",
      [account_id, mode],
    );
  });

export const addWorker = (db: Database, { host, port }: Host): Promise<void> =>
  unlimited(db, async (tx) => {
    await tx.raw("select citus_add_node($1, $2)", [host, port]);
  });

/** Starts to move parts in the background until the workers hold equally much. Returns the job; null if nothing has to move. */
export async function startRebalancing(db: Database, mode: TransferMode): Promise<number | null> {
  return unlimited(db, async (tx) => {
    const { rows } = await tx.raw(
      "select citus_rebalance_start(shard_transfer_mode => $1::text::citus.shard_transfer_mode) as job",
      [mode],
    );
    return (rows[0]?.["job"] as number | null | undefined) ?? null;
  });
}

export type RebalanceState = { state: string; done: number; of: number };

export async function rebalanceState(db: Queryable, job: number): Promise<RebalanceState> {
  const { rows } = await db.raw(
    `select j.state::text as state, count(t.*) filter (where t.status = 'done')::integer as done, count(t.*)::integer as of
    from pg_dist_background_job j
    left join pg_dist_background_task t on t.job_id = j.job_id
    where j.job_id = $1
    group by j.job_id`,
    [job],
  );
  return rows[0] as RebalanceState;
}

const unlimited = <Result>(db: Database, work: (tx: Queryable) => Promise<Result>): Promise<Result> =>
  db.transaction(async (tx) => {
    await tx.raw("set local statement_timeout = 0");
    await tx.raw("set local idle_in_transaction_session_timeout = 0");
    return work(tx);
  });
