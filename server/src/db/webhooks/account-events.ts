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
select raise_webhook_feed() as base`;
/**
 * Raises the base of the feed if the database runs on another server than before, or the server restarted (ADR 0087). The
 * first event on that server would do so too. Until then, events of a server with higher transaction ids would lie beyond
 * the horizon.
 */
export const alignFeed = (db: Queryable) => db.row(align, []);

const restart = sql<[kept: number | null], { base: number }>`
select restart_webhook_feed($1) as base`;
/**
 * Raises the base although the server runs on, because another server has given out higher positions meanwhile. Events from `kept` on move
 * above it.
 */
export const restartFeed = (tx: Tx, kept: number | null) => tx.row(restart, [kept]);
