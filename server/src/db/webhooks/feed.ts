import type { EventType, WebhookEventRecord } from "@pestle/contract";
import { MOST_PAGE_BYTES } from "../../domain/values/page-bytes.ts";
import { type Queryable, type Statement, sql, statementOf } from "../db.ts";

/** An event's position in the feed: the position of its transaction, then its own. */
export type FeedPosition = { feed_position: number; event_position: number };
export type FeedFilter = {
  event_type: EventType | null;
  order_number: string | null;
  delivered: boolean | null;
  after: Date | null;
};
export type FeedRow = FeedPosition &
  Pick<WebhookEventRecord, "event_id" | "event_type" | "order_number"> & {
    created_at: Date;
    account_id: string;
    body: string | null;
    body_sealed: Buffer | null;
    deliveries: WebhookEventRecord["deliveries"];
  };
/** How far a page read. If it read the maximum number of events, more may follow. `matched` counts those that fit. */
type Edge = {
  looked_at: number;
  matched: number;
  last_feed_position: number | null;
  last_event_position: number | null;
};

/**
 * The deliveries of an event `e` of the account $1. A pending one has a row. For any other, the last attempt gives the result, and a
 * delivery whose endpoint was deleted counts as failed.
 */
export const DELIVERIES = `
  select d.endpoint_id, 'pending' as status, d.attempts, case when p.status = 'active' then d.due_at end as next_attempt_at
  from webhook_delivery d
  join webhook_endpoint p on p.account_id = $1 and p.endpoint_id = d.endpoint_id
  where d.account_id = $1 and d.event_id = e.event_id
  union all
  select l.endpoint_id, case l.delivery_status when 'delivered' then 'delivered' else 'failed' end, l.attempt, null
  from (
    select distinct on (t.endpoint_id) t.endpoint_id, t.delivery_status, t.attempt
    from webhook_attempt t
    where t.account_id = $1 and t.event_id = e.event_id
    order by t.endpoint_id, t.attempt desc) l
  where not exists (
    select
    from webhook_delivery d
    join webhook_endpoint p on p.account_id = $1 and p.endpoint_id = d.endpoint_id
    where d.account_id = $1 and d.event_id = e.event_id and d.endpoint_id = l.endpoint_id)`;

const EVENT = `
  e.account_id, e.event_id, e.event_type, e.order_number, e.created_at, e.body, e.body_sealed, e.feed_position, e.event_position,
  (
    select coalesce(json_agg(json_build_object(
      'endpoint_id', x.endpoint_id, 'status', x.status, 'attempts', x.attempts,
      'next_attempt_at', x.next_attempt_at) order by x.endpoint_id), '[]')
    from (${DELIVERIES}) x) as deliveries`;

/**
 * The condition that each filter adds on an event `e`. `value` is the parameter. Only the order filter has its own
 * index.
 */
export const FEED_CONDITIONS = {
  event_type: (value: string) => `e.event_type = ${value}`,
  after: (value: string) => `e.created_at > ${value}::timestamptz`,
  delivered: (value: string) => `(
      select coalesce(bool_and(x.status = 'delivered'), false)
      from (${DELIVERIES}) x) = ${value}::boolean`,
} as const;
type ConditionName = keyof typeof FEED_CONDITIONS;

type PageParams = readonly [
  account_id: string,
  feed_position: number,
  event_position: number,
  looked_at: number,
  limit: number,
  bytes: number,
  ...filters: unknown[],
];
type PageRow = Edge & { [Column in keyof FeedRow]: FeedRow[Column] | null };

/** The planner leaves out the other half. */
const HORIZON = `select case when is_distributed() then (
      select webhook_feed_horizon(max(f.server), max(f.base))
      from account_feed f
      where f.account_id = $1) else webhook_feed_horizon() end`;

/**
 * Builds one statement per set of filters. It reads a limited number of events from a position on, for one order or for
 * all, and stops at the horizon. No transaction can still commit below the horizon, so a page is the same on every
 * read.
 */
