import type { HashedEntry } from "@pestle/contract";
import { type Queryable, sql, statementOf, type Tx } from "../db.ts";

export type TreeState = { log_id: string; size: number; settled_id: number; dropped_size: number };

const lock = sql<[]>`select pg_advisory_xact_lock(7205523)`;
/** Only one process at a time appends to the tree. Requests never take this lock. */
export const lockTree = (tx: Tx) => tx.rows(lock, []);

const begin = sql<[]>`
insert into audit_tree (log_id, size, settled_id)
values (gen_random_uuid(), 0, 0)
on conflict do nothing`;
const state = sql<[], TreeState>`
select log_id, size, settled_id, dropped_size
from audit_tree`;
export const findTree = (db: Queryable) => db.row(state, []);
export async function loadTree(db: Queryable): Promise<TreeState> {
  const found = await findTree(db);
  if (found !== undefined) return found;
  await db.run(begin, []);
  return (await findTree(db))!;
}

/** The columns as `HashedEntry` has them. */
const HASHED = `1 as form, e.audit_id, to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
  e.person_id, e.role, e.credential_id, e.os_user, e.address, e.account_id, e.action, e.subject,
  e.request_id::text as request_id, e.field_groups, e.patient_keys, e.salt::text as salt`;

const unchained = statementOf<[after: number, limit: number], HashedEntry>(`
select ${HASHED}
from audit_entry e
where e.audit_id > $1
  and not exists (
    select
    from audit_leaf l
    where l.audit_id = e.audit_id)
order by e.audit_id
limit $2`);
/** Committed entries above a number that are not in the tree. */
export const listUnchained = (db: Queryable, after: number, limit: number) => db.rows(unchained, [after, limit]);

const newest = sql<[], { audit_id: number }>`
select coalesce(max(audit_id), 0) as audit_id
from audit_entry`;
export const newestEntry = async (db: Queryable) => (await db.row(newest, []))!.audit_id;

const writers = sql<[], { writer: string }>`
select distinct l.virtualtransaction || ' ' || coalesce(l.pid, 0) as writer
from pg_locks l
where l.locktype = 'relation' and l.relation = 'audit_entry'::regclass
  and l.database = (select d.oid from pg_database d where d.datname = current_database())
  and l.mode = 'RowExclusiveLock'`;
/** The open transactions that have written an entry, or are about to: they lock the table before they take a number. */
export const listWriters = async (db: Queryable) => (await db.rows(writers, [])).map(({ writer }) => writer);

const settle = sql<[audit_id: number]>`
update audit_tree
set settled_id = greatest(settled_id, $1)`;
export const settleEntries = (db: Queryable, audit_id: number) => db.run(settle, [audit_id]);

const noteDrop = sql<[size: number]>`
update audit_tree
set dropped_size = greatest(dropped_size, $1)`;
/** From now on, entries below this position may be gone. */
export const noteDropped = (tx: Tx, size: number) => tx.run(noteDrop, [size]);

const drop = sql<[most: number], { gone: number }>`select drop_audit_entries($1) as gone`;
/** Deletes some of those entries. Returns how many. */
export const dropEntries = async (db: Queryable, most: number) => (await db.row(drop, [most]))!.gone;

const lastDrop = sql<[size: number], { at: Date }>`
select e.at
from audit_entry e
where e.action = 'audit_dropped' and e.subject like $1 || ' entries, %'
order by e.audit_id desc
limit 1`;
/** When the log recorded that entries below this position were dropped. */
export const findDrop = (db: Queryable, size: number) => db.row(lastDrop, [size]);

type NodeRow = { level: number; place: number; hash: Buffer };
const nodes = sql<[levels: number[], places: number[]], NodeRow>`
select 0 as level, l.position as place, l.entry_hash as hash
from unnest($1::smallint[], $2::bigint[]) as w(level, place)
join audit_leaf l on l.position = w.place
where w.level = 0
union all
select n.level, n.place, n.node_hash
from unnest($1::smallint[], $2::bigint[]) as w(level, place)
join audit_node n on n.level = w.level and n.place = w.place`;
export const loadNodes = (db: Queryable, wanted: readonly { level: number; place: number }[]) =>
  db.rows(nodes, [wanted.map(({ level }) => level), wanted.map(({ place }) => place)]);

