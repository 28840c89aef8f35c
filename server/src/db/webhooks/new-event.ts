import type { Rows } from "../schema-rows.ts";

/** The vault's place for an event's body. */
export const eventPlace = (account_id: string, event_id: string) =>
  `webhook_event.body_sealed ${account_id} ${event_id}`;

/** An event, saved with the change that causes it. PostgreSQL assigns its position in the feed. */
export type NewEvent = Pick<
  Rows["webhook_event"],
  "account_id" | "event_id" | "event_type" | "order_number" | "body_sealed" | "created_at"
>;
