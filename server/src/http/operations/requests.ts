import {
  isErrorCode,
  type PortalRequest,
  type PortalRequestDetails,
  type PortalRequestErrors,
  type PortalRequests,
  type PortalUsage,
} from "@pestle/contract";
import { listCredentials } from "../../db/accounts/credentials.ts";
import {
  listErrorGroups,
  listRequests,
  loadRequest,
  type RequestPosition,
  type RequestRow,
} from "../../db/operations/request-log.ts";
import { listLatencies, listUsageHours } from "../../db/operations/request-usage.ts";
import { listWebhookHours } from "../../db/webhooks/portal-webhooks.ts";
import type { Deps } from "../../deps.ts";
import { shownQuotas } from "../../domain/accounts/quotas.ts";
import { errorGroups } from "../../domain/operations/error-groups.ts";
import { errorHints } from "../../domain/operations/error-hints.ts";
import { firstHour, usageHours } from "../../domain/operations/usage-hours.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { refuse, StatusRefusal } from "../../domain/values/refusals.ts";
import { type Answer, json } from "../answer.ts";
import { limitOf as rateOf } from "../front-door.ts";
import { limitOf } from "../page.ts";
import { everybody, idOf, ofAccount, type PortalCallTo, queryOf, UUID } from "../portal-route.ts";
import { flagOf, numberOf, type Query, textOf, timeOf } from "../query-values.ts";
import type { Asked, WebRoute } from "../web-api.ts";

/** A partner's API usage: requests, errors and volume. */
export const requestRoutes: readonly WebRoute[] = [
  { method: "GET", path: "/portal/:environment/requests", roles: everybody, handler: ofAccount(list) },
  { method: "GET", path: "/portal/:environment/requests/:request_id", roles: everybody, handler: ofAccount(one) },
  { method: "GET", path: "/portal/:environment/request_errors", roles: everybody, handler: ofAccount(errors) },
  { method: "GET", path: "/portal/:environment/usage", roles: everybody, handler: ofAccount(usage) },
];

const HOUR_MS = 3600 * 1000;
/** Errors beyond this number repeat the same causes. */
const MOST_ERRORS = 50_000;

const filters = ["credential_id", "method", "route", "status", "errors", "error_code", "since", "until"] as const;

async function list(
  deps: Deps,
  call: PortalCallTo<"GET /portal/{environment}/requests">,
): Promise<Answer<PortalRequests>> {
  const query = queryOf(call, "request_id", ...filters, "limit", "cursor");
  const { account_id } = call.account;
  const { REQUEST_LOG_DAYS: kept_days, TIME_ZONE: zone } = deps.config;
  const request_id = textOf(query, "request_id", (text) => text.length <= 100)?.toLowerCase() ?? null;
  if (request_id !== null) {
    const found = UUID.test(request_id) ? await loadRequest(deps.db, account_id, request_id) : undefined;
    const requests = await shown(deps, account_id, found === undefined ? [] : [found]);
    return json(200, { requests, next_cursor: null, kept_days } satisfies PortalRequests);
  }
  const limit = limitOf(query);
  const status = numberOf(query, "status", (status) => status >= 100 && status <= 599);
  const error_code = numberOf(query, "error_code", isErrorCode);
  const errors = flagOf(query, "errors") ?? false;
  const oldest = new Date(deps.now().getTime() - kept_days * 24 * HOUR_MS);
  const rows = await listRequests(
    deps.db,
    account_id,
    {
      credential_id: textOf(query, "credential_id", isShort),
      method: textOf(query, "method", isShort),
      route: textOf(query, "route", isShort),
      status,
      error_code,
      since: timeOf(query, "since", zone) ?? oldest,
      errors: errors || error_code !== null || (status !== null && status >= 400),
    },
    positionOf(query) ?? { at: timeOf(query, "until", zone) ?? END_OF_TIME, request_id: NO_UUID },
    limit + 1,
  );
  const page = rows.slice(0, limit);
  const next_cursor = rows.length > limit ? cursorOf(page.at(-1)!) : null;
  const requests = await shown(deps, account_id, page);
  return json(200, { requests, next_cursor, kept_days } satisfies PortalRequests);
}

