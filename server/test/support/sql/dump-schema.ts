import type { Queryable } from "../../../src/db/db.ts";
import { readFunctions } from "../../../src/db/functions.ts";

/**
 * The schema as text, from the catalog: equal on every supported version of PostgreSQL, so that the checked-in copy
 * (migrations/schema.txt) can be compared anywhere. It is for reading and review; the migrations create the database.
 */
export async function dumpSchema(db: Queryable): Promise<string> {
  const list = async (text: string) => (await db.raw(text)).rows as Record<string, string>[];
  const columns = await list(`
    select c.relname as table_name, c.relpersistence as persistence, a.attname as name,
      format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
      pg_get_expr(d.adbin, d.adrelid) as fallback
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname, a.attnum`);
  const constraints = await list(`
    select conrelid::regclass::text as table_name, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where connamespace = current_schema()::regnamespace and contype in ('p', 'u', 'c', 'f')
    order by 1, contype <> 'p', 2`);
  const indexes = await list(`
    select tablename as table_name, indexname as name, indexdef as definition
    from pg_indexes
    where schemaname = current_schema()
      and indexname not in (select conname from pg_constraint where contype in ('p', 'u'))
    order by 1, 2`);
  const names = readFunctions().map(({ name }) => `'${name}'`);
  const functions = await list(`
    select p.proname as name, pg_get_function_result(p.oid) as result, pg_get_function_identity_arguments(p.oid) as given
    from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.proname in (${names.join(", ")})
    order by 1`);
  const tables = [...new Set(columns.map(({ table_name }) => table_name))];
  const called = functions.map(({ name, result, given }) =>
    [`function ${name}`, ...(given ?? "").split(", ").map((one) => `  ${one}`), `  returns ${result}`, ""].join("\n"),
  );
  return tables
    .map((table) => {
      const own = (rows: Record<string, string>[]) => rows.filter(({ table_name }) => table_name === table);
      const kind = own(columns)[0]?.["persistence"] === "u" ? "unlogged table" : "table";
      return [
        `${kind} ${table}`,
        ...own(columns).map(
          ({ name, type, required, fallback }) =>
            `  ${name} ${type}${required ? " not null" : ""}${fallback == null ? "" : ` default ${fallback}`}`,
        ),
        ...own(constraints).map(({ definition }) => `  ${definition}`),
        ...own(indexes).map(({ definition }) => `  ${definition?.replace(/ ON (\w+\.)?/, " on ")}`),
        "",
      ].join("\n");
    })
    .concat(called)
    .join("\n");
}
