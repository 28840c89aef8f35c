import type { EventType } from "@pestle/contract";
import type { DeliveryStatus } from "../../domain/webhooks/attempt-outcome.ts";
import { type Queryable, type Statement, sql, statementOf } from "../db.ts";
import { SIGNING_SECRET } from "./due-endpoints.ts";
import { DELIVERIES, FEED_CONDITIONS, type FeedPosition, type FeedRow } from "./feed.ts";

export type NewestFilter = {
  event_type: EventType | null;
  order_number: string | null;
  /** Whether all its deliveries succeeded. */
  delivered: boolean | null;
  /** At least one of its deliveries has this status. */
  status: DeliveryStatus | null;
  /** It has a delivery to this endpoint, finished or pending. */
  endpoint_id: string | null;
  created_after: Date | null;
  created_before: Date | null;
};
type NewestRow = FeedRow & { fits: boolean };

/** The condition that each filter adds on the deliveries `x` of an event. */
const CONDITIONS = {
  event_type: FEED_CONDITIONS.event_type,
  delivered: FEED_CONDITIONS.delivered,
  status: (value: string) => `exists (select from (${DELIVERIES}) x where x.status = ${value})`,
  endpoint_id: (value: string) => `exists (select from (${DELIVERIES}) x where x.endpoint_id = ${value}::uuid)`,
  created_after: (value: string) => `e.created_at >= ${value}::timestamptz`,
  created_before: (value: string) => `e.created_at < ${value}::timestamptz`,
} as const;
type ConditionName = keyof typeof CONDITIONS;

/** The list needs a body only for its patient. It shows none for an event that is longer than any real one. */
const MOST_BODY_BYTES = 16 * 1024;

type PageParams = readonly [
  account_id: string,
  feed_position: number,
  event_position: number,
  looked_at: number,
  ...filters: unknown[],
];

/**
 * Reads a limited number of events before a position. Returns the last one even if it does not match, because the page
 * ends there.
 */
function pageText(by_order: boolean, names: readonly ConditionName[]): string {
  const asked = names.map((name, index) => CONDITIONS[name](`$${(by_order ? 6 : 5) + index}`));
  return `
with looked_at as materialized (
  select e.account_id, e.event_id, e.event_type, e.order_number, e.created_at, e.feed_position, e.event_position,
    e.body, e.body_sealed
  from webhook_event e
  where e.account_id = $1 and (e.feed_position, e.event_position) < ($2, $3)${by_order ? "\n    and e.order_number = $5" : ""}
  order by e.feed_position desc, e.event_position desc
  limit $4
), judged as materialized (
  select e.account_id, e.event_id, e.event_type, e.order_number, e.created_at, e.feed_position, e.event_position,
    e.body, e.body_sealed, ${asked.length === 0 ? "true" : asked.join("\n    and ")} as fits
  from looked_at e
)
select e.account_id, e.event_id, e.event_type, e.order_number, e.created_at, e.feed_position, e.event_position, e.fits,
  case when e.fits then e.body end as body,
  case when e.fits and octet_length(e.body_sealed) <= ${MOST_BODY_BYTES} then e.body_sealed end as body_sealed,
  case when e.fits then (
    select coalesce(json_agg(json_build_object(
      'endpoint_id', x.endpoint_id, 'status', x.status, 'attempts', x.attempts,
      'next_attempt_at', x.next_attempt_at) order by x.endpoint_id), '[]')
    from (${DELIVERIES}) x) end as deliveries
from judged e
order by e.feed_position desc, e.event_position desc`;
}

const pages = new Map<string, Statement<PageParams, NewestRow>>();
/** Events are in the order of their commits. The times of two neighbors differ by less than this. */
const OUT_OF_ORDER_MS = 3600 * 1000;
/** The most events that a page reads, even if few match. */
const MOST_LOOKED_AT = 1_000;

