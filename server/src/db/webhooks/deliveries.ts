import type { AttemptError } from "../../domain/webhooks/attempt-errors.ts";
import type { DeliveryStatus } from "../../domain/webhooks/attempt-outcome.ts";
import { callOf } from "../call.ts";
import { type Queryable, sql } from "../db.ts";

export type ClaimedDelivery = {
  account_id: string;
  event_id: string;
  endpoint_id: string;
  /** Finished attempts, and how many of them came before the last redelivery request. */
  attempts: number;
  attempts_before: number;
  /** The number of this claim. Its holder may save the result only while no later claim exists. */
  claims: number;
  queued_at: Date;
  /** Both are null if the event no longer exists. That should not happen, and must not block other deliveries. */
  body: string | null;
  body_sealed: Buffer | null;
  /** The trace of the request that caused the event; null without tracing. */
  traceparent: string | null;
};
/** How many deliveries to claim for an endpoint, and the time on its account's clock. */
export type Share = { account_id: string; endpoint_id: string; most: number; account_now: Date };

const claim = callOf<"claim_deliveries", ClaimedDelivery>("claim_deliveries");
/** On `Deps.queue`. Claims due deliveries for a lease longer than any attempt. */
export const claimDeliveries = (db: Queryable, shares: readonly Share[], lease_s: number) =>
  db.rows(
    claim,
    claim.values({
      account_ids: shares.map(({ account_id }) => account_id),
      endpoint_ids: shares.map(({ endpoint_id }) => endpoint_id),
      most: shares.map(({ most }) => most),
      account_nows: shares.map(({ account_now }) => account_now),
      lease_s,
    }),
  );

/** The result of an attempt, with the column names of the tables. `exchange_sealed` is base64. */
export type EndedAttempt = {
  account_id: string;
  event_id: string;
  endpoint_id: string;
  claims: number;
  /** The value at claim time. If it differs now, a redelivery was requested during the attempt. */
  attempts_before: number;
  attempt: number;
  at: Date;
  delivery_status: DeliveryStatus;
  status: number | null;
  error: AttemptError | null;
  duration_ms: number;
  exchange_sealed: string | null;
  due_at: Date | null;
};
export type FailingEndpoint = { account_id: string; endpoint_id: string; failing_since: Date; failed_at: Date };

const save = sql<[ended: string], FailingEndpoint>`
with given as materialized (
  select g.*
  from json_to_recordset($1::json) as g(account_id text, event_id uuid, endpoint_id uuid, claims integer,
    attempts_before integer, attempt integer, at timestamptz, delivery_status text, status smallint, error text,
    duration_ms integer, exchange_sealed text, due_at timestamptz)
), finished as (
  delete from webhook_delivery d
  using given g
  where d.account_id = g.account_id and d.event_id = g.event_id and (d.endpoint_id = g.endpoint_id) is true
    and d.claims = g.claims
    and (g.delivery_status = 'delivered' or g.delivery_status = 'failed' and d.attempts_before = g.attempts_before)
  returning g.*
), waiting as (
  update webhook_delivery d
  -- A redelivery requested during the attempt wins: it is due at that time and not given up.
  set attempts = g.attempt, claimed_until = null,
    due_at = case when d.attempts_before = g.attempts_before then g.due_at else d.due_at end
  from given g
  where d.account_id = g.account_id and d.event_id = g.event_id and (d.endpoint_id = g.endpoint_id) is true
    and d.claims = g.claims
    and (g.delivery_status = 'pending' or g.delivery_status = 'failed' and d.attempts_before <> g.attempts_before)
  returning g.account_id, g.event_id, g.endpoint_id, g.claims, g.attempts_before, g.attempt, g.at,
    'pending'::text as delivery_status, g.status, g.error, g.duration_ms, g.exchange_sealed, g.due_at
), held as materialized (
  -- A worker that lost its claim writes nothing; the worker that holds it will.
  select f.*
  from finished f
  union all
  select w.*
  from waiting w
), noted as (
  insert into webhook_attempt (account_id, event_id, endpoint_id, attempt, at, delivery_status, status, error, duration_ms,
    exchange_sealed)
  select h.account_id, h.event_id, h.endpoint_id, h.attempt, h.at, h.delivery_status, h.status, h.error, h.duration_ms,
    decode(h.exchange_sealed, 'base64')
  from held h
  -- A redelivery requested while the last attempt was being written may have counted one too few.
  on conflict do nothing
), by_endpoint as materialized (
  select h.account_id, h.endpoint_id, bool_or(h.delivery_status = 'delivered') as delivered, min(h.at) as first_at,
    max(h.at) as last_at
  from held h
  group by h.account_id, h.endpoint_id
), hours as (
  -- In key order, so that two processes cannot deadlock.
  insert into webhook_endpoint_hour as t (account_id, endpoint_id, hour, attempts, delivered, failed, duration_ms,
    slowest_ms)
  select h.account_id, h.endpoint_id, date_trunc('hour', h.at, 'UTC'), count(*),
    count(*) filter (where h.delivery_status = 'delivered'), count(*) filter (where h.delivery_status = 'failed'),
    sum(h.duration_ms), max(h.duration_ms)
  from held h
  group by 1, 2, 3
  order by 1, 2, 3
  on conflict (account_id, endpoint_id, hour) do update
  set attempts = t.attempts + excluded.attempts, delivered = t.delivered + excluded.delivered,
    failed = t.failed + excluded.failed, duration_ms = t.duration_ms + excluded.duration_ms,
    slowest_ms = greatest(t.slowest_ms, excluded.slowest_ms)
), health as (
  -- Written only on a change: a healthy endpoint, or one that keeps failing, costs no write.
  update webhook_endpoint p
  set failing_since = case when e.delivered then null else e.first_at end
  from by_endpoint e
  where p.account_id = e.account_id and p.endpoint_id = e.endpoint_id
    and e.delivered = (p.failing_since is not null)
)
select p.account_id, p.endpoint_id, p.failing_since, e.last_at as failed_at
from by_endpoint e
join webhook_endpoint p on p.account_id = e.account_id and p.endpoint_id = e.endpoint_id
where not e.delivered and p.failing_since is not null and p.status = 'active'`;
/**
 * On `Deps.queue`. Saves the results of attempts whose claim is still the newest: the attempt, the delivery's new
 * state, the totals and the endpoint's health, in one statement. Returns the endpoints that were already failing and
 * failed again.
 */
export const saveAttempts = (db: Queryable, ended: readonly EndedAttempt[]) => db.rows(save, [JSON.stringify(ended)]);

const release = sql<[account_ids: string[], event_ids: string[], endpoint_ids: string[], claims: number[]]>`
update webhook_delivery d
set claimed_until = null
from unnest($1::text[], $2::uuid[], $3::uuid[], $4::integer[]) as r(account_id, event_id, endpoint_id, claims)
where d.account_id = r.account_id and d.event_id = r.event_id and (d.endpoint_id = r.endpoint_id) is true and d.claims = r.claims`;
/** Releases claims whose attempt did not finish, so that another process need not wait for the lease to expire. */
export const releaseDeliveries = (
  db: Queryable,
  rows: readonly Pick<ClaimedDelivery, "account_id" | "event_id" | "endpoint_id" | "claims">[],
) =>
  db.run(release, [
    rows.map(({ account_id }) => account_id),
    rows.map(({ event_id }) => event_id),
    rows.map(({ endpoint_id }) => endpoint_id),
    rows.map(({ claims }) => claims),
  ]);
