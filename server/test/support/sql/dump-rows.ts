import type { Queryable } from "../../../src/db/db.ts";
import { readFunctions } from "../../../src/db/functions.ts";

const SCALARS: Record<string, string> = {
  bigint: "number",
  boolean: "boolean",
  bytea: "Bytes",
  date: "string",
  integer: "number",
  jsonb: "unknown",
  numeric: "number",
  real: "number",
  smallint: "number",
  text: "string",
  "timestamp with time zone": "Instant",
  uuid: "string",
};

/**
 * The rows of all tables as TypeScript types, for statements that insert them from JSON. Omits columns that
 * PostgreSQL computes; columns with a default are optional.
 */
export async function dumpRows(db: Queryable): Promise<string> {
  const { rows } = await db.raw(`
    select c.relname as table_name, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      a.attnotnull as required, d.adbin is not null or a.attidentity = 'd' as has_default
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attgenerated = '' and a.attidentity <> 'a'
    order by c.relname, a.attnum`);
  const functions = await db.raw(
    `select p.proname::text as name,
      array(
        select format('%s: "%s"', a.name, format_type(a.type, null))
        from unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes), p.proargmodes)
          with ordinality as a(name, type, mode, place)
        where coalesce(a.mode, 'i') = 'i'
        order by a.place) as arguments
    from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.proname = any($1)
    order by 1`,
    [readFunctions().map(({ name }) => name)],
  );
  const tables = [...new Set(rows.map(({ table_name }) => table_name))];
  const columnsOf = (table: unknown) =>
    rows
      .filter(({ table_name }) => table_name === table)
      .map(({ name, type, required, has_default }) => {
        const plain = String(type).replace(/\[\]$/, "");
        const scalar = SCALARS[plain];
        if (scalar === undefined) throw new Error(`no TypeScript type for ${type}`);
        const sent = plain === type ? scalar : `readonly ${scalar}[]`;
        return `    ${name}${has_default ? "?" : ""}: ${sent}${required || sent === "unknown" ? "" : " | null"};`;
      });
  return `// Written by \`npm run schema\` from the migrated schema. Do not edit.
import type { Bytes, Instant } from "./values.ts";

/** The rows of each table, as the statements that save them take them (JSON). */
export type Rows = {
${tables.map((table) => [`  ${table}: {`, ...columnsOf(table), "  };"].join("\n")).join("\n")}
};

/** The arguments of each function in server/functions, with their types. */
export const calls = {
${functions.rows.map(({ name, arguments: all }) => [`  ${name}: {`, ...(all as string[]).map((one) => `    ${one},`), "  },"].join("\n")).join("\n")}
} as const;
`;
}
