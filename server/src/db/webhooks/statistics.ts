import { type Queryable, sql } from "../db.ts";

export type Sums = {
  attempts: number;
  delivered: number;
  failed: number;
  duration_ms: number;
  slowest_ms: number | null;
};
export type StatisticsRow = Sums & {
  waiting: number;
  oldest_waiting_at: Date | null;
  hours: (Sums & { hour: string })[];
};

const statistics = sql<[account_id: string, endpoint_id: string, hours: number], StatisticsRow>`
select
  coalesce(sum(h.attempts), 0)::bigint as attempts, coalesce(sum(h.delivered), 0)::bigint as delivered,
  coalesce(sum(h.failed), 0)::bigint as failed, coalesce(sum(h.duration_ms), 0)::bigint as duration_ms,
  max(h.slowest_ms) as slowest_ms,
  (
    select count(*)
    from webhook_delivery d
    where d.account_id = $1 and d.endpoint_id = $2) as waiting,
  (
    select e.created_at
    from webhook_delivery d
    join webhook_event e on e.account_id = d.account_id and e.event_id = d.event_id
    where d.account_id = $1 and d.endpoint_id = $2
    order by d.event_position
    limit 1) as oldest_waiting_at,
  coalesce((
    select json_agg(newest order by newest.hour desc)
    from (
      select n.hour, n.attempts, n.delivered, n.failed, n.duration_ms, n.slowest_ms
      from webhook_endpoint_hour n
      where n.account_id = $1 and n.endpoint_id = $2
      order by n.hour desc
      limit $3) newest), '[]') as hours
from webhook_endpoint_hour h
where h.account_id = $1 and h.endpoint_id = $2`;
/** An endpoint's attempts in total and in the last active hours, and its pending deliveries. */
export const loadStatistics = async (db: Queryable, account_id: string, endpoint_id: string, hours: number) =>
  (await db.row(statistics, [account_id, endpoint_id, hours]))!;
