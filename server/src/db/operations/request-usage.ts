import { type Queryable, sql } from "../db.ts";

export type UsageHourRow = {
  hour: Date;
  requests: number;
  client_errors: number;
  server_errors: number;
  limited: number;
  /** The peak of one credential. */
  busiest_minute: number;
};
const hours = sql<[account_id: string, since: Date], UsageHourRow>`
select date_trunc('hour', minute, 'UTC') as hour, sum(requests) as requests, sum(client_errors) as client_errors,
  sum(server_errors) as server_errors, sum(limited) as limited, max(requests) as busiest_minute
from request_minute
where account_id = $1 and minute >= $2
group by 1
order by 1`;
/** Hours with at least one request. */
export const listUsageHours = (db: Queryable, account_id: string, since: Date) => db.rows(hours, [account_id, since]);

export type LatencyRow = { hour: Date; bucket: number; requests: number };
const latencies = sql<[account_id: string, since: Date], LatencyRow>`
select hour, bucket, requests
from request_latency
where account_id = $1 and hour >= $2`;
export const listLatencies = (db: Queryable, account_id: string, since: Date) =>
  db.rows(latencies, [account_id, since]);

const tidy = sql<[account_id: string, before: Date]>`
with latency as (
  delete from request_latency
  where account_id = $1 and hour < $2
)
delete from request_minute
where account_id = $1 and minute < $2`;
export const deleteOldUsage = (db: Queryable, account_id: string, before: Date) => db.run(tidy, [account_id, before]);
