import { type Database, type Queryable, type Tx, UNLOGGED } from "../db.ts";
import { appendOnly } from "../roles.ts";
import { ACCOUNT_TABLES, type Place, REFERENCE_TABLES } from "./table-places.ts";

/** A PostgreSQL with the extension Citus, as the other servers reach it. */
export type Host = { host: string; port: number };
/** Called before each piece of work. */
export type Progress = (step: string, done: number, of: number) => void;
export type DistributeOptions = { coordinator: Host; workers: readonly Host[]; shards?: number; progress?: Progress };

/** `none`: all tables are on one server. `spread`: each is where `tablePlaces` says. The others: an interrupted run. */
export type DistributionState = "none" | "spread" | "spreading" | "gathering";

const DEFAULT_SHARDS = 32;
/** The other tables lie with this one: it has one row per account. */
const ANCHOR = "account_home";
/** What an interrupted run needs to go on. The last step drops it. */
const NOTES = "pestle_distribution";
const SCHEMA = "current_schema()::regnamespace";

/** Each connection to a spread database needs these. Citus refuses triggers on its tables without the first. */
const SETTINGS: Readonly<Record<string, string>> = {
  "citus.enable_unsafe_triggers": "on",
  // The account of a transaction reaches the other servers.
  "citus.propagate_set_commands": "local",
};

/**
 * Spreads the tables over the workers, and goes on where an interrupted run stopped. The workers have an empty database of the
 * same name with the extension. No service may run meanwhile: foreign keys and policies are missing until the end.
 */
export async function distribute(
  db: Database,
  { coordinator, workers, shards = DEFAULT_SHARDS, progress = () => {} }: DistributeOptions,
): Promise<void> {
  await begin(db, "spreading");
  for (const [done, host] of [coordinator, ...workers].entries()) {
    progress("connect the servers", done, workers.length + 1);
    const add = done === 0 ? "citus_set_coordinator_host" : "citus_add_node";
    await step(db, (tx) => tx.raw(`select ${add}($1, $2)`, [host.host, host.port]));
  }
  await takeOff(db, progress);
  await placeTables(db, { shards, progress });
  await placeFunctions(db, progress);
  await step(db, async (tx) => {
    for (const change of [...SPREAD_RULES, ...(await keptColumns(tx))]) await tx.raw(change);
  });
  await putBack(db, progress);
  await end(db);
}

/** Brings all tables back to one server. Goes on where an interrupted run stopped. */
export async function undistribute(db: Database, progress: Progress = () => {}): Promise<void> {
  await begin(db, "gathering");
  await takeOff(db, progress);
  const tables = await spreadTables(db);
  for (const [done, table] of tables.entries()) {
    progress("bring tables back", done, tables.length);
    await step(db, (tx) => tx.raw("select undistribute_table($1::regclass)", [quote(table)]));
  }
  await putBack(db, progress);
  for (const host of await listWorkers(db)) {
    progress("disconnect the servers", 0, 1);
    await step(db, (tx) => tx.raw("select citus_remove_node($1, $2)", [host.host, host.port]));
  }
  await step(db, async (tx) => {
    for (const change of GATHERED_RULES) await tx.raw(change);
    for (const name of Object.keys(SETTINGS)) await tx.raw(onDatabase(`reset ${name}`));
    await tx.raw("drop extension citus cascade");
    await tx.raw("drop extension if exists citus_columnar");
    await tx.raw(`drop schema ${NOTES} cascade`);
  });
}

/** Tables of a spread database that a migration has added go where `tablePlaces` says. */
export const placeNewTables = (db: Database): Promise<void> => placeTables(db, {});

export async function distributionState(db: Queryable): Promise<DistributionState> {
  const { rows } = await db.raw(
    `select to_regclass('${NOTES}.run') is not null as unfinished, to_regclass('pg_dist_partition') is not null as has_citus`,
  );
  if (rows[0]?.["unfinished"] === true)
    return (await db.raw(`select goal from ${NOTES}.run`)).rows[0]?.["goal"] as DistributionState;
  return rows[0]?.["has_citus"] === true && (await spreadTables(db)).length > 0 ? "spread" : "none";
}

/** How much of a run is done: tables in their place, and what is still off. */
export async function distributionCounts(db: Queryable): Promise<{ tables: number; of: number; off: number }> {
  const there = await localTables(db);
  const spread = await spreadTables(db);
  const placed = (table: string) => ACCOUNT_TABLES.includes(table) || REFERENCE_TABLES.has(table);
  const finished = ["none", "spread"].includes(await distributionState(db));
  const { rows } = finished
    ? { rows: [] }
    : await db.raw(`select count(*)::integer as off from ${NOTES}.piece where state = 'off'`);
  return {
    tables: spread.filter(placed).length,
    of: there.filter(placed).length,
    off: Number(rows[0]?.["off"] ?? 0),
  };
}

