import { type Queryable, sql, statementOf } from "../db.ts";

/** A finished request, as the process that answered it logs it. */
export type LoggedRequest = {
  account_id: string;
  at: Date;
  request_id: string;
  credential_id: string;
  method: string;
  route: string;
  status: number;
  duration_ms: number;
  /** Error codes, separated by spaces, as in the log. */
  refused: string | undefined;
  /** Of a rejected request, redacted. */
  body: string | null;
};
export type RequestRow = Omit<LoggedRequest, "account_id" | "refused" | "body"> & { error_codes: number[] };

/** One array per column: the database reads them in a fraction of the time that it needs for JSON. */
type AddParams = [
  account_ids: string[],
  at_ms: string,
  request_ids: string,
  credential_ids: string[],
  methods: string[],
  routes: string[],
  statuses: string,
  durations_ms: string,
  error_codes: string[],
  buckets: string,
  bodies: (string | null)[],
];
const add = sql<AddParams>`
with written as (
  insert into request_log (account_id, at, request_id, credential_id, method, route, status, duration_ms, error_codes,
    body)
  select r.account_id, to_timestamp(r.at_ms / 1000), r.request_id, r.credential_id, r.method, r.route, r.status,
    r.duration_ms, r.error_codes::integer[], r.body
  from unnest($1::text[], $2::float8[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::smallint[], $8::real[],
    $9::text[], $11::text[])
    as r(account_id, at_ms, request_id, credential_id, method, route, status, duration_ms, error_codes, body)
  -- A batch whose answer was lost is sent again and counted once.
  on conflict do nothing
  returning account_id, at, request_id, credential_id, status
), bucketed as (
  select w.account_id, w.at, b.bucket
  from written w
  join unnest($3::uuid[], $10::smallint[]) as b(request_id, bucket) on b.request_id = w.request_id
), minutes as (
  insert into request_minute (account_id, minute, credential_id, requests, client_errors, server_errors, limited)
  select account_id, date_trunc('minute', at, 'UTC'), credential_id, count(*),
    count(*) filter (where status between 400 and 499 and status <> 429),
    count(*) filter (where status >= 500),
    count(*) filter (where status = 429)
  from written
  group by 1, 2, 3
  -- Always in the same order, so that two processes cannot deadlock.
  order by 1, 2, 3
  on conflict (account_id, minute, credential_id) do update
  set requests = request_minute.requests + excluded.requests,
    client_errors = request_minute.client_errors + excluded.client_errors,
    server_errors = request_minute.server_errors + excluded.server_errors,
    limited = request_minute.limited + excluded.limited
)
insert into request_latency (account_id, hour, bucket, requests)
select account_id, date_trunc('hour', at, 'UTC'), bucket, count(*)
from bucketed
group by 1, 2, 3
order by 1, 2, 3
on conflict (account_id, hour, bucket) do update
set requests = request_latency.requests + excluded.requests`;
/** Inserts a whole batch and its totals in one statement. */
export const insertRequests = (
  db: Queryable,
  requests: readonly (Omit<LoggedRequest, "refused"> & { error_codes: number[]; bucket: number })[],
) =>
  db.run(add, [
    requests.map(({ account_id }) => account_id),
    listOf(requests.map(({ at }) => at.getTime())),
    listOf(requests.map(({ request_id }) => request_id)),
    requests.map(({ credential_id }) => credential_id),
    requests.map(({ method }) => method),
    requests.map(({ route }) => route),
    listOf(requests.map(({ status }) => status)),
    listOf(requests.map(({ duration_ms }) => duration_ms)),
    requests.map(({ error_codes }) => listOf(error_codes)),
    listOf(requests.map(({ bucket }) => bucket)),
    requests.map(({ body }) => body),
  ]);

/** An array of numbers or UUIDs, which need no quotes. */
const listOf = (values: readonly (number | string)[]) => `{${values.join(",")}}`;

export type RequestFilter = {
  credential_id: string | null;
  method: string | null;
  route: string | null;
  status: number | null;
  error_code: number | null;
  since: Date;
  /** Only requests with an error. */
  errors: boolean;
};
/** The last request of the previous page. */
export type RequestPosition = { at: Date; request_id: string };

type PageParams = [
  account_id: string,
  before_at: Date,
  before_id: string,
  since: Date,
  limit: number,
  credential_id: string | null,
  method: string | null,
  route: string | null,
  status: number | null,
  error_code: number | null,
];
const pageOf = (which: string) =>
  statementOf<PageParams, RequestRow>(`
select request_id, at, credential_id, method, route, status, duration_ms, error_codes
from request_log
where account_id = $1 and (at, request_id) < ($2, $3::uuid) and at >= $4 ${which}
  and ($6::text is null or credential_id = $6)
  and ($7::text is null or method = $7)
  and ($8::text is null or route = $8)
  and ($9::integer is null or status = $9)
  and ($10::integer is null or $10 = any(error_codes))
order by at desc, request_id desc
limit $5`);
const page = pageOf("");
const errorPage = pageOf("and status >= 400");
/** Newest first. Errors have a separate index, so that a few are found quickly among many other requests. */
export const listRequests = (
  db: Queryable,
  account_id: string,
  filter: RequestFilter,
  before: RequestPosition,
  limit: number,
) =>
  db.rows(filter.errors ? errorPage : page, [
    account_id,
    before.at,
    before.request_id,
    filter.since,
    limit,
    filter.credential_id,
    filter.method,
    filter.route,
    filter.status,
    filter.error_code,
  ]);

