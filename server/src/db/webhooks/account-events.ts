import { type Queryable, sql, type Tx } from "../db.ts";

const add = sql<
  [account_id: string, event_id: string, event_type: string, body_sealed: Buffer, created_at: Date, only: string | null]
>`
insert into webhook_event (account_id, event_id, event_type, body_sealed, created_at, only_endpoint_id)
values ($1, $2, $3, $4, $5, $6)`;
/** Adds an event about the account itself, not about a patient or an order. */
export const insertAccountEvent = (
  tx: Tx,
  row: {
    account_id: string;
    event_id: string;
    event_type: string;
    body_sealed: Buffer;
    created_at: Date;
    only_endpoint_id: string | null;
  },
) => tx.run(add, [row.account_id, row.event_id, row.event_type, row.body_sealed, row.created_at, row.only_endpoint_id]);

const align = sql<[], { base: number }>`
with newest as (
  select max(n.feed_position) as feed_position
  from account a
  cross join lateral (
    select e.feed_position
    from webhook_event e
    where e.account_id = a.account_id
    order by e.feed_position desc
    limit 1) n
)
insert into webhook_feed (base)
select n.feed_position + 1 - pg_current_xact_id()::text::bigint
from newest n
where webhook_feed_position() <= n.feed_position
on conflict (singleton) do update
set base = excluded.base
returning base`;
/**
 * Feed positions are transaction ids. Another server starts at a lower id, so new events would sort before old ones,
 * and old ones would lie beyond the horizon. This raises the base, so that positions continue from the newest event.
 */
export const alignFeed = (db: Queryable) => db.row(align, []);