export async function listWorkers(db: Queryable): Promise<Host[]> {
  const { rows } = await db.raw(
    "select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 order by nodeid",
  );
  return rows as Host[];
}

/** Writes down what this run will take off and put back, unless an interrupted run has done so. */
async function begin(db: Database, goal: "spreading" | "gathering"): Promise<void> {
  await step(db, async (tx) => {
    if ((await distributionState(tx)) === goal) return;
    await tx.raw("create extension if not exists citus");
    await tx.raw(`create schema ${NOTES}`);
    await tx.raw(`create table ${NOTES}.run (goal text not null)`);
    await tx.raw(`insert into ${NOTES}.run (goal) values ($1)`, [goal]);
    await tx.raw(`create table ${NOTES}.piece (
      number integer generated always as identity primary key,
      kind text not null,
      takes_off text,
      puts_back text,
      state text not null default 'present')`);
    for (const [kind, pieces] of Object.entries(goal === "spreading" ? SPREAD_PIECES : GATHER_PIECES))
      await tx.raw(`insert into ${NOTES}.piece (kind, takes_off, puts_back) select '${kind}', p.* from (${pieces}) p`);
    for (const [name, value] of Object.entries(SETTINGS)) await tx.raw(onDatabase(`set ${name} = '${value}'`));
  });
}

async function end(db: Database): Promise<void> {
  await step(db, (tx) => tx.raw(`drop schema ${NOTES} cascade`));
}

/**
 * Written in one transaction with rows of accounts. If Citus did not know them, it would commit the account's server before this
 * one, and a crash between them would lose the row here.
 */
const WRITTEN_TOGETHER = ["audit_entry"];
const setDistributed = (value: boolean) => `create or replace function is_distributed() returns boolean
  language sql immutable parallel safe
  return ${value}`;
/** What the functions of the database do differently while accounts are spread (ADR 0097). */
const SPREAD_RULES = [
  ...WRITTEN_TOGETHER.map(
    (table) =>
      `select citus_add_local_table_to_metadata('${table}') where not exists (\n    select from pg_dist_partition where logicalrelid = '${table}'::regclass)`,
  ),
  setDistributed(true),
  `create or replace trigger event_has_position before insert on webhook_event
  for each row execute function place_event()`,
];
/** Citus has no rights of single columns, so a trigger keeps those of `appendOnly` that no role may change. */
async function keptColumns(db: Queryable): Promise<string[]> {
  const { rows } = await db.raw(
    `select c.relname::text as table_name, string_agg(quote_ident(a.attname), ', ') as columns
    from jsonb_each($1::jsonb) as o(name, columns)
    join pg_class c on c.relname = o.name and c.relnamespace = ${SCHEMA}
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and not o.columns ? a.attname
    where o.columns <> '[]'
    group by c.relname`,
    [JSON.stringify(appendOnly)],
  );
  return rows.map(
    ({
      table_name,
      columns,
    }) => `create or replace trigger row_never_changes before update of ${columns} on ${table_name}
    for each row execute function refuse_update('${table_name}')`,
  );
}
const GATHERED_RULES = [
  setDistributed(false),
  "truncate account_feed",
  // Positions of the workers may be higher than those of this server.
  "select restart_webhook_feed(null)",
  // What the job has not copied yet.
  `insert into person_link (environment, person_key, account_id, patient_key)
  select a.environment, k.person_key, p.account_id, p.patient_key
  from person_due d
  join patient p on p.account_id = d.account_id and p.patient_key = d.patient_key
  join account a on a.account_id = p.account_id
  cross join unnest(p.person_keys) as k(person_key)
  on conflict do nothing`,
];

type Piece = { number: number; kind: string; takes_off: string | null; puts_back: string | null };

async function takeOff(db: Database, progress: Progress): Promise<void> {
  const pieces = await listPieces(db, "present", "number");
  for (const [done, { number, kind, takes_off }] of pieces.entries()) {
    progress(`take off ${kind}`, done, pieces.length);
    await step(db, async (tx) => {
      if (takes_off !== null) await tx.raw(takes_off);
      await tx.raw(`update ${NOTES}.piece set state = 'off' where number = $1`, [number]);
    });
  }
}