const append = sql<
  [
    first: number,
    audit_ids: number[],
    leaves: Buffer[],
    levels: number[],
    places: number[],
    hashes: Buffer[],
    size: number,
  ]
>`
with leaf as (
  insert into audit_leaf (position, audit_id, entry_hash)
  select $1::bigint + l.place - 1, l.audit_id, l.entry_hash
  from unnest($2::bigint[], $3::bytea[]) with ordinality as l(audit_id, entry_hash, place)
), node as (
  insert into audit_node (level, place, node_hash)
  select n.level, n.place, n.hash
  from unnest($4::smallint[], $5::bigint[], $6::bytea[]) as n(level, place, hash)
)
update audit_tree
set size = $7`;
/** Appends leaves from a position on, and the nodes that they complete. */
export const appendLeaves = (
  tx: Tx,
  first: number,
  leaves: readonly { audit_id: number; hash: Buffer }[],
  completed: readonly NodeRow[],
) =>
  tx.run(append, [
    first,
    leaves.map(({ audit_id }) => audit_id),
    leaves.map(({ hash }) => hash),
    completed.map(({ level }) => level),
    completed.map(({ place }) => place),
    completed.map(({ hash }) => hash),
    first + leaves.length,
  ]);

export type CheckedLeaf = { position: number; leaf_audit_id: number; hash: Buffer; entry: HashedEntry | null };
const page = statementOf<
  [from: number, limit: number],
  { [Name in keyof HashedEntry]: HashedEntry[Name] | null } & Omit<CheckedLeaf, "entry">
>(`
select l.position, l.audit_id as leaf_audit_id, l.entry_hash as hash, ${HASHED}
from audit_leaf l
left join audit_entry e on e.audit_id = l.audit_id
where l.position >= $1
order by l.position
limit $2`);
/** Leaves from a position on, with their entries, to compare both. */
export async function listLeaves(db: Queryable, from: number, limit: number): Promise<CheckedLeaf[]> {
  const rows = await db.rows(page, [from, limit]);
  return rows.map(({ position, leaf_audit_id, hash, ...entry }) => ({
    position,
    leaf_audit_id,
    hash,
    entry: entry.audit_id === null ? null : (entry as HashedEntry),
  }));
}

const without = sql<[after: number, until: number, limit: number], { audit_id: number }>`
select e.audit_id
from audit_entry e
where e.audit_id > $1 and e.audit_id <= $2
  and not exists (
    select
    from audit_leaf l
    where l.audit_id = e.audit_id)
order by e.audit_id
limit $3`;
/** The numbers of entries in a range that are not in the tree. */
export const listWithoutLeaf = async (db: Queryable, after: number, until: number, limit: number) =>
  (await db.rows(without, [after, until, limit])).map(({ audit_id }) => audit_id);

const ofOrder = statementOf<[account_id: string, order_number: string], HashedEntry & { position: number | null }>(`
select ${HASHED}, l.position
from audit_entry e
left join audit_leaf l on l.audit_id = e.audit_id
where e.account_id = $1 and e.subject = $2
order by e.audit_id`);
/** The entries about an order, with their places in the tree. */
export const listEntriesOfOrder = (db: Queryable, account_id: string, order_number: string) =>
  db.rows(ofOrder, [account_id, order_number]);

const idsAt = sql<[first: number, end: number], { first_id: number | null; last_id: number | null }>`
select min(audit_id) as first_id, max(audit_id) as last_id
from audit_leaf
where position >= $1 and position < $2`;
/** The smallest and largest entry number between two positions. */
export const idsBetween = async (db: Queryable, first: number, end: number) => (await db.row(idsAt, [first, end]))!;
