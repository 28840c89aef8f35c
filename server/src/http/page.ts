import { limitText } from "@pestle/contract";
import { MOST_PAGE_BYTES } from "../domain/values/page-bytes.ts";
import { refuse } from "../domain/values/refusals.ts";
import { renderPage } from "../usecases/operations/render-each.ts";
import { type Answer, answer, etagOf, json, showing } from "./answer.ts";
import { type CursorList, openCursor, sealCursor } from "./cursors.ts";

/** The two parameters of every paged list (contract, Conventions 7). */
export type Page = { before: number; limit: number };

const DEFAULT_LIMIT = 25;
const MOST = 200;
const TOLD = limitText({ minimum: 1, maximum: MOST })!;

export function pageOf(query: ReadonlyMap<string, string[]>, list: CursorList): Page {
  const [cursor] = query.get("cursor") ?? [];
  return { limit: limitOf(query), before: cursor === undefined ? Number.MAX_SAFE_INTEGER : positionOf(list, cursor) };
}

export function limitOf(query: ReadonlyMap<string, string[]>): number {
  const [limit = String(DEFAULT_LIMIT)] = query.get("limit") ?? [];
  if (/^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= MOST) return Number(limit);
  return refuse(
    40003,
    "limit",
    /^-?\d+$/.test(limit) ? { message: TOLD } : { problem: "wrong_type", expected: "integer" },
  );
}

type Paged<Body> = Body & { next_cursor: string | null };

/**
 * The answer of a paged list. The same page always gives the same cursor, and the Link header carries the next page's
 * address.
 */
export const pageAnswer = <Body extends object>(
  url: string,
  body: Body,
  next: number | null,
  list: CursorList,
): Answer<Paged<Body>> => linkedAnswer(url, body, next === null ? null : cursorOf(list, next));

function linkedAnswer<Body extends object>(url: string, body: Body, next_cursor: string | null): Answer<Paged<Body>> {
  const headers = next_cursor === null ? undefined : { link: linkTo(url, next_cursor) };
  return json(200, { ...body, next_cursor }, headers);
}

export function linkTo(url: string, cursor: string): string {
  const address = new URL(url, "http://list");
  address.searchParams.set("cursor", cursor);
  return `<${address.pathname}${address.search}>; rel="next"`;
}

/**
 * The answer of a list whose records can be large: it ends before the record that exceeds the page's bytes, and the next
 * page begins there. `cursorAfter` gives the cursor after a record, `next_cursor` the one after them all. With `end`, the
 * answer also has `end_cursor`, the end of the page whether or not more follows. With `patientOf`, the audit log gets the
 * patients of the records that are sent.
 */
export async function listAnswer<Entry>(
  url: string,
  name: string,
  records: readonly Entry[],
  given: {
    cursorAfter: (index: number) => string;
    next_cursor: string | null;
    end?: string;
    /** A list that is whole up to a page's size has `next_cursor` only beyond it. */
    whole?: true;
    /** For records that are rendered already. */
    textOf?: (entry: Entry) => string;
    patientOf?: (entry: Entry) => string | null | undefined;
  },
): Promise<Answer> {
  const { count, end } = await renderPage(`{${JSON.stringify(name)}:[`, records, MOST_PAGE_BYTES, given.textOf);
  const cut = count < records.length ? given.cursorAfter(count - 1) : null;
  const next_cursor = cut ?? given.next_cursor;
  const rest = JSON.stringify({
    ...(given.end !== undefined && { end_cursor: cut ?? given.end }),
    ...(given.whole && next_cursor === null ? {} : { next_cursor }),
  });
  const { bytes, hash } = end(rest === "{}" ? "]}" : `],${rest.slice(1)}`);
  const made = answer(
    200,
    { text: bytes, etag: etagOf(hash) },
    next_cursor === null ? undefined : { link: linkTo(url, next_cursor) },
  );
  const { patientOf } = given;
  if (patientOf === undefined) return made;
  return showing(made, { patients: records.slice(0, count).flatMap((entry) => patientOf(entry) ?? []) });
}

/** The cursor of a position in a numbered list. */
export const cursorOf = (list: CursorList, position: number) => sealCursor(list, `p${position}`);

function positionOf(list: CursorList, cursor: string): number {
  const [, digits] =
    /^p(\d{1,16})$/.exec(openCursor(list, cursor)) ?? refuse(40003, "cursor", { problem: "not_found" });
  return Number(digits);
}