/** The last one that was taken off comes back first: foreign keys need the checks, and views the tables. */
async function putBack(db: Database, progress: Progress): Promise<void> {
  const pieces = await listPieces(db, "off", "number desc");
  for (const [done, { number, kind, puts_back }] of pieces.entries()) {
    progress(`put back ${kind}`, done, pieces.length);
    await step(db, async (tx) => {
      if (puts_back !== null) await tx.raw(puts_back);
      await tx.raw(`update ${NOTES}.piece set state = 'back' where number = $1`, [number]);
    });
  }
}

const listPieces = async (db: Queryable, state: string, order: string) =>
  (
    await db.raw(`select number, kind, takes_off, puts_back from ${NOTES}.piece where state = $1 order by ${order}`, [
      state,
    ])
  ).rows as Piece[];

async function placeTables(db: Database, { shards = DEFAULT_SHARDS, progress = () => {} }: Partial<DistributeOptions>) {
  const spread = new Set(await spreadTables(db));
  const there = new Set(await localTables(db));
  const anchorFirst = [ANCHOR, ...ACCOUNT_TABLES.filter((table) => table !== ANCHOR)];
  const wanted: [table: string, place: Place][] = [
    ...[...REFERENCE_TABLES].map((table): [string, Place] => [table, "every server"]),
    ...anchorFirst.map((table): [string, Place] => [table, "account"]),
  ];
  // An older schema lacks the newest tables.
  const left = wanted.filter(([table]) => there.has(table) && !spread.has(table));
  for (const [done, [table, place]] of left.entries()) {
    progress("place tables", done, left.length);
    await step(db, async (tx) => {
      if (place === "every server") await tx.raw("select create_reference_table($1::regclass)", [quote(table)]);
      else if (table === ANCHOR)
        await tx.raw("select create_distributed_table($1::regclass, 'account_id', shard_count => $2::integer)", [
          quote(table),
          shards,
        ]);
      else
        await tx.raw(`select create_distributed_table($1::regclass, 'account_id', colocate_with => '${ANCHOR}')`, [
          quote(table),
        ]);
      // The rows are on the workers now. Those that stay here are invisible and take room.
      await tx.raw("select truncate_local_data_after_distributing_table($1::regclass)", [quote(table)]);
    });
  }
}

/** Triggers, checks and defaults call functions on the server that has the row. */
async function placeFunctions(db: Database, progress: Progress): Promise<void> {
  const { rows } = await db.raw(
    `select p.oid::regprocedure::text as signature
    from pg_proc p
    where p.pronamespace = ${SCHEMA} and p.prokind = 'f'
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    order by 1`,
  );
  for (const [done, { signature }] of rows.entries()) {
    progress("place functions", done, rows.length);
    await step(db, (tx) => tx.raw("select create_distributed_function($1::regprocedure)", [signature]));
  }
}

async function spreadTables(db: Queryable): Promise<string[]> {
  // A partition goes with its table.
  const { rows } = await db.raw(
    `select c.relname::text as name
    from pg_dist_partition p
    join pg_class c on c.oid = p.logicalrelid
    where not c.relispartition and c.relnamespace = ${SCHEMA}
    order by 1`,
  );
  return rows.map(({ name }) => String(name));
}

async function localTables(db: Queryable): Promise<string[]> {
  const { rows } = await db.raw(
    `select relname::text as name
    from pg_class
    where relnamespace = ${SCHEMA} and relkind in ('r', 'p') and not relispartition`,
  );
  return rows.map(({ name }) => String(name));
}

/** One transaction. */
const step = <Result>(db: Database, work: (tx: Tx) => Promise<Result>): Promise<Result> =>
  db.transaction(async (tx) => {
    await prepareStep(tx);
    return work(tx);
  });

/** Lifts the limits of a served request. Parts of tables are changed one after the other. */
export async function prepareStep(tx: Tx): Promise<void> {
  const { rows } = await tx.raw("select exists (select from pg_extension where extname = 'citus') as there");
  const settings: Record<string, string> = {
    statement_timeout: "0",
    idle_in_transaction_session_timeout: "0",
    ...(rows[0]?.["there"] === true && { ...SETTINGS, "citus.multi_shard_modify_mode": "sequential" }),
  };
  for (const [name, value] of Object.entries(settings)) await tx.raw("select set_config($1, $2, true)", [name, value]);
}

const onDatabase = (what: string) => `do $$ begin
  execute format('alter database %I ${what.replaceAll("'", "''")}', current_database());
end $$`;