async function one(
  deps: Deps,
  call: PortalCallTo<"GET /portal/{environment}/requests/{request_id}">,
): Promise<Answer<PortalRequestDetails>> {
  const found = await loadRequest(deps.db, call.account.account_id, idOf(call, "request_id", UUID));
  if (found === undefined) throw new StatusRefusal(404);
  const [request] = await shown(deps, call.account.account_id, [found]);
  return json(200, { ...request!, body: found.body } satisfies PortalRequestDetails);
}

async function errors(
  deps: Deps,
  call: PortalCallTo<"GET /portal/{environment}/request_errors">,
): Promise<Answer<PortalRequestErrors>> {
  const query = queryOf(call, "hours", "since", "until");
  const { REQUEST_LOG_DAYS: kept_days, TIME_ZONE: zone } = deps.config;
  const [from, until] = [timeOf(query, "since", zone), timeOf(query, "until", zone)];
  const hours = hoursIn(query, 168);
  // With an end alone, all that is kept before it.
  const longest_ms = until === null ? hours * HOUR_MS : kept_days * 24 * HOUR_MS;
  const since = from ?? new Date(deps.now().getTime() - longest_ms);
  const within = { since, until: until ?? END_OF_TIME };
  const counted = await listErrorGroups(deps.db, call.account.account_id, within, MOST_ERRORS);
  return json(200, { since: since.toISOString(), groups: errorGroups(counted) } satisfies PortalRequestErrors);
}

async function usage(deps: Deps, call: PortalCallTo<"GET /portal/{environment}/usage">): Promise<Answer<PortalUsage>> {
  const hours = hoursOf(call, 720);
  const { account } = call;
  const first = firstHour(deps.now(), hours);
  const account_first = firstHour(accountNow(deps.now(), account.clock_offset_s), hours);
  const [counted, latencies, webhooks] = await Promise.all([
    listUsageHours(deps.db, account.account_id, first),
    listLatencies(deps.db, account.account_id, first),
    listWebhookHours(deps.db, account.account_id, account_first),
  ]);
  const limit = rateOf(account, "partners");
  const series = usageHours(first, hours, counted, latencies, limit);
  return json(200, {
    ...series,
    limit,
    quotas: shownQuotas(deps.quotas.read(account.account_id, account.environment)),
    webhooks: webhooks.map(({ hour, ...sums }) => ({ hour: hour.toISOString(), ...sums })),
  } satisfies PortalUsage);
}

/** Adds the names of the credentials, and hints for the errors. */
async function shown(
  deps: Deps,
  account_id: string,
  rows: readonly (RequestRow & { body?: string | null })[],
): Promise<PortalRequest[]> {
  const credentials = rows.length === 0 ? [] : await listCredentials(deps.db, account_id);
  const names = new Map(credentials.map(({ credential_id, name }) => [credential_id, name]));
  return rows.map(({ at, error_codes, duration_ms, body: _, ...row }) => ({
    ...row,
    at: at.toISOString(),
    duration_ms: Math.round(duration_ms * 100) / 100,
    credential_name: names.get(row.credential_id) ?? null,
    errors: errorHints(row.status, error_codes),
  }));
}

const isShort = (text: string) => text.length <= 100;
const hoursOf = (call: Asked<"hours">, most: number) => hoursIn(queryOf(call, "hours"), most);
const hoursIn = (query: Query, most: number) => numberOf(query, "hours", (hours) => hours <= most) ?? 24;

const END_OF_TIME = new Date("9999-12-31T00:00:00Z");
/** Sorts before every other id. */
const NO_UUID = "00000000-0000-0000-0000-000000000000";

const cursorOf = ({ at, request_id }: RequestPosition) =>
  Buffer.from(`${at.getTime()} ${request_id}`).toString("base64url");

function positionOf(query: Query): RequestPosition | null {
  const [cursor] = query.get("cursor") ?? [];
  if (cursor === undefined) return null;
  const [at_ms = "", request_id = ""] = Buffer.from(cursor, "base64url").toString("latin1").split(" ");
  if (!/^\d{1,15}$/.test(at_ms) || !UUID.test(request_id)) refuse(40003, "cursor");
  return { at: new Date(Number(at_ms)), request_id };
}
