import { type Queryable, sql } from "../db.ts";
import type { Rows } from "../schema-rows.ts";
import type { Bytes } from "../values.ts";

/** The vault's place for an event's body. */
export const eventPlace = (account_id: string, event_id: string) =>
  `webhook_event.body_sealed ${account_id} ${event_id}`;

/** An event, saved with the change that causes it. PostgreSQL assigns its position in the feed. */
export type NewEvent = Pick<
  Rows["webhook_event"],
  "account_id" | "event_id" | "event_type" | "order_number" | "body_sealed" | "created_at"
>;

const insert = sql<
  [
    account_id: string,
    event_id: string,
    event_type: string,
    order_number: string | null,
    body_sealed: Buffer | Bytes,
    created_at: Date,
  ]
>`
insert into webhook_event (account_id, event_id, event_type, order_number, body_sealed, created_at)
values ($1, $2, $3, $4, $5, $6)`;
/** Adds an event beside other statements of a transaction. */
export const insertEvent = (
  tx: Queryable,
  row: {
    account_id: string;
    event_id: string;
    event_type: string;
    order_number: string | null;
    body_sealed: Buffer | Bytes;
    created_at: Date;
  },
) => tx.run(insert, [row.account_id, row.event_id, row.event_type, row.order_number, row.body_sealed, row.created_at]);
