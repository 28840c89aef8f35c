import { type Queryable, sql, type Tx } from "../db.ts";

const limit = sql<[milliseconds: string]>`select set_config('lock_timeout', $1, true)`;
const add = sql<[from_day: Date, to_day: Date], { added: number }>`
select add_webhook_weeks($1::timestamptz::date, $2::timestamptz::date) as added`;
/** Orders queue behind a waiting table lock, so give up after a moment and let the job try again later. */
const LONGEST_WAIT_MS = "300";

/** Creates the missing weekly partitions of events and attempts between two days. */
export async function addWebhookWeeks(tx: Tx, from_day: Date, to_day: Date): Promise<number> {
  await tx.rows(limit, [LONGEST_WAIT_MS]);
  return (await tx.row(add, [from_day, to_day]))!.added;
}

const missing = sql<[day: Date], { missing: boolean }>`
select to_regclass('webhook_attempt_' || to_char(date_trunc('week', $1::timestamptz at time zone 'UTC'), 'YYYYMMDD')) is null
  as missing`;
export const isWeekMissing = async (db: Queryable, day: Date) => (await db.row(missing, [day]))!.missing;

const old = sql<[before: Date], { week: string }>`
select distinct to_char(w.week, 'YYYY-MM-DD') as week
from (
  select to_date(right(c.relname, 8), 'YYYYMMDD') as week
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relname ~ '^webhook_(event|attempt)_[0-9]{8}$') w
where w.week + 7 <= ($1::timestamptz at time zone 'UTC')::date
order by week`;
/** The weeks that ended before a time, including detached ones that are not dropped yet. */
export const listOldWeeks = async (db: Queryable, before: Date) =>
  (await db.rows(old, [before])).map(({ week }) => week);

const detach = sql<[week: string], { kept_events: number }>`select detach_webhook_week($1::date) as kept_events`;
/** Detaches a week, and returns how many of its events it kept because they still have pending deliveries. */
export async function detachWebhookWeek(tx: Tx, week: string): Promise<number> {
  await tx.rows(limit, [LONGEST_WAIT_MS]);
  return (await tx.row(detach, [week]))!.kept_events;
}

const drop = sql<[week: string]>`select drop_webhook_week($1::date)`;
/** Drops a detached week. This blocks no other transaction, however long it takes. */
export async function dropWebhookWeek(tx: Tx, week: string): Promise<void> {
  await tx.rows(limit, [LONGEST_WAIT_MS]);
  await tx.rows(drop, [week]);
}

const removeEvents = sql<[account_id: string, before: Date, most: number]>`
delete from webhook_event_default
where account_id = $1 and event_id in (
  select e.event_id
  from webhook_event_default e
  where e.account_id = $1
    -- Only a version 7 id contains a time.
    and case when substr(e.event_id::text, 15, 1) = '7' then e.event_id < event_id_from($2) else e.created_at < $2 end
    and not exists (
      select
      from webhook_delivery d
      where d.account_id = e.account_id and d.event_id = e.event_id)
  limit $3)`;
/** Deletes old events outside the weekly partitions, except those with pending deliveries. */
export const deleteStrayEvents = (db: Queryable, account_id: string, before: Date, most: number) =>
  db.run(removeEvents, [account_id, before, most]);

const removeAttempts = sql<[account_id: string, most: number]>`
delete from webhook_attempt_default
where account_id = $1 and (event_id, endpoint_id, attempt) in (
  select t.event_id, t.endpoint_id, t.attempt
  from webhook_attempt_default t
  where t.account_id = $1 and not exists (
    select
    from webhook_event e
    where e.account_id = t.account_id and e.event_id = t.event_id)
  limit $2)`;
/** Deletes attempts outside the weekly partitions whose event no longer exists. */
export const deleteStrayAttempts = (db: Queryable, account_id: string, most: number) =>
  db.run(removeAttempts, [account_id, most]);

const removeHours = sql<[account_id: string, before: Date, most: number]>`
delete from webhook_endpoint_hour
where account_id = $1 and (endpoint_id, hour) in (
  select h.endpoint_id, h.hour
  from webhook_endpoint_hour h
  where h.account_id = $1 and h.hour < $2
  limit $3)`;
export const deleteEndpointHours = (db: Queryable, account_id: string, before: Date, most: number) =>
  db.run(removeHours, [account_id, before, most]);

const removeOrphans = sql<[account_id: string, most: number]>`
delete from webhook_delivery
where account_id = $1 and (event_id, endpoint_id) in (
  select d.event_id, d.endpoint_id
  from webhook_delivery d
  where d.account_id = $1 and not exists (
    select
    from webhook_endpoint p
    where p.account_id = d.account_id and p.endpoint_id = d.endpoint_id)
  limit $2)`;
/** Deletes deliveries to an endpoint that was deleted while its event was being written. */
export const deleteOrphanDeliveries = (db: Queryable, account_id: string, most: number) =>
  db.run(removeOrphans, [account_id, most]);
