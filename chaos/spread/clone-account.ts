import type { Database } from "../../server/src/db/db.ts";
import { ACCOUNT_TABLES } from "../../server/src/db/operations/table-places.ts";

const STATEMENTS_WITHIN = "set local statement_timeout = 0";

/**
 * Gives other partners the rows of an account. What is sealed opens for the first account alone, and the rules in the database
 * do not open it.
 */
export async function cloneAccount(db: Database, account_id: string, copies: readonly string[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.raw(STATEMENTS_WITHIN);
    // The copies satisfy the foreign keys as their originals do.
    await tx.raw("set local session_replication_role = replica");
    await tx.raw(
      "insert into partner (partner_id, name, created_at) select c, 'Copy ' || c, now() from unnest($1::text[]) c",
      [copies],
    );
    const { rows } = await tx.raw(
      `select c.relname::text as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns,
        string_agg(
          case when a.attname in ('account_id', 'partner_id') then 'o.id' else 's.' || quote_ident(a.attname) end, ', '
          order by a.attnum) as fields
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      where c.relnamespace = current_schema()::regnamespace and c.relname = any($1)
      group by c.relname`,
      [["account", ...ACCOUNT_TABLES]],
    );
    for (const { name, columns, fields } of rows)
      await tx.raw(
        `insert into ${name} (${columns}) overriding system value
        select ${fields}
        from ${name} s
        cross join unnest($2::text[]) as o(id)
        where s.account_id = $1`,
        [account_id, copies],
      );
  });
}
