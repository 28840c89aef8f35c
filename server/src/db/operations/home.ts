import type { Environment, QueueKey } from "@pestle/contract";
import { type Queryable, sql, type Tx } from "../db.ts";

export type QueueCount = {
  environment: Environment;
  key: QueueKey;
  count: number;
  oldest_at: Date | null;
  late: number;
};
/**
 * A queue to count. `since` excludes orders that entered it earlier. `late_before` is null if the queue has no target.
 */
export type CountedQueue = { key: QueueKey; queue: string; since: Date | null; late_before: Date | null };

const counts = sql<
  [keys: string[], queues: string[], since: (Date | null)[], late_before: (Date | null)[]],
  QueueCount
>`
select a.environment, a.key, sum(o.count)::integer as count, min(o.oldest_at) as oldest_at, sum(o.late)::integer as late
from (
  select e.account_id, e.environment, unnest($1::text[]) as key, unnest($2::text[]) as queue,
    unnest($3::timestamptz[]) as since, unnest($4::timestamptz[]) as late_before
  from each_account e
  where e.partner_id is not null) a
-- From the index alone, for each account and queue.
cross join lateral (
  select count(*) as count, min(o.stage_since) as oldest_at, count(*) filter (where o.stage_since < a.late_before) as late
  from orders o
  where o.account_id = a.account_id and o.queue = a.queue and o.stage_since >= coalesce(a.since, '-infinity')) o
group by a.environment, a.key`;
export const countQueues = (db: Queryable, asked: readonly CountedQueue[]) =>
  db.rows(counts, [
    asked.map(({ key }) => key),
    asked.map(({ queue }) => queue),
    asked.map(({ since }) => since),
    asked.map(({ late_before }) => late_before),
  ]);

const reviews = sql<[], { environment: Environment; count: number }>`
select a.environment, count(*)::integer as count
from review v
join account a on a.account_id = v.account_id
where v.resolved_at is null
group by a.environment`;
/** Counts open review entries. */
export const countReviews = (db: Queryable) => db.rows(reviews, []);

export type TargetRow = { queue: QueueKey; target_minutes: number | null };
const targets = sql<[], TargetRow>`
select queue, target_minutes
from queue_target`;
/** The targets that the pharmacy changed. All other queues use the defaults. */
export const listTargets = (db: Queryable) => db.rows(targets, []);

const setTargets = sql<[queues: string[], target_minutes: (number | null)[], set_by: string, now: Date]>`
insert into queue_target (queue, target_minutes, set_by, set_at)
select t.queue, t.target_minutes, $3, $4
from unnest($1::text[], $2::integer[]) as t(queue, target_minutes)
on conflict (queue) do update
set target_minutes = excluded.target_minutes, set_by = excluded.set_by, set_at = excluded.set_at`;
export const saveTargets = (tx: Tx, rows: readonly TargetRow[], set_by: string, now: Date) =>
  tx.run(setTargets, [rows.map(({ queue }) => queue), rows.map(({ target_minutes }) => target_minutes), set_by, now]);
