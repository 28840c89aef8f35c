import { until } from "../until.ts";
import type { Cluster, Machine } from "./cluster.ts";

/** Tables that every journey writes. */
const TABLES = ["orders", "order_item", "order_history", "prescription", "patient", "stock_entry", "webhook_event"];
const CAUGHT_UP_WITHIN_MS = 60_000;

/**
 * Compares the rows of all servers after the last write. A server that accepted writes while another one was the primary would
 * have rows that the others do not have.
 */
export async function compareServers(cluster: Cluster): Promise<string[]> {
  const leader = await cluster.healthy();
  const replicas = cluster.machines.filter((one) => one !== leader);
  const [end] = await cluster.query<{ lsn: string }>(leader, "select pg_current_wal_flush_lsn()::text as lsn");
  for (const replica of replicas) {
    const reached = `select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= '${end!.lsn}'::pg_lsn as reached`;
    await until(
      "the replica has every change",
      async () => (await cluster.query<{ reached: boolean }>(replica, reached))[0]!.reached,
      { deadline_ms: CAUGHT_UP_WITHIN_MS, pause_ms: 100 },
    );
  }
  const expected = await digest(cluster, leader);
  const faults: string[] = [];
  for (const replica of replicas) {
    const found = await digest(cluster, replica);
    for (const table of TABLES) {
      if (found[table] !== expected[table]) faults.push(`${table} of a replica has other rows than the primary`);
    }
  }
  return faults;
}

async function digest(cluster: Cluster, machine: Machine): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const table of TABLES) {
    const [row] = await cluster.query<{ digest: string }>(
      machine,
      `select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) as digest from ${table} t`,
    );
    found[table] = row!.digest;
  }
  return found;
}
