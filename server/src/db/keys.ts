import { type Queryable, sql, type Tx } from "./db.ts";

type DataKeyRow = { key_id: number; wrapped: Buffer };

const lock = sql<[]>`select pg_advisory_xact_lock(7205520)`;
/** One process at a time decides about keys. */
export const lockKeys = (tx: Tx) => tx.rows(lock, []);

const fingerprint = sql<[], { fingerprint: string }>`select fingerprint from master_key`;
export const loadFingerprint = async (db: Queryable) => (await db.row(fingerprint, []))?.fingerprint;

const upsertFingerprint = sql<[fingerprint: string, since: Date]>`
insert into master_key (fingerprint, since)
values ($1, $2)
on conflict (singleton) do update set fingerprint = excluded.fingerprint, since = excluded.since`;
export const saveFingerprint = (tx: Tx, value: string, now: Date) => tx.run(upsertFingerprint, [value, now]);

const dataKeys = sql<[], DataKeyRow>`select key_id, wrapped from data_key order by key_id`;
export const loadDataKeys = (db: Queryable) => db.rows(dataKeys, []);

const addDataKey = sql<[key_id: number, wrapped: Buffer, created_at: Date]>`
insert into data_key (key_id, wrapped, created_at)
values ($1, $2, $3)`;
export const insertDataKey = (tx: Tx, key: DataKeyRow & { created_at: Date }) =>
  tx.run(addDataKey, [key.key_id, key.wrapped, key.created_at]);

const rewrap = sql<[key_id: number, wrapped: Buffer]>`update data_key set wrapped = $2 where key_id = $1`;
export const rewrapDataKey = (tx: Tx, key: DataKeyRow) => tx.run(rewrap, [key.key_id, key.wrapped]);

const dropOlder = sql<[key_id: number]>`delete from data_key where key_id < $1`;
export const deleteDataKeysBefore = (tx: Tx, key_id: number) => tx.run(dropOlder, [key_id]);
