import { type Queryable, sql } from "../db.ts";

/** The vault's place for the private key that signs the audit log's roots. */
export const auditKeyPlace = (key_id: string) => `audit_key.private_sealed ${key_id}`;

export type AuditKeyRow = { key_id: string; public_key: string; private_sealed: Buffer; created_at: Date };
const keys = sql<[], AuditKeyRow>`
select key_id, public_key, private_sealed, created_at
from audit_key
order by created_at desc, key_id`;
/** Newest first: that one signs. */
export const listAuditKeys = (db: Queryable) => db.rows(keys, []);

const addKey = sql<[key_id: string, public_key: string, private_sealed: Buffer, created_at: Date]>`
insert into audit_key (key_id, public_key, private_sealed, created_at)
values ($1, $2, $3, $4)`;
export const insertAuditKey = (db: Queryable, key: AuditKeyRow) =>
  db.run(addKey, [key.key_id, key.public_key, key.private_sealed, key.created_at]);

export type RootRow = {
  root_number: number;
  size: number;
  root_hash: Buffer;
  at: Date;
  key_id: string;
  signature: string;
};
const addRoot = sql<[size: number, root_hash: Buffer, at: Date, key_id: string, signature: string]>`
insert into audit_root (size, root_hash, at, key_id, signature)
values ($1, $2, $3, $4, $5)`;
export const insertRoot = (db: Queryable, root: Omit<RootRow, "root_number">) =>
  db.run(addRoot, [root.size, root.root_hash, root.at, root.key_id, root.signature]);

const newest = sql<[], RootRow>`
select root_number, size, root_hash, at, key_id, signature
from audit_root
order by root_number desc
limit 1`;
export const newestRoot = (db: Queryable) => db.row(newest, []);

const before = sql<[at: Date], RootRow>`
select root_number, size, root_hash, at, key_id, signature
from audit_root
where at < $1
order by root_number desc
limit 1`;
export const newestRootBefore = (db: Queryable, at: Date) => db.row(before, [at]);

const after = sql<[root_number: number, limit: number], RootRow>`
select root_number, size, root_hash, at, key_id, signature
from audit_root
where root_number > $1
order by root_number
limit $2`;
export const listRoots = (db: Queryable, after_number: number, limit: number) => db.rows(after, [after_number, limit]);

export type DestinationRow = {
  destination: string;
  shipped_number: number;
  shipped_at: Date | null;
  failing_since: Date | null;
  fault: string | null;
};
const destinations = sql<[], DestinationRow & { waiting: number }>`
select d.destination, d.shipped_number, d.shipped_at, d.failing_since, d.fault,
  (select count(*)::integer from audit_root r where r.root_number > d.shipped_number) as waiting
from audit_destination d
order by d.destination`;
/** Also those that the setting no longer names. */
export const listDestinations = (db: Queryable) => db.rows(destinations, []);

const claim = sql<[destination: string, now: Date, until: Date], { shipped_number: number }>`
insert into audit_destination as d (destination, leased_until)
values ($1, $3)
on conflict (destination) do update
set leased_until = excluded.leased_until
where d.leased_until is null or d.leased_until <= $2
returning d.shipped_number`;
/** One process ships to a destination at a time. Undefined if another one does. */
export const claimDestination = (db: Queryable, destination: string, now: Date, until: Date) =>
  db.row(claim, [destination, now, until]);

const shipped = sql<[destination: string, root_number: number, at: Date]>`
update audit_destination
set shipped_number = greatest(shipped_number, $2), shipped_at = $3, failing_since = null, fault = null
where destination = $1`;
export const noteShipped = (db: Queryable, destination: string, root_number: number, at: Date) =>
  db.run(shipped, [destination, root_number, at]);

const failed = sql<[destination: string, at: Date, fault: string]>`
update audit_destination
set failing_since = coalesce(failing_since, $2), fault = $3
where destination = $1`;
export const noteFailed = (db: Queryable, destination: string, at: Date, fault: string) =>
  db.run(failed, [destination, at, fault]);

const release = sql<[destination: string]>`
update audit_destination
set leased_until = null
where destination = $1`;
export const releaseDestination = (db: Queryable, destination: string) => db.run(release, [destination]);
