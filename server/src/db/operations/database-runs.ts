import type { DatabaseRun, DataLoss, KnownRun } from "../../domain/operations/data-loss.ts";
import { type Queryable, sql, type Tx } from "../db.ts";

const current = sql<[], DatabaseRun>`
select (select c.system_identifier::text from pg_control_system() as c) as system_id,
  ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::bigint as timeline,
  (pg_current_wal_flush_lsn() - '0/0')::bigint as position,
  (pg_last_wal_replay_lsn() - '0/0')::bigint as kept_position,
  pg_last_xact_replay_timestamp() as kept_until,
  current_setting('synchronous_standby_names') <> ''
    and current_setting('synchronous_commit') not in ('off', 'local') as synchronous,
  current_setting('recovery_target_time') || current_setting('recovery_target_lsn')
    || current_setting('recovery_target_xid') || current_setting('recovery_target_name')
    || current_setting('recovery_target') as recovery_target,
  webhook_feed_horizon() as feed_horizon,
  clock_timestamp() as now`;
export const loadRun = async (db: Queryable) => (await db.row(current, []))!;

const known = sql<[], KnownRun>`
select system_id, timeline, synchronous, recovery_target, seen_at
from database_run
for update`;
/** The row stays locked, so that one process after the other compares. */
export const lockKnownRun = (tx: Tx) => tx.row(known, []);

const keep = sql<[system_id: string, timeline: number, synchronous: boolean, recovery_target: string, seen_at: Date]>`
insert into database_run (system_id, timeline, synchronous, recovery_target, seen_at)
values ($1, $2, $3, $4, $5)
on conflict (singleton) do update
set system_id = excluded.system_id, timeline = excluded.timeline, synchronous = excluded.synchronous,
  recovery_target = excluded.recovery_target, seen_at = excluded.seen_at`;
export const keepRun = (tx: Tx, run: DatabaseRun) =>
  tx.run(keep, [run.system_id, run.timeline, run.synchronous, run.recovery_target, run.now]);

const add = sql<
  [system_id: string, timeline: number, noticed_at: Date, lost_from: Date, lost_until: Date, lost_bytes: number | null]
>`
insert into data_loss as l (system_id, timeline, noticed_at, lost_from, lost_until, lost_bytes)
values ($1, $2, $3, $4, $5, $6)
on conflict (system_id, timeline) do update
set lost_from = least(l.lost_from, excluded.lost_from),
  lost_until = greatest(l.lost_until, excluded.lost_until),
  lost_bytes = greatest(l.lost_bytes, excluded.lost_bytes),
  closed_at = case when excluded.lost_until > l.closed_at then null else l.closed_at end`;
/**
 * Every process that saw the history before adds what it knows. The timeline is the one that began, or that the database left, as a
 * negative number: the next server to lead counts it again. What is added to a closed loss opens it.
 */
export const addLoss = (tx: Tx, run: DatabaseRun, { lost_from, lost_until, lost_bytes }: DataLoss) =>
  tx.run(add, [run.system_id, run.timeline, run.now, lost_from, lost_until, lost_bytes]);

const found = sql<[system_id: string, timeline: number], { lost_until: Date }>`
select lost_until
from data_loss
where system_id = $1 and timeline = $2`;
export const findLoss = (tx: Tx, { system_id, timeline }: Pick<DatabaseRun, "system_id" | "timeline">) =>
  tx.row(found, [system_id, timeline]);

export type LossRow = DataLoss & { loss_id: number; noticed_at: Date; closed_at: Date | null };

const listed = sql<[], LossRow>`
select loss_id, noticed_at, lost_from, lost_until, lost_bytes, closed_at
from data_loss
order by loss_id`;
export const listLosses = (db: Queryable) => db.rows(listed, []);

const open = sql<[], LossRow>`
select loss_id, noticed_at, lost_from, lost_until, lost_bytes, closed_at
from data_loss
where closed_at is null
order by loss_id`;
/** Those that no operator has settled with the partners. */
export const openLosses = (db: Queryable) => db.rows(open, []);

const close = sql<[loss_id: number, now: Date]>`
update data_loss
set closed_at = $2
where loss_id = $1 and closed_at is null`;
export const closeLoss = (db: Queryable, loss_id: number, now: Date) => db.run(close, [loss_id, now]);

const untold = sql<[before: Date], LossRow>`
select loss_id, noticed_at, lost_from, lost_until, lost_bytes, closed_at
from data_loss
where told_until is distinct from lost_until and noticed_at < $1
order by loss_id
for update skip locked`;
/** Those that partners do not know, or know as shorter. */
export const lockUntoldLosses = (tx: Tx, noticed_before: Date) => tx.rows(untold, [noticed_before]);

const told = sql<[loss_id: number]>`
update data_loss
set told_until = lost_until
where loss_id = $1`;
export const markTold = (tx: Tx, loss_id: number) => tx.run(told, [loss_id]);
