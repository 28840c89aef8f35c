import { type Queryable, sql } from "../db.ts";

type Measures = {
  clock: Date;
  size_bytes: number;
  replicas: number;
  replicas_wanted: boolean;
  /** Null without archiving. */
  archived_at: Date | null;
  archive_failing: boolean | null;
  backed_up_at: Date | null;
};

// Without rights to the statistics of others, a role sees that a replica is connected, and nothing more about it.
const measures = sql<[], Measures>`
select clock_timestamp() as clock,
  pg_database_size(current_database()) as size_bytes,
  (select count(*)::integer from pg_stat_replication) as replicas,
  current_setting('synchronous_standby_names') <> '' as replicas_wanted,
  case when current_setting('archive_mode') <> 'off' then a.last_archived_time end as archived_at,
  case
    when current_setting('archive_mode') <> 'off'
      then coalesce(a.last_failed_time > coalesce(a.last_archived_time, '-infinity'), false)
  end as archive_failing,
  (select b.finished_at from last_backup b) as backed_up_at
from pg_stat_archiver a`;
export const loadMeasures = async (db: Queryable) => (await db.row(measures, []))!;

const overdueWebhooks = sql<[now: Date], { waiting: number; oldest_at: Date | null }>`
select count(*)::integer as waiting, min(d.due_at - make_interval(secs => a.clock_offset_s)) as oldest_at
from webhook_endpoint p
join account a on a.account_id = p.account_id
join webhook_delivery d on d.account_id = p.account_id and d.endpoint_id = p.endpoint_id
where p.status = 'active' and p.failing_since is null and a.environment = 'production'
  and d.due_at <= $1::timestamptz + make_interval(secs => a.clock_offset_s)
  and (d.claimed_until is null or d.claimed_until < now())`;
/** Deliveries that are due and that no process is sending. */
export const loadOverdueWebhooks = async (db: Queryable, now: Date) => (await db.row(overdueWebhooks, [now]))!;

const record = sql<[finished_at: Date, size_bytes: number]>`
insert into last_backup (finished_at, size_bytes)
values ($1, $2)
on conflict (singleton) do update
set finished_at = excluded.finished_at, size_bytes = excluded.size_bytes`;
export const recordBackup = (db: Queryable, finished_at: Date, size_bytes: number) =>
  db.run(record, [finished_at, size_bytes]);
