import type { Rows } from "../schema-rows.ts";

/** An event as the change that causes it saves it; PostgreSQL gives it its place in the feed. */
export type NewEvent = Pick<
  Rows["webhook_event"],
  "account_id" | "event_id" | "event_type" | "patient_id" | "order_number" | "body" | "created_at"
>;
