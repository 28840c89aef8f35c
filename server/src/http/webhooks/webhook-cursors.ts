import type { AttemptPosition } from "../../db/webhooks/attempts.ts";
import { type FeedPosition, hasEventAt } from "../../db/webhooks/feed.ts";
import type { Deps } from "../../deps.ts";
import { refuse } from "../../domain/values/refusals.ts";
import { type CursorList, openCursor, sealCursor } from "../cursors.ts";
import type { Query } from "../query-values.ts";

/** Sorts before every event. */
const BEGINNING: FeedPosition = { feed_position: 0, event_position: 0 };
/** Sorts after every attempt, because attempts are listed newest first. */
const NEWEST: AttemptPosition = {
  at: new Date("9999-12-31T00:00:00.000Z"),
  endpoint_id: "ffffffff-ffff-ffff-ffff-ffffffffffff",
  attempt: 2 ** 31 - 1,
};

const feedList = (deps: Pick<Deps, "vault">, account_id: string): CursorList => ({
  vault: deps.vault,
  account_id,
  list: "webhook_events",
});

export const feedCursor = (
  deps: Pick<Deps, "vault">,
  account_id: string,
  { feed_position, event_position }: FeedPosition,
) => sealCursor(feedList(deps, account_id), `f${feed_position}.${event_position}`);

const FEED = /^f(\d{1,15})\.(\d{1,15})$/;
const positionIn = ([, feed_position, event_position]: RegExpExecArray): FeedPosition => ({
  feed_position: Number(feed_position),
  event_position: Number(event_position),
});

export function feedPosition(deps: Pick<Deps, "vault">, account_id: string, query: Query): FeedPosition {
  const [cursor] = query.get("cursor") ?? [];
  if (cursor === undefined) return BEGINNING;
  return positionIn(FEED.exec(openCursor(feedList(deps, account_id), cursor)) ?? refuse(40003, "cursor"));
}

/**
 * The same, and also a cursor that a program stored with 0.1.0, which did not encrypt them. It must be the exact position
 * of one of the account's events: a range of accepted positions would tell how many events other accounts have.
 */
export async function storedFeedPosition(deps: Deps, account_id: string, query: Query): Promise<FeedPosition> {
  const [cursor = ""] = query.get("cursor") ?? [];
  const text = Buffer.from(cursor.slice(0, LONGEST_CLEAR), "base64url").toString("latin1");
  const clear = Buffer.from(text, "latin1").toString("base64url") === cursor ? FEED.exec(text) : null;
  if (clear === null) return feedPosition(deps, account_id, query);
  const position = positionIn(clear);
  if (position.feed_position === 0) return BEGINNING;
  return (await hasEventAt(deps.db, account_id, position)) ? position : refuse(40003, "cursor");
}
const LONGEST_CLEAR = 48;

const attemptList = (deps: Pick<Deps, "vault">, account_id: string, event_id: string): CursorList => ({
  vault: deps.vault,
  account_id,
  list: `attempts ${event_id}`,
});

export const attemptCursor = (
  deps: Pick<Deps, "vault">,
  account_id: string,
  event_id: string,
  { at, endpoint_id, attempt }: AttemptPosition,
) => sealCursor(attemptList(deps, account_id, event_id), `a${at.getTime()}.${attempt}.${endpoint_id}`);

export function attemptPosition(
  deps: Pick<Deps, "vault">,
  account_id: string,
  event_id: string,
  query: Query,
): AttemptPosition {
  const [cursor] = query.get("cursor") ?? [];
  if (cursor === undefined) return NEWEST;
  const text = openCursor(attemptList(deps, account_id, event_id), cursor);
  const [, at_ms, attempt, endpoint_id = ""] = ATTEMPT.exec(text) ?? refuse(40003, "cursor");
  return { at: new Date(Number(at_ms)), endpoint_id, attempt: Number(attempt) };
}
const ATTEMPT = /^a(\d{1,15})\.(\d{1,9})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
