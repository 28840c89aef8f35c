import { endpoints, requestMethods, STATUS_PATTERN, statusRange } from "@pestle/contract";
import {
  listOwnRequests,
  loadRequest,
  type OwnRequestFilter,
  type RequestPosition,
  type RequestRow,
} from "../../db/operations/request-log.ts";
import type { Deps } from "../../deps.ts";
import { loggedRequest } from "../../domain/operations/logged-request.ts";
import { isUuid } from "../../domain/values/identifiers.ts";
import { refuse, StatusRefusal } from "../../domain/values/refusals.ts";
import { json } from "../answer.ts";
import { type CursorList, openCursor, sealCursor } from "../cursors.ts";
import { limitOf, listAnswer } from "../page.ts";
import type { ReadHandler } from "../partner-api.ts";
import { choiceOf, type Query, textOf, timeOf } from "../query-values.ts";

const DAY_MS = 24 * 3600 * 1000;
const NEWEST: RequestPosition = {
  at: new Date("9999-12-31T00:00:00Z"),
  request_id: "00000000-0000-0000-0000-000000000000",
};

export const listRequests: ReadHandler = async (deps, { grant, query, url, now }) => {
  const { account_id } = grant;
  const list = { vault: deps.vault, account_id, list: "requests" };
  const limit = limitOf(query);
  const filter = filterOf(deps, query, now);
  const request_id = textOf(query, "request_id", isUuid, { message: "Send the value of X-Request-Id, a UUID." });
  const before = positionOf(list, query);
  const { rows, next } =
    request_id === null
      ? await listOwnRequests(deps.db, account_id, filter, before, limit)
      : { rows: await theOne(deps, account_id, request_id, filter), next: null };
  return listAnswer(
    url,
    "requests",
    rows.map((row) => loggedRequest(account_id, row)),
    {
      cursorAfter: (index) => cursorOf(list, rows[index]!),
      next_cursor: next && cursorOf(list, next),
    },
  );
};

export const getRequest: ReadHandler = async (deps, { grant, params }) => {
  const { request_id = "" } = params;
  const found = isUuid(request_id) ? await loadRequest(deps.db, grant.account_id, request_id.toLowerCase()) : undefined;
  if (found === undefined) throw new StatusRefusal(404);
  return json(200, loggedRequest(grant.account_id, found));
};

const paths = [...new Set(endpoints.filter(({ server }) => server === "partner").map(({ path }) => path))];

function filterOf({ config }: Deps, query: Query, now: Date): OwnRequestFilter {
  const status = textOf(query, "status", (text) => new RegExp(STATUS_PATTERN).test(text), {
    message: "Send a status such as 422, a class such as 4xx, or errors.",
  });
  const oldest = new Date(now.getTime() - config.REQUEST_LOG_DAYS * DAY_MS);
  const since = timeOf(query, "since", config.TIME_ZONE);
  return {
    statuses: status === null ? null : statusRange(status),
    method: choiceOf(query, "method", requestMethods),
    route: choiceOf(query, "path", paths),
    since: since !== null && since > oldest ? since : oldest,
  };
}

/** The request with that id, if it passes the other filters. */
async function theOne(
  deps: Deps,
  account_id: string,
  request_id: string,
  { statuses, method, route, since }: OwnRequestFilter,
): Promise<RequestRow[]> {
  const found = await loadRequest(deps.db, account_id, request_id.toLowerCase());
  if (found === undefined || found.at < since) return [];
  const { from, to } = statuses ?? { from: 0, to: 999 };
  const fits =
    found.status >= from &&
    found.status <= to &&
    (method === null || found.method === method) &&
    (route === null || found.route === route);
  return fits ? [found] : [];
}

const cursorOf = (list: CursorList, { at, request_id }: RequestPosition) =>
  sealCursor(list, `r${at.getTime()}.${request_id}`);

function positionOf(list: CursorList, query: Query): RequestPosition {
  const [cursor] = query.get("cursor") ?? [];
  if (cursor === undefined) return NEWEST;
  const [, at_ms, request_id] =
    /^r(\d{1,15})\.([0-9a-f-]{36})$/.exec(openCursor(list, cursor)) ??
    refuse(40003, "cursor", { problem: "not_found" });
  return { at: new Date(Number(at_ms)), request_id: request_id! };
}