/** Events before a position, newest first, and the start of the next page. */
export async function listNewestEvents(
  db: Queryable,
  account_id: string,
  filter: NewestFilter,
  before: FeedPosition,
  limit: number,
): Promise<{ rows: NewestRow[]; next: FeedPosition | null }> {
  const { order_number } = filter;
  const names = (Object.keys(CONDITIONS) as ConditionName[]).filter((name) => (filter[name] ?? null) !== null);
  const key = `${order_number !== null} ${names}`;
  const page = pages.get(key) ?? statementOf<PageParams, NewestRow>(pageText(order_number !== null, names));
  pages.set(key, page);
  const look_at = names.length === 0 ? limit + 1 : Math.max(limit + 1, MOST_LOOKED_AT);
  const given = [...(order_number === null ? [] : [order_number]), ...names.map((name) => filter[name])];
  const looked = await db.rows(page, [account_id, before.feed_position, before.event_position, look_at, ...given]);
  const fitting = looked.filter(({ fits }) => fits);
  if (fitting.length > limit) return { rows: fitting.slice(0, limit), next: fitting[limit - 1]! };
  const last = looked.length === look_at ? looked.at(-1)! : null;
  const since_ms = (filter.created_after?.getTime() ?? 0) - OUT_OF_ORDER_MS;
  return { rows: fitting, next: last !== null && last.created_at.getTime() < since_ms ? null : last };
}

export type WebhookFacts = {
  endpoint_at: Date | null;
  delivered_at: Date | null;
  waiting: number;
  failed: number;
};
const facts = sql<[account_id: string, since: Date, most: number], WebhookFacts>`
select
  (
    select min(created_at)
    from webhook_endpoint
    where account_id = $1) as endpoint_at,
  (
    select min(hour)
    from webhook_endpoint_hour
    where account_id = $1 and delivered > 0) as delivered_at,
  (
    select count(*)
    from (
      select
      from webhook_delivery
      where account_id = $1
      limit $3) few) as waiting,
  (
    select coalesce(sum(failed), 0)
    from webhook_endpoint_hour
    where account_id = $1 and hour >= $2) as failed`;
/** An account's webhook totals. Counts pending deliveries up to `most`. `since` is on the account's clock. */
export const loadWebhookFacts = async (db: Queryable, account_id: string, since: Date, most: number) =>
  (await db.row(facts, [account_id, since, most]))!;

export type WebhookHour = { hour: Date; attempts: number; delivered: number; failed: number };
const hours = sql<[account_id: string, since: Date], WebhookHour>`
select hour, sum(attempts) as attempts, sum(delivered) as delivered, sum(failed) as failed
from webhook_endpoint_hour
where account_id = $1 and hour >= $2
group by hour
order by hour`;
/** Totals over all endpoints, on the account's clock. */
export const listWebhookHours = (db: Queryable, account_id: string, since: Date) => db.rows(hours, [account_id, since]);

export type SigningEndpoint = {
  url: string;
  secret_sealed: Buffer;
  signing_secret_sealed: Buffer;
  signing_credential_id: string;
  secret_id: number;
  digest_sealed: Buffer;
  /** The last attempt of the event at this endpoint. */
  attempt: number | null;
  exchange_sealed: Buffer | null;
};
const signing = statementOf<[account_id: string, endpoint_id: string, event_id: string], SigningEndpoint>(`
select p.url, p.secret_sealed, p.signing_secret_sealed, p.signing_credential_id, s.secret_id, s.digest_sealed, t.attempt,
  t.exchange_sealed
from webhook_endpoint p
${SIGNING_SECRET}
left join lateral (
  select t.attempt, t.exchange_sealed
  from webhook_attempt t
  where t.account_id = p.account_id and t.event_id = $3 and t.endpoint_id = p.endpoint_id
  order by t.attempt desc
  limit 1) t on true
where p.account_id = $1 and p.endpoint_id = $2`);
/** Loads everything that signs a request to an endpoint, and the last exchange for an event. */
export const loadSigningEndpoint = (db: Queryable, account_id: string, endpoint_id: string, event_id: string) =>
  db.row(signing, [account_id, endpoint_id, event_id]);
