import type { AttemptError } from "../../domain/webhooks/attempt-errors.ts";
import type { DeliveryStatus } from "../../domain/webhooks/attempt-outcome.ts";
import { type Queryable, sql } from "../db.ts";

/** The vault's place for the request and response of an attempt. */
export const attemptPlace = (account_id: string, event_id: string, endpoint_id: string, attempt: number) =>
  `webhook_attempt.exchange_sealed ${account_id} ${event_id} ${endpoint_id} ${attempt}`;

/**
 * The stored request and response of an attempt. Sealed, because a URL may hold a token and a response may hold
 * anything.
 */
export type KeptExchange = {
  url: string;
  webhook_timestamp: number;
  response_type: string | null;
  /** The first 4 KiB, as text. */
  response_body: string;
};

export type AttemptRow = {
  endpoint_id: string;
  attempt: number;
  at: Date;
  delivery_status: DeliveryStatus;
  status: number | null;
  error: AttemptError | null;
  duration_ms: number;
  exchange_sealed: Buffer | null;
};
/** The position of an attempt within its event: by time, then by endpoint. */
export type AttemptPosition = Pick<AttemptRow, "at" | "endpoint_id" | "attempt">;

const ofEvent = sql<
  [account_id: string, event_id: string, at: Date, endpoint_id: string, attempt: number, limit: number],
  AttemptRow
>`
select t.endpoint_id, t.attempt, t.at, t.delivery_status, t.status, t.error, t.duration_ms, t.exchange_sealed
from webhook_attempt t
where t.account_id = $1 and t.event_id = $2 and (t.at, t.endpoint_id, t.attempt) < ($3, $4, $5)
order by t.at desc, t.endpoint_id desc, t.attempt desc
limit $6`;
/** Newest first, before a position. */
export const listAttempts = (
  db: Queryable,
  account_id: string,
  event_id: string,
  before: AttemptPosition,
  limit: number,
) => db.rows(ofEvent, [account_id, event_id, before.at, before.endpoint_id, before.attempt, limit]);
