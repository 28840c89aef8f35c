import { type Queryable, type Tx, UNLOGGED } from "../db.ts";

/** A table as a backup reads and writes it. */
export type BackupTable = {
  name: string;
  /** Stored columns. PostgreSQL computes the generated ones again. */
  columns: string[];
  /**
   * Columns of type json or jsonb. The backup holds them as text, because a JSON null would otherwise become SQL null.
   */
  json_columns: string[];
  generated_columns: string[];
  /** Tables that the restore must fill first. */
  needs: string[];
};
export type Sequence = { name: string; last_value: string; is_called: boolean };

const FETCH_ROWS = 1_000;
const SCHEMA = "(select oid from pg_namespace where nspname = current_schema())";

/**
 * Every table to back up, referenced tables first. Reads the PostgreSQL catalog, so that a new table is never missed.
 * Skips unlogged tables, because they do not survive a crash either.
 */
export async function backupTables(db: Queryable): Promise<BackupTable[]> {
  const { rows } = await db.raw(`
    select c.relname::text as name,
      array(
        select a.attname::text
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        order by a.attnum) as columns,
      array(
        select a.attname::text
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and a.atttypid in ('json'::regtype, 'jsonb'::regtype)) as json_columns,
      array(
        select a.attname::text
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and a.attgenerated <> '') as generated_columns,
      -- PostgreSQL checks a deferrable reference at the end, so the order of the tables does not matter.
      array(
        select distinct f.relname::text
        from pg_constraint k
        join pg_class f on f.oid = k.confrelid
        where k.conrelid = c.oid and k.contype = 'f' and not k.condeferrable) as needs
    from pg_class c
    where c.relnamespace = ${SCHEMA} and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
      and c.relname <> 'schema_migration'
      -- Logged while the accounts are on several servers.
      and c.relname not in (${UNLOGGED.map((name) => `'${name}'`).join(", ")})
      -- A trigger writes its rows when the accounts are restored.
      and c.relname <> 'account_home'
      -- About the server that the backup is from.
      and c.relname not in ('account_feed', 'database_run')
      -- A detached week of events that is about to be dropped.
      and c.relname !~ '^webhook_(event|attempt)_[0-9]{8}$'
    order by c.relname`);
  return inReferenceOrder(rows as BackupTable[]);
}

/**
 * Lifts the limits of a served request, because a backup takes long. Fixes the output formats, so that every server
 * writes the same values.
 */
export async function prepareSession(tx: Tx): Promise<void> {
  const settings = {
    statement_timeout: "0",
    idle_in_transaction_session_timeout: "0",
    bytea_output: "hex",
    timezone: "UTC",
    intervalstyle: "iso_8601",
    extra_float_digits: "1",
    // On Citus, one connection to each server, and so one snapshot of it. Means nothing without.
    "citus.max_adaptive_executor_pool_size": "1",
    // Restored events must not queue deliveries, because the backup restores pending deliveries from their own rows.
    "pestle.copying": "on",
  };
  // As a statement, which Citus passes on to the other servers.
  for (const [name, value] of Object.entries(settings)) await tx.raw(`set local ${name} = '${value}'`);
}

/** Yields the rows of a table as JSON text, in batches. Text, because JavaScript numbers would lose digits. */
export async function* readRows(tx: Tx, table: BackupTable): AsyncGenerator<string[]> {
  const texts = table.json_columns.map((name) => `'${name}', t.${quote(name)}::text`);
  // The row of the table itself: Citus forgets the names of columns in the row of a subquery.
  await tx.raw(`
    declare backup_rows no scroll cursor for
    select ((to_jsonb(t) - '{${table.generated_columns.join(",")}}'::text[]) || jsonb_build_object(${texts.join(", ")}))::text as row
    from ${quote(table.name)} t`);
  for (;;) {
    const { rows } = await tx.raw(`fetch ${FETCH_ROWS} from backup_rows`);
    if (rows.length === 0) break;
    yield rows.map(({ row }) => row as string);
  }
  await tx.raw("close backup_rows");
}

export async function insertRows(tx: Tx, table: BackupTable, rows: readonly string[]): Promise<void> {
  const names = table.columns.map(quote);
  const values = table.columns.map((name) =>
    table.json_columns.includes(name) ? `(r.${quote(name)} #>> '{}')::json` : `r.${quote(name)}`,
  );
  await tx.raw(
    `insert into ${quote(table.name)} (${names.join(", ")}) overriding system value
    select ${values.join(", ")}
    from jsonb_populate_recordset(null::${quote(table.name)}, $1::jsonb) as r`,
    [`[${rows.join(",")}]`],
  );
}

/**
 * Call after reading the rows: a sequence advances outside transactions, so it must be at or ahead of the saved rows.
 */
export async function readSequences(tx: Tx): Promise<Sequence[]> {
  const { rows } = await tx.raw(
    `select relname::text as name from pg_class where relnamespace = ${SCHEMA} and relkind = 'S'`,
  );
  const sequences: Sequence[] = [];
  for (const { name } of rows) {
    const { rows: at } = await tx.raw(`select last_value::text, is_called from ${quote(String(name))}`);
    sequences.push({ name: String(name), ...(at[0] as Omit<Sequence, "name">) });
  }
  return sequences;
}

export async function setSequence(tx: Tx, { name, last_value, is_called }: Sequence): Promise<void> {
  await tx.raw("select setval($1::regclass, $2::bigint, $3)", [quote(name), last_value, is_called]);
}

/** Blocks all other writers until the transaction ends. Readers continue. */
export async function lockTables(tx: Tx, tables: readonly BackupTable[]): Promise<void> {
  await tx.raw(`lock table ${tables.map(({ name }) => quote(name)).join(", ")} in share row exclusive mode`);
  await tx.raw("set constraints all deferred");
}

export async function tablesWithRows(db: Queryable, tables: readonly BackupTable[]): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await db.raw(`select exists (select from ${quote(name)}) as there`);
    if (rows[0]?.["there"] === true) found.push(name);
  }
  return found;
}

function inReferenceOrder(tables: BackupTable[]): BackupTable[] {
  const ordered: BackupTable[] = [];
  const waiting = new Set(tables);
  while (waiting.size > 0) {
    const ready = [...waiting].filter(({ needs }) => ![...waiting].some(({ name }) => needs.includes(name)));
    if (ready.length === 0) {
      const names = [...waiting].map(({ name }) => name).join(", ");
      throw new Error(`${names} reference each other in a cycle. Make one of the references deferrable.`);
    }
    for (const table of ready) {
      ordered.push(table);
      waiting.delete(table);
    }
  }
  return ordered;
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