const names = (tables: readonly string[]) => tables.map((table) => `'${table}'`).join(", ");
const UNLOGGED_ACCOUNT_TABLES = UNLOGGED.filter((table) => ACCOUNT_TABLES.includes(table));

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/**
 * The highest number that a sequence gave out on any server: each worker counts in a range of its own. One server goes on above all
 * of them, so that a later row has a higher number.
 */
const HIGHEST = (sequence: string) => `greatest(coalesce(pg_sequence_last_value(${sequence}::regclass), 1), (
      select coalesce(max(w.result::bigint), 1)
      from run_command_on_workers(format('select coalesce(pg_sequence_last_value(%L), 1)', ${sequence}::text)) w
      where w.success))`;

const POLICIES = `
  select format('drop policy %I on %I', p.policyname, p.tablename),
    format('create policy %I on %I as %s for %s to %s', p.policyname, p.tablename, p.permissive, p.cmd,
      (select string_agg(quote_ident(r), ', ') from unnest(p.roles) r))
      || coalesce(' using (' || condition.text || ')', '') || coalesce(' with check (' || p.with_check || ')', '')
  from pg_policies p,
    -- Citus allows no subquery.
    lateral (
      select regexp_replace(p.qual, '\\( SELECT (current_setting\\([^)]*\\)) AS current_setting\\)', '\\1') as text) condition
  where p.schemaname = current_schema()`;

const FOREIGN_KEYS = `
  select format('alter table %s drop constraint %I', k.conrelid::regclass, k.conname),
    format('alter table %s add constraint %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid))
  from pg_constraint k
  -- Citus hides the parts of tables in pg_class alone.
  join pg_class c on c.oid = k.conrelid
  where k.connamespace = ${SCHEMA} and k.contype = 'f' and k.conparentid = 0
  order by k.oid desc`;

/** Citus copies the check of a table to its partitions a second time. */
const CHECKS_OF_PARTITIONED = `
  select format('alter table %s drop constraint %I', k.conrelid::regclass, k.conname),
    format('alter table %s add constraint %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid))
  from pg_constraint k
  join pg_class c on c.oid = k.conrelid
  where k.connamespace = ${SCHEMA} and k.contype = 'c' and c.relkind = 'p'`;

/** Created again when the tables are in their place, so that the other servers get them too. */
const VIEWS = `
  select format('drop view %s', c.oid::regclass),
    format('create view %s%s as %s', c.oid::regclass,
      (select ' with (' || string_agg(o, ', ') || ')' from unnest(c.reloptions) o), rtrim(pg_get_viewdef(c.oid), ';'))
      || coalesce((
        select string_agg(format('; grant %s on %s to %I', a.privilege_type, c.oid::regclass, r.rolname), '')
        from aclexplode(c.relacl) a
        join pg_roles r on r.oid = a.grantee
        where a.grantee <> c.relowner), '')
  from pg_class c
  where c.relnamespace = ${SCHEMA} and c.relkind = 'v'
    and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
  order by c.oid desc`;

/** They would run again for each row that moves. The rules bring those that only several servers have. */
const TRIGGERS = `
  select format('drop trigger %I on %s', t.tgname, t.tgrelid::regclass),
    case when t.tgname not in ('event_has_position', 'row_never_changes') then pg_get_triggerdef(t.oid) end
  from pg_trigger t
  join pg_class c on c.oid = t.tgrelid
  where c.relnamespace = ${SCHEMA} and not t.tgisinternal and t.tgparentid = 0 and t.tgname <> 'account_has_home'
    -- Citus has one on each of its tables.
    and t.tgfoid not in (select p.oid from pg_proc p where p.proname = 'citus_truncate_trigger')
  order by t.tgname desc`;

/** On a copy of the table on each server, a trigger would run on each. The service adds the row itself. */
const ONE_SERVER_TRIGGERS = `
  select 'drop trigger account_has_home on account', null::text`;
const ONE_SERVER_TRIGGERS_AGAIN = `
  select null::text,
    'create trigger account_has_home after insert on account for each row execute function add_account_home()'`;

/** The statements that give other roles the rights that they have on a sequence, to follow another statement. */
const GRANTS_OF = (sequence: string) => `coalesce((
      select string_agg(format('; grant %s on sequence %s to %I', x.privilege_type, ${sequence}, r.rolname), '')
      from pg_class q
      cross join aclexplode(q.relacl) x
      join pg_roles r on r.oid = x.grantee
      where q.oid = ${sequence}::regclass and x.grantee <> q.relowner), '')`;

