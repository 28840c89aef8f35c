import type { Database, Tx } from "../../../src/db/db.ts";

/**
 * Rows that some work reads, by table, in its own transaction and with generic plans, which PostgreSQL uses from the
 * sixth execution on.
 */
export function rowsRead(db: Database, work: (tx: Tx) => Promise<unknown>): Promise<{ table: string; rows: number }[]> {
  return db.transaction(async (tx) => {
    // The counters include earlier reads of this connection that are not flushed yet.
    const before = await counted(tx);
    await tx.raw("set local plan_cache_mode = force_generic_plan");
    await work(tx);
    const after = await counted(tx);
    return after
      .map(({ table, rows }) => ({ table, rows: rows - (before.find((one) => one.table === table)?.rows ?? 0) }))
      .filter(({ rows }) => rows > 0);
  });
}

async function counted(tx: Tx): Promise<{ table: string; rows: number }[]> {
  const { rows } = await tx.raw(`
    select relname as table, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
    from pg_stat_xact_user_tables`);
  return rows as { table: string; rows: number }[];
}
