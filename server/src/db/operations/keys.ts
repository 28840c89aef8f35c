import { fromPrimary, type Queryable, sql, type Tx } from "../db.ts";

export type DataKeyRow = { key_id: number; wrapped: Buffer };
export type KeyRing = { fingerprint: string; keys: DataKeyRow[] };

const lock = sql<[]>`select pg_advisory_xact_lock(7205520)`;
/** Only one process at a time changes keys. */
export const lockKeys = (tx: Tx) => tx.rows(lock, []);

const ring = fromPrimary(sql<[], DataKeyRow & { fingerprint: string }>`
select m.fingerprint, k.key_id, k.wrapped
from master_key m
cross join data_key k
order by k.key_id`);
/** Reads both in one statement, so that the fingerprint belongs to the key that wrapped the data keys. */
export async function loadKeyRing(db: Queryable): Promise<KeyRing | undefined> {
  const keys = await db.rows(ring, []);
  return keys[0] && { fingerprint: keys[0].fingerprint, keys };
}

const upsertFingerprint = sql<[fingerprint: string, since: Date]>`
insert into master_key (fingerprint, since)
values ($1, $2)
on conflict (singleton) do update set fingerprint = excluded.fingerprint, since = excluded.since`;
export const saveFingerprint = (tx: Tx, value: string, now: Date) => tx.run(upsertFingerprint, [value, now]);

const addDataKey = sql<[key_id: number, wrapped: Buffer, created_at: Date]>`
insert into data_key (key_id, wrapped, created_at)
values ($1, $2, $3)`;
export const insertDataKey = (tx: Tx, key: DataKeyRow & { created_at: Date }) =>
  tx.run(addDataKey, [key.key_id, key.wrapped, key.created_at]);

const uses = sql<[], { key_id: number; created_at: Date; seals: number }>`
select key_id, created_at, seals
from data_key
order by key_id`;
export const listKeyUses = (db: Queryable) => db.rows(uses, []);

const reserve = sql<[key_id: number, seals: number], { seals: number }>`
update data_key
set seals = seals + $2
where key_id = $1
returning seals`;
/** Counts seals before they are made, so that a crash counts too many and never too few. Returns the key's total. */
export const reserveSeals = async (db: Queryable, key_id: number, seals: number) =>
  (await db.row(reserve, [key_id, seals]))?.seals;

const rewrap = sql<[key_id: number, wrapped: Buffer]>`update data_key set wrapped = $2 where key_id = $1`;
export const rewrapDataKey = (tx: Tx, key: DataKeyRow) => tx.run(rewrap, [key.key_id, key.wrapped]);

const dropOlder = sql<[key_id: number]>`delete from data_key where key_id < $1`;
export const deleteDataKeysBefore = (tx: Tx, key_id: number) => tx.run(dropOlder, [key_id]);

/** The newest layer computes the blind indexes. The earlier ones are the inner layers of the layered ones (ADR 0052). */
export type IndexKeyRow = { layer: number; index_key_id: string; wrapped: Buffer; created_at: Date };

const indexKeys = sql<[], IndexKeyRow>`
select layer, index_key_id, wrapped, created_at
from index_key
order by layer`;
export const listIndexKeys = (db: Queryable) => db.rows(indexKeys, []);

const addIndexKey = sql<[layer: number, wrapped: Buffer, created_at: Date], Pick<IndexKeyRow, "index_key_id">>`
insert into index_key (layer, wrapped, created_at)
values ($1, $2, $3)
returning index_key_id`;
/** Returns the id that the database gives it. */
export const insertIndexKey = async (tx: Tx, layer: number, wrapped: Buffer, now: Date) =>
  (await tx.row(addIndexKey, [layer, wrapped, now]))!.index_key_id;

const saveIndex = sql<[layer: number, wrapped: Buffer]>`update index_key set wrapped = $2 where layer = $1`;
export const saveIndexKey = (tx: Tx, { layer, wrapped }: Pick<IndexKeyRow, "layer" | "wrapped">) =>
  tx.run(saveIndex, [layer, wrapped]);

const FOREIGN_KEY_VIOLATION = "23503";
/**
 * Another process sealed a value with the key after the check for unused keys. The key stays, and so does the value.
 */
export const isKeyInUse = (error: unknown) => (error as { code?: unknown }).code === FOREIGN_KEY_VIOLATION;
/** The value's data key was deleted by a rotation meanwhile, so PostgreSQL rejected the write. */
export const isKeyGone = (error: unknown) =>
  isKeyInUse(error) && /_key_id_fkey$/.test(String((error as { constraint?: unknown }).constraint));
