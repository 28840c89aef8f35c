import { refuse } from "../domain/values/refusals.ts";
import { type Answer, json } from "./answer.ts";

/** The two parameters of every paged list (contract, Conventions 7). */
export type Page = { before: number; limit: number };

const DEFAULT_LIMIT = 25;
const MOST = 200;

export function pageOf(query: ReadonlyMap<string, string[]>): Page {
  const [cursor] = query.get("cursor") ?? [];
  return { limit: limitOf(query), before: cursor === undefined ? Number.MAX_SAFE_INTEGER : positionOf(cursor) };
}

export function limitOf(query: ReadonlyMap<string, string[]>): number {
  const [limit = String(DEFAULT_LIMIT)] = query.get("limit") ?? [];
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > MOST) refuse(40003, "limit");
  return Number(limit);
}

type Paged<Body> = Body & { next_cursor: string | null };

/**
 * The answer of a paged list. The same page always gives the same cursor, and the Link header carries the next page's
 * address.
 */
export const pageAnswer = <Body extends object>(url: string, body: Body, next: number | null): Answer<Paged<Body>> =>
  linkedAnswer(url, body, next === null ? null : cursorOf(next));

export function linkedAnswer<Body extends object>(
  url: string,
  body: Body,
  next_cursor: string | null,
): Answer<Paged<Body>> {
  if (next_cursor === null) return json(200, { ...body, next_cursor });
  const address = new URL(url, "http://list");
  address.searchParams.set("cursor", next_cursor);
  const link = `<${address.pathname}${address.search}>; rel="next"`;
  return json(200, { ...body, next_cursor }, { link });
}

/** Opaque to partners, so that its content can change. */
const cursorOf = (position: number) => Buffer.from(`p${position}`).toString("base64url");

function positionOf(cursor: string): number {
  const [, digits] = /^p(\d{1,16})$/.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  if (digits === undefined || cursorOf(Number(digits)) !== cursor) refuse(40003, "cursor");
  return Number(digits);
}
