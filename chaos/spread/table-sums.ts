import type { Queryable } from "../../server/src/db/db.ts";

export type TableSums = Record<string, { rows: number; sum: string }>;

/** What a command about the database itself writes, and the server's own rows. */
const MOVING =
  /^(audit_|database_run$|schema_migration$|server_process$|account_feed$|last_backup$|person_link$|webhook_feed$)/;

/** The number of rows of each table and a sum over all of their columns, in no order. */
export async function tableSums(db: Queryable): Promise<TableSums> {
  const { rows: tables } = await db.raw(`
    select c.relname::text as name, string_agg(format('t.%I', a.attname), ', ' order by a.attname) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    group by c.relname
    order by c.relname`);
  const sums: TableSums = {};
  for (const { name, columns } of tables) {
    if (MOVING.test(String(name))) continue;
    const { rows } = await db.raw(
      `select count(*)::integer as rows, coalesce(sum(hashtextextended(row(${columns})::text, 0)::numeric), 0)::text as sum
      from ${name} t`,
    );
    sums[String(name)] = rows[0] as { rows: number; sum: string };
  }
  return sums;
}

/** The tables whose rows differ, as a sentence each. */
export const differences = (before: TableSums, after: TableSums): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name]?.sum !== after[name]?.sum || before[name]?.rows !== after[name]?.rows)
    .map((name) => `${name} had ${before[name]?.rows ?? "no"} rows and has ${after[name]?.rows ?? "no"}, or others`);

export const rowsIn = (sums: TableSums): number => Object.values(sums).reduce((all, { rows }) => all + rows, 0);