/** Citus cannot bring back a table whose column is an identity, and starts it again. Meanwhile the same sequence is the column's default. */
const IDENTITIES = `
  select format(
      'alter table %1$s alter column %2$I drop identity; create sequence %3$s owned by %1$s.%2$I; '
        || 'select setval(%3$L, %4$s, %5$L); alter table %1$s alter column %2$I set default nextval(%3$L)',
      c.oid::regclass, a.attname, s.name, coalesce(s.value, 1), s.value is not null) || ${GRANTS_OF("s.name")},
    null::text
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attidentity <> ''
  cross join lateral (
    select q.name, pg_sequence_last_value(q.name::regclass) as value
    from (select pg_get_serial_sequence(c.oid::regclass::text, a.attname) as name) q) s
  where c.relnamespace = ${SCHEMA} and c.relname in (${names([...ACCOUNT_TABLES, ...REFERENCE_TABLES, ...WRITTEN_TOGETHER])})`;
const IDENTITIES_AGAIN = `
  select null::text,
    format(
      'alter table %1$s alter column %2$I drop default; drop sequence %3$s; '
        || 'alter table %1$s alter column %2$I add generated always as identity (sequence name %3$s); '
        || 'select setval(%3$L, %4$s)',
      c.oid::regclass, a.attname, s.name, ${HIGHEST("s.name")}) || ${GRANTS_OF("s.name")}
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid
  join pg_attrdef f on f.adrelid = c.oid and f.adnum = a.attnum
  cross join lateral (select pg_get_serial_sequence(c.oid::regclass::text, a.attname) as name) s
  where c.relnamespace = ${SCHEMA} and pg_get_expr(f.adbin, f.adrelid) like 'nextval(%' and s.name is not null`;

const BOTH_WAYS = {
  views: VIEWS,
  policies: POLICIES,
  triggers: TRIGGERS,
  "foreign keys": FOREIGN_KEYS,
  checks: CHECKS_OF_PARTITIONED,
};
/** PostgreSQL copies no unlogged table to another server while it is in use, so no part could move. */
const UNLOGGED_TABLES = `
  select format('alter table %s set logged', c.oid::regclass), null::text
  from pg_class c
  where c.relnamespace = ${SCHEMA} and c.relpersistence = 'u' and c.relname in (${names(UNLOGGED_ACCOUNT_TABLES)})`;
const UNLOGGED_TABLES_AGAIN = `
  select null::text, format('alter table %s set unlogged', c.oid::regclass)
  from pg_class c
  where c.relnamespace = ${SCHEMA} and c.relname in (${names(UNLOGGED_ACCOUNT_TABLES)})`;

const SPREAD_PIECES = {
  "unlogged tables": UNLOGGED_TABLES,
  identities: IDENTITIES,
  "triggers of one server": ONE_SERVER_TRIGGERS,
  ...BOTH_WAYS,
};

/** Citus makes a new table of the parts, which lacks these. */
const COLUMN_OPTIONS = `
  select null::text,
    format('alter table %s alter column %I set (%s)', a.attrelid::regclass, a.attname, array_to_string(a.attoptions, ', '))
  from pg_attribute a
  join pg_class c on c.oid = a.attrelid
  where c.relnamespace = ${SCHEMA} and c.relkind in ('r', 'p') and a.attoptions is not null and not a.attisdropped`;

const COLUMN_COMMENTS = `
  select null::text, format('comment on column %s.%I is %L', a.attrelid::regclass, a.attname, d.description)
  from pg_description d
  join pg_class c on c.oid = d.objoid and d.classoid = 'pg_class'::regclass and c.relnamespace = ${SCHEMA}
  join pg_attribute a on a.attrelid = c.oid and a.attnum = d.objsubid
  where d.objsubid > 0`;

const SEQUENCES = `
  select null::text, format('select setval(%L, %s)', c.oid::regclass, ${HIGHEST("c.oid::regclass")})
  from pg_class c
  where c.relnamespace = ${SCHEMA} and c.relkind = 'S'
    and not exists (
      select
      from pg_depend d
      join pg_attrdef f on f.adrelid = d.refobjid and f.adnum = d.refobjsubid
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'a'
        and pg_get_expr(f.adbin, f.adrelid) like 'nextval(%')`;

const GATHER_PIECES = {
  sequences: SEQUENCES,
  identities: IDENTITIES_AGAIN,
  "unlogged tables": UNLOGGED_TABLES_AGAIN,
  "column options": COLUMN_OPTIONS,
  comments: COLUMN_COMMENTS,
  "triggers of one server": ONE_SERVER_TRIGGERS_AGAIN,
  ...BOTH_WAYS,
};