function pageText(by_order: boolean, names: readonly ConditionName[]): string {
  const first = by_order ? 8 : 7;
  const asked = names.map((name, index) => FEED_CONDITIONS[name](`$${first + index}`));
  return `
with looked_at as materialized (
  select e.account_id, e.event_id, e.event_type, e.created_at, e.feed_position, e.event_position,
    coalesce(octet_length(e.body_sealed), octet_length(e.body)) as bytes
  from webhook_event e
  where e.account_id = $1 and (e.feed_position, e.event_position) > ($2, $3)
    and e.feed_position < (${HORIZON})${by_order ? "\n    and e.order_number = $7" : ""}
  order by e.feed_position, e.event_position
  limit $4
), matched as materialized (
  select e.event_id, e.feed_position, e.event_position, e.bytes
  from looked_at e${asked.length === 0 ? "" : `\n  where ${asked.join("\n    and ")}`}
  order by e.feed_position, e.event_position
  limit $5
), page as materialized (
  -- The bodies of the page have at most $6 bytes together, so that the database sends no more than the answer shows.
  select s.event_id
  from (
    select m.event_id, sum(m.bytes) over place as bytes, row_number() over place as number
    from matched m
    window place as (order by m.feed_position, m.event_position)) s
  where s.bytes <= $6 or s.number = 1
), edge as (
  select (select count(*)::integer from looked_at) as looked_at, (select count(*)::integer from matched) as matched,
    l.feed_position as last_feed_position,
    l.event_position as last_event_position
  from (values (true)) as always(there)
  left join lateral (
    select l.feed_position, l.event_position
    from looked_at l
    order by l.feed_position desc, l.event_position desc
    limit 1) l on always.there
)
select edge.looked_at, edge.matched, edge.last_feed_position, edge.last_event_position, shown.account_id, shown.event_id,
  shown.event_type, shown.order_number, shown.created_at, shown.body, shown.body_sealed, shown.feed_position, shown.event_position, shown.deliveries
from edge
left join (
  select ${EVENT}
  from page
  cross join lateral (
    -- The limit keeps the planner from looking up the deliveries of events that are not on the page.
    select e.account_id, e.event_id, e.event_type, e.order_number, e.created_at, e.body, e.body_sealed, e.feed_position,
      e.event_position
    from webhook_event e
    where e.account_id = $1 and e.event_id = page.event_id
    limit 1) e) shown on true
order by shown.feed_position, shown.event_position`;
}

const pages = new Map<string, Statement<PageParams, PageRow>>();
/** The most events that a page reads, even if few match. Each match costs several lookups. */
const MOST_LOOKED_AT = 10_000;
const MOST_DELIVERIES_LOOKED_AT = 2_000;

export type FeedPage = {
  rows: FeedRow[];
  /** More events exist, or may exist, after `end`. */
  more: boolean;
  /** The end of this page and the start of the next. */
  end: FeedPosition;
};

/** Events after a position, oldest first. */
export async function readFeed(
  db: Queryable,
  account_id: string,
  filter: FeedFilter,
  start: FeedPosition,
  limit: number,
): Promise<FeedPage> {
  const { order_number } = filter;
  const names = (Object.keys(FEED_CONDITIONS) as ConditionName[]).filter((name) => filter[name] !== null);
  const key = `${order_number !== null} ${names}`;
  const page = pages.get(key) ?? statementOf<PageParams, PageRow>(pageText(order_number !== null, names));
  pages.set(key, page);
  const most = filter.delivered !== null ? MOST_DELIVERIES_LOOKED_AT : MOST_LOOKED_AT;
  const look_at = names.length === 0 ? limit + 1 : most;
  const given = [...(order_number === null ? [] : [order_number]), ...names.map((name) => filter[name])];
  const found = await db.rows(page, [
    account_id,
    start.feed_position,
    start.event_position,
    look_at,
    limit + 1,
    MOST_PAGE_BYTES,
    ...given,
  ]);
  const rows = found.filter((row) => row.event_id !== null) as (FeedRow & Edge)[];
  const { matched } = found[0]!;
  if (rows.length > limit || rows.length < matched) {
    const shown = rows.slice(0, limit);
    return { rows: shown, more: true, end: shown.at(-1)! };
  }
  const { looked_at, last_feed_position, last_event_position } = found[0]!;
  const end =
    last_feed_position === null || last_event_position === null
      ? start
      : { feed_position: last_feed_position, event_position: last_event_position };
  return { rows, more: looked_at === look_at, end };
}

const event = statementOf<[account_id: string, event_id: string], FeedRow>(`
select ${EVENT}
from webhook_event e
where e.account_id = $1 and e.event_id = $2`);
export const findEvent = (db: Queryable, account_id: string, event_id: string) => db.row(event, [account_id, event_id]);

const before = sql<[account_id: string, moment: Date], { feed_position: number }>`
select e.feed_position
from webhook_event e
where e.account_id = $1 and e.event_id < event_id_from($2)
order by e.event_id desc
limit 1`;
/** The position of the newest event whose id is older than a time. */
export const findPositionBefore = async (db: Queryable, account_id: string, moment: Date) =>
  (await db.row(before, [account_id, moment]))?.feed_position ?? 0;

const eventAt = sql<[account_id: string, feed_position: number, event_position: number], { found: boolean }>`
select exists (
  select
  from webhook_event e
  where e.account_id = $1 and e.feed_position = $2 and ($3::bigint = 0 or e.event_position = $3)) as found`;
/** Whether the account has an event at a position. The position before the events of a transaction ends with 0. */
export const hasEventAt = async (db: Queryable, account_id: string, at: FeedPosition): Promise<boolean> =>
  (await db.row(eventAt, [account_id, at.feed_position, at.event_position]))?.found === true;