/** What `GET /requests` filters by. */
export type OwnRequestFilter = {
  statuses: { from: number; to: number } | null;
  method: string | null;
  route: string | null;
  since: Date;
};

type OwnPageParams = [
  account_id: string,
  before_at: Date,
  before_id: string,
  since: Date,
  look_at: number,
  status_from: number | null,
  status_to: number | null,
  method: string | null,
  route: string | null,
  limit: number,
];
const ownPageOf = (which: string) =>
  statementOf<OwnPageParams, RequestRow & { fits: boolean; place: number }>(`
with looked_at as materialized (
  select request_id, at, credential_id, method, route, status, duration_ms, error_codes
  from request_log
  where account_id = $1 and (at, request_id) < ($2, $3::uuid) and at >= $4 ${which}
  order by at desc, request_id desc
  limit $5
), judged as materialized (
  select request_id, at, credential_id, method, route, status, duration_ms, error_codes,
    ($6::integer is null or status between $6 and $7) and ($8::text is null or method = $8)
      and ($9::text is null or route = $9) as fits,
    row_number() over (order by at desc, request_id desc)::integer as place
  from looked_at
)
select request_id, at, credential_id, method, route, status, duration_ms, error_codes, fits, place
from judged
-- The last one tells where the next page begins.
where fits or place = $5
order by place
limit $10`);
const ownPage = ownPageOf("");
const ownErrorPage = ownPageOf("and status >= 400");
/** The most requests that a page reads, even if few match. */
const MOST_LOOKED_AT = 5_000;

/** Requests before a position, newest first, and the start of the next page. */
export async function listOwnRequests(
  db: Queryable,
  account_id: string,
  { statuses, method, route, since }: OwnRequestFilter,
  before: RequestPosition,
  limit: number,
): Promise<{ rows: RequestRow[]; next: RequestPosition | null }> {
  const filtered = statuses !== null || method !== null || route !== null;
  const look_at = filtered ? Math.max(limit + 1, MOST_LOOKED_AT) : limit + 1;
  const looked = await db.rows(statuses !== null && statuses.from >= 400 ? ownErrorPage : ownPage, [
    account_id,
    before.at,
    before.request_id,
    since,
    look_at,
    statuses?.from ?? null,
    statuses?.to ?? null,
    method,
    route,
    limit + 1,
  ]);
  const fitting = looked.filter(({ fits }) => fits);
  if (fitting.length > limit) return { rows: fitting.slice(0, limit), next: fitting[limit - 1]! };
  const last = looked.at(-1);
  return { rows: fitting, next: last?.place === look_at ? last : null };
}

const one = sql<[account_id: string, request_id: string], RequestRow & { body: string | null }>`
select request_id, at, credential_id, method, route, status, duration_ms, error_codes, body
from request_log
where account_id = $1 and request_id = $2::uuid`;
export const loadRequest = (db: Queryable, account_id: string, request_id: string) =>
  db.row(one, [account_id, request_id]);

export type ErrorGroupRow = {
  status: number;
  /** Null if the error has only a status. */
  code: number | null;
  method: string;
  route: string;
  count: number;
  first_at: Date;
  last_at: Date;
  request_ids: string[];
};
const groups = sql<[account_id: string, since: Date, until: Date, most: number], ErrorGroupRow>`
with newest as (
  select at, request_id, method, route, status, error_codes
  from request_log
  where account_id = $1 and status >= 400 and at >= $2 and at < $3
  order by at desc, request_id desc
  limit $4
)
select n.status, c.code, n.method, n.route, count(*) as count, min(n.at) as first_at, max(n.at) as last_at,
  (array_agg(n.request_id order by n.at desc, n.request_id desc))[1:5] as request_ids
from newest n
left join lateral unnest(n.error_codes) as c(code) on true
group by 1, 2, 3, 4`;
/**
 * Groups the newest errors by status, code and route. Reads at most `most` of them; older ones repeat the same errors.
 */
export const listErrorGroups = (
  db: Queryable,
  account_id: string,
  { since, until }: { since: Date; until: Date },
  most: number,
) => db.rows(groups, [account_id, since, until, most]);

const excess = sql<[account_id: string, since: Date, most: number], { minute: Date }>`
select minute
from (
  select minute, sum(requests) over (order by minute desc, credential_id) as so_far
  from request_minute
  where account_id = $1 and minute >= $2) counted
where so_far > $3
order by minute desc
limit 1`;
/**
 * The minute before which the log has more than the newest `most` requests; undefined if it has fewer since then. The
 * totals tell it, without counting the requests themselves.
 */
export const findExcessBefore = async (db: Queryable, account_id: string, since: Date, most: number) =>
  (await db.row(excess, [account_id, since, most]))?.minute;

const tidy = sql<[account_id: string, before: Date, most: number]>`
delete from request_log
where account_id = $1 and (at, request_id) in (
  select at, request_id
  from request_log
  where account_id = $1 and at < $2
  order by at
  limit $3)`;
/** Deletes in batches, so that no delete holds its locks for long. */
export const deleteOldRequests = (db: Queryable, account_id: string, before: Date, most: number) =>
  db.run(tidy, [account_id, before, most]);
