import type { Database, Tx } from "../../../src/db/db.ts";

/**
 * Rows that some work looks at, table by table, in a transaction of its own and with the plans of the sixth time and
 * later, which are not made for the values at hand.
 */
export function rowsRead(db: Database, work: (tx: Tx) => Promise<unknown>): Promise<{ table: string; rows: number }[]> {
  return db.transaction(async (tx) => {
    // What the connection did before is counted too until it is told to the statistics.
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
