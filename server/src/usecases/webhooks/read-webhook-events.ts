import { standardWebhookHeaders, type WebhookAttempt, type WebhookEventRecord } from "@pestle/contract";
import type { Grant } from "../../db/accounts/tokens.ts";
import type { Queryable } from "../../db/db.ts";
import {
  type AttemptPosition,
  type AttemptRow,
  attemptPlace,
  type KeptExchange,
  listAttempts,
} from "../../db/webhooks/attempts.ts";
import type { FeedFilter, FeedPosition, FeedRow } from "../../db/webhooks/feed.ts";
import { findEvent, findPositionBefore, readFeed } from "../../db/webhooks/feed.ts";
import type { Deps } from "../../deps.ts";
import { attemptErrors } from "../../domain/webhooks/attempt-errors.ts";
import { type Vault, withKeysOfNow } from "../../vault/vault.ts";
import { loadPage } from "../operations/load-page.ts";
import { convertEach } from "../operations/render-each.ts";
import { openBody, patientIn } from "./event-body.ts";

type EventDeps = { db: Queryable; vault: Vault };

/** Covers the gap between creating an id and its event, and clock differences between processes. */
const ID_SLACK_MS = 10 * 60 * 1000;

/**
 * Event ids begin with real time, but events carry the account's time, which is ahead by at most the current offset. So
 * no event at or after `account_time` has an id from before the returned time.
 */
export const earliestIdTime = (account_time: Date, clock_offset_s: number) =>
  new Date(Math.max(0, account_time.getTime() - clock_offset_s * 1000 - ID_SLACK_MS));

const BYTES_PER_ATTEMPT = 500;

export type EventPage = {
  webhook_events: WebhookEventRecord[];
  /** The position of each event. */
  positions: FeedPosition[];
  more: boolean;
  end: FeedPosition;
};

/** A page of the feed after a position, and the position of its end. */
export async function readWebhookEvents(
  deps: Pick<Deps, "db" | "vault">,
  { account_id, clock_offset_s }: Grant,
  filter: FeedFilter,
  cursor: FeedPosition,
  limit: number,
): Promise<EventPage> {
  const start = await startOf(
    deps.db,
    account_id,
    filter.after && earliestIdTime(filter.after, clock_offset_s),
    cursor,
  );
  return withKeysOfNow(deps, async () => {
    const { rows, more, end } = await readFeed(deps.db, account_id, filter, start, limit);
    const webhook_events = await convertEach(rows, (row) => eventRecord(deps, row), bodyBytes);
    return { webhook_events, positions: rows, more, end };
  });
}

/** With a start time, skips all events that are certainly earlier. */
async function startOf(
  db: Queryable,
  account_id: string,
  ids_since: Date | null,
  cursor: FeedPosition,
): Promise<FeedPosition> {
  if (ids_since === null) return cursor;
  const feed_position = await findPositionBefore(db, account_id, ids_since);
  return feed_position > cursor.feed_position ? { feed_position, event_position: 0 } : cursor;
}

export async function readWebhookEvent(
  deps: EventDeps,
  account_id: string,
  event_id: string,
): Promise<WebhookEventRecord | undefined> {
  return withKeysOfNow(deps, async () => {
    const row = await findEvent(deps.db, account_id, event_id);
    return row && eventRecord(deps, row);
  });
}

/** The body as it is sent; undefined if there is no such event. */
export async function readEventBody(
  deps: EventDeps,
  account_id: string,
  event_id: string,
): Promise<string | undefined> {
  return withKeysOfNow(deps, async () => {
    const row = await findEvent(deps.db, account_id, event_id);
    return row && openBody(deps.vault, row);
  });
}

const bodyBytes = ({ body, body_sealed }: FeedRow) => (body_sealed ?? body ?? "").length;

const eventRecord = ({ vault }: Pick<Deps, "vault">, { created_at, deliveries, ...row }: FeedRow): WebhookEventRecord =>
  eventOf(JSON.parse(openBody(vault, row)), { created_at, deliveries, ...row });

const eventOf = (
  body: WebhookEventRecord["body"],
  { created_at, deliveries, ...row }: FeedRow,
): WebhookEventRecord => ({
  event_id: row.event_id,
  event_type: row.event_type,
  patient_id: patientIn(body),
  order_number: row.order_number,
  created_at: created_at.toISOString(),
  body,
  deliveries: deliveries.map(({ next_attempt_at, ...delivery }) => ({
    ...delivery,
    next_attempt_at: next_attempt_at && new Date(next_attempt_at).toISOString(),
  })),
});

/** A page of an event's attempts before a position, and the position of the next page if there is one. */
export async function readAttempts(
  deps: Pick<Deps, "db" | "vault">,
  account_id: string,
  event_id: string,
  before: AttemptPosition,
  limit: number,
): Promise<{ attempts: WebhookAttempt[]; next: AttemptPosition | null } | undefined> {
  const event = await findEvent(deps.db, account_id, event_id);
  if (event === undefined) return undefined;
  const attemptBytes = ({ exchange_sealed }: AttemptRow) =>
    // Each attempt repeats the event's body.
    BYTES_PER_ATTEMPT + bodyBytes(event) + (exchange_sealed?.length ?? 0);
  return withKeysOfNow(deps, async () => {
    const { rows, more } = await loadPage(
      limit,
      (after: AttemptRow | undefined, most) => listAttempts(deps.db, account_id, event_id, after ?? before, most),
      attemptBytes,
    );
    const attempts = await convertEach(rows, (row) => attemptAnswer(deps, account_id, event, row), attemptBytes);
    return { attempts, next: more ? rows.at(-1)! : null };
  });
}

function attemptAnswer(
  { vault }: Pick<Deps, "vault">,
  account_id: string,
  event: FeedRow,
  { exchange_sealed, delivery_status, ...row }: AttemptRow,
): WebhookAttempt {
  const { event_id } = event;
  const place = attemptPlace(account_id, event_id, row.endpoint_id, row.attempt);
  const kept = exchange_sealed && (JSON.parse(vault.open(exchange_sealed, place).toString("utf8")) as KeptExchange);
  return {
    endpoint_id: row.endpoint_id,
    attempt: row.attempt,
    at: row.at.toISOString(),
    delivered: delivery_status === "delivered",
    status: row.status,
    error: row.error,
    error_message: row.error && attemptErrors[row.error],
    duration_ms: row.duration_ms,
    request: kept && {
      method: "POST",
      url: kept.url,
      headers: {
        "content-type": "application/json",
        [standardWebhookHeaders.id]: event_id,
        [standardWebhookHeaders.timestamp]: String(kept.webhook_timestamp),
      },
      body: openBody(vault, event),
    },
    response: kept && row.status !== null ? { content_type: kept.response_type, body: kept.response_body } : null,
  };
}
