import type { AttemptPosition } from "../../db/webhooks/attempts.ts";
import type { FeedPosition } from "../../db/webhooks/feed.ts";
import { refuse } from "../../domain/values/refusals.ts";
import type { Query } from "../query-values.ts";

/** Sorts before every event. */
const BEGINNING: FeedPosition = { feed_position: 0, event_position: 0 };
/** Sorts after every attempt, because attempts are listed newest first. */
const NEWEST: AttemptPosition = {
  at: new Date("9999-12-31T00:00:00.000Z"),
  endpoint_id: "ffffffff-ffff-ffff-ffff-ffffffffffff",
  attempt: 2 ** 31 - 1,
};

/** Opaque to partners, so that their content can change. */
const encoded = (text: string) => Buffer.from(text).toString("base64url");

export const feedCursor = ({ feed_position, event_position }: FeedPosition) =>
  encoded(`f${feed_position}.${event_position}`);

export function feedPosition(query: Query): FeedPosition {
  const parts = partsOf(query, /^f(\d{1,15})\.(\d{1,15})$/);
  if (parts === undefined) return BEGINNING;
  const position = { feed_position: Number(parts[0]), event_position: Number(parts[1]) };
  return feedCursor(position) === query.get("cursor")?.[0] ? position : refuse(40003, "cursor");
}

export const attemptCursor = ({ at, endpoint_id, attempt }: AttemptPosition) =>
  encoded(`a${at.getTime()}.${attempt}.${endpoint_id}`);

export function attemptPosition(query: Query): AttemptPosition {
  const parts = partsOf(query, /^a(\d{1,15})\.(\d{1,9})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/);
  if (parts === undefined) return NEWEST;
  const position = { at: new Date(Number(parts[0])), endpoint_id: String(parts[2]), attempt: Number(parts[1]) };
  return attemptCursor(position) === query.get("cursor")?.[0] ? position : refuse(40003, "cursor");
}

/** The parts of a cursor; undefined if the query has none. */
function partsOf(query: Query, form: RegExp): string[] | undefined {
  const [cursor] = query.get("cursor") ?? [];
  if (cursor === undefined) return undefined;
  const [, ...parts] = form.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? refuse(40003, "cursor");
  return parts;
}
