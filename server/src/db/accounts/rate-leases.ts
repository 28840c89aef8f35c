import { type Queryable, sql } from "../db.ts";

export type LeaseShare = { account_id: string; bucket: string; holders: number };

const renew = sql<
  [process_id: string, account_ids: string[], buckets: string[], ttl_s: number],
  { processes: number; shares: LeaseShare[] }
>`
with me as (
  insert into server_process (process_id, seen_at)
  values ($1, now())
  on conflict (process_id) do update set seen_at = excluded.seen_at
), wanted as (
  select account_id, bucket
  from unnest($2::text[], $3::text[]) as w(account_id, bucket)
), mine as (
  insert into rate_lease (account_id, bucket, process_id, seen_at)
  select account_id, bucket, $1, now()
  from wanted
  on conflict (account_id, bucket, process_id) do update set seen_at = excluded.seen_at
)
select
  1 + (
    select count(*)
    from server_process p
    where p.process_id <> $1 and p.seen_at > now() - $4 * interval '1 second') as processes,
  coalesce((
    select json_agg(json_build_object('account_id', w.account_id, 'bucket', w.bucket, 'holders', 1 + (
      select count(*)
      from rate_lease l
      where l.account_id = w.account_id and l.bucket = w.bucket and l.process_id <> $1
        and l.seen_at > now() - $4 * interval '1 second')))
    from wanted w), '[]') as shares`;
/** Renews this process's leases and counts the processes that hold each. Runs once a second regardless of load. */
export const renewLeases = async (
  db: Queryable,
  process_id: string,
  buckets: readonly { account_id: string; bucket: string }[],
  ttl_s: number,
) =>
  (await db.row(renew, [
    process_id,
    buckets.map(({ account_id }) => account_id),
    buckets.map(({ bucket }) => bucket),
    ttl_s,
  ]))!;

const forget = sql<[process_id: string]>`
with leases as (
  delete from rate_lease
  where process_id = $1 or seen_at < now() - interval '1 minute'
)
delete from server_process
where process_id = $1 or seen_at < now() - interval '1 minute'`;
/** Releases this process's leases and deletes those of processes that died. */
export const dropLeases = (db: Queryable, process_id: string) => db.run(forget, [process_id]);
