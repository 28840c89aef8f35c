import type { Rows } from "../schema-rows.ts";

/** An event, saved with the change that causes it. PostgreSQL assigns its position in the feed. */
export type NewEvent = Pick<
  Rows["webhook_event"],
  "account_id" | "event_id" | "event_type" | "patient_id" | "order_number" | "body" | "created_at"
>;
