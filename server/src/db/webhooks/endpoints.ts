import type { EndpointState } from "../../domain/webhooks/webhook-endpoint.ts";
import { type Queryable, sql, statementOf, type Tx } from "../db.ts";

export type EndpointRow = EndpointState & { endpoint_id: string; created_at: Date; updated_at: Date };

/** The most deliveries that one request changes. */
const MOST_MOVED_AT_ONCE = 10_000;

const COLUMNS = `p.endpoint_id, p.url, p.events, p.description, p.status, p.disabled_reason, p.disabled_at, p.failing_since,
  p.signing_credential_id, p.signing_credential_secret_id, p.created_at, p.updated_at`;

const all = statementOf<[account_id: string], EndpointRow>(`
select ${COLUMNS}
from webhook_endpoint p
where p.account_id = $1
order by p.created_at desc, p.endpoint_id`);
/** Newest first. */
export const listEndpoints = (db: Queryable, account_id: string) => db.rows(all, [account_id]);

const one = statementOf<[account_id: string, endpoint_id: string], EndpointRow>(`
select ${COLUMNS}
from webhook_endpoint p
where p.account_id = $1 and p.endpoint_id = $2`);
export const findEndpoint = (db: Queryable, account_id: string, endpoint_id: string) =>
  db.row(one, [account_id, endpoint_id]);

const lock = statementOf<[account_id: string, endpoint_id: string], EndpointRow & { clock_offset_s: number }>(`
select ${COLUMNS}, a.clock_offset_s
from webhook_endpoint p
join account a on a.account_id = p.account_id
where p.account_id = $1 and p.endpoint_id = $2
for no key update of p`);
/** Locks the endpoint until the transaction ends. Returns the account's clock too. */
export const lockEndpoint = (tx: Tx, account_id: string, endpoint_id: string) =>
  tx.row(lock, [account_id, endpoint_id]);

const lockAll = sql<[account_id: string], { clock_offset_s: number }>`
select a.clock_offset_s
from account_home h
join account a on a.account_id = h.account_id
where h.account_id = $1
for no key update of h`;
/** Serializes endpoint registrations, so that each counts correctly. */
export const lockEndpoints = (tx: Tx, account_id: string) => tx.row(lockAll, [account_id]);

export type SigningFacts = {
  /** The number of endpoints of the account. */
  endpoints: number;
  /** The oldest live secret of the credential; null if the credential is unknown or revoked. */
  oldest_secret_id: number | null;
  newest_secret_id: number | null;
};
const signing = sql<[account_id: string, credential_id: string | null], SigningFacts>`
select
  (
    select count(*)::integer
    from webhook_endpoint p
    where p.account_id = $1) as endpoints,
  min(s.secret_id) as oldest_secret_id, max(s.secret_id) as newest_secret_id
from credential c
join credential_secret s on s.account_id = c.account_id and s.credential_id = c.credential_id
where c.account_id = $1 and c.credential_id = $2 and c.revoked_at is null and s.revoked_at is null`;
export const loadSigningFacts = async (tx: Tx, account_id: string, credential_id: string | null) =>
  (await tx.row(signing, [account_id, credential_id]))!;

const add = sql<
  [
    account_id: string,
    endpoint_id: string,
    url: string,
    events: readonly string[],
    description: string | null,
    secret_sealed: Buffer,
    signing_secret_sealed: Buffer,
    signing_credential_id: string,
    signing_credential_secret_id: number,
    now: Date,
  ]
>`
insert into webhook_endpoint (account_id, endpoint_id, url, events, description, secret_sealed, signing_secret_sealed,
  signing_credential_id, signing_credential_secret_id, created_at, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`;
type Sealed = { secret_sealed: Buffer; signing_secret_sealed: Buffer };
/** Inserts an active endpoint. */
export const insertEndpoint = (tx: Tx, account_id: string, row: EndpointRow & Sealed) =>
  tx.run(add, [
    account_id,
    row.endpoint_id,
    row.url,
    row.events,
    row.description,
    row.secret_sealed,
    row.signing_secret_sealed,
    row.signing_credential_id,
    row.signing_credential_secret_id,
    row.created_at,
  ]);

const save = {
  ...sql<
    [
      account_id: string,
      endpoint_id: string,
      url: string,
      events: readonly string[],
      description: string | null,
      status: string,
      disabled_reason: string | null,
      disabled_at: Date | null,
      failing_since: Date | null,
      signing_credential_id: string,
      signing_credential_secret_id: number,
      secret_sealed: Buffer | null,
      now: Date,
    ]
  >`
update webhook_endpoint
set url = $3, events = $4, description = $5, status = $6, disabled_reason = $7, disabled_at = $8, failing_since = $9,
  signing_credential_id = $10, signing_credential_secret_id = $11, secret_sealed = coalesce($12, secret_sealed),
  updated_at = $13
where account_id = $1 and endpoint_id = $2`,
  // Deliveries that were pending for a re-enabled endpoint are due, so the commit wakes the delivery loop.
  writes_events: true,
};
/** Null keeps the endpoint's secret. */
export const saveEndpoint = (tx: Tx, account_id: string, row: EndpointRow, secret_sealed: Buffer | null) =>
  tx.run(save, [
    account_id,
    row.endpoint_id,
    row.url,
    row.events,
    row.description,
    row.status,
    row.disabled_reason,
    row.disabled_at,
    row.failing_since,
    row.signing_credential_id,
    row.signing_credential_secret_id,
    secret_sealed,
    row.updated_at,
  ]);

const sign = sql<[account_id: string, credential_id: string, secret_id: number, account_now: Date]>`
update webhook_endpoint
set signing_credential_secret_id = $3, updated_at = $4
where account_id = $1 and signing_credential_id = $2 and signing_credential_secret_id <> $3`;
/** Signs all endpoints of a credential with one of its secrets. */
export const switchSigning = (
  tx: Tx,
  account_id: string,
  credential_id: string,
  secret_id: number,
  account_now: Date,
) => tx.run(sign, [account_id, credential_id, secret_id, account_now]);

const slowed = sql<[account_id: string], { endpoint_id: string; next_attempt_at: Date | null }>`
select p.endpoint_id,
  (
    select d.due_at
    from webhook_delivery d
    where d.account_id = $1 and d.endpoint_id = p.endpoint_id
    order by d.due_at
    limit 1) as next_attempt_at
from webhook_endpoint p
where p.account_id = $1 and p.status = 'active' and p.failing_since is not null`;
/** The failing endpoints and when the next pending delivery of each is due. */
export const listSlowed = (db: Queryable, account_id: string) => db.rows(slowed, [account_id]);

const makeDue = sql<[account_id: string, endpoint_id: string, account_now: Date, most: number]>`
update webhook_delivery d
set due_at = $3
where d.account_id = $1 and d.endpoint_id = $2 and d.event_id in (
  select w.event_id
  from webhook_delivery w
  where w.account_id = $1 and w.endpoint_id = $2 and w.due_at > $3
  order by w.due_at, w.event_position
  limit $4
  -- An attempt in progress schedules its own retry.
  for update skip locked)`;
/** Makes an endpoint's pending deliveries due at once, up to the limit per request. The rest keep their time. */
export const makeDeliveriesDue = (tx: Tx, account_id: string, endpoint_id: string, account_now: Date) =>
  tx.run(makeDue, [account_id, endpoint_id, account_now, MOST_MOVED_AT_ONCE]);

const remove = sql<[account_id: string, endpoint_id: string, most: number], { endpoint_id: string }>`
with gone as (
  delete from webhook_endpoint
  where account_id = $1 and endpoint_id = $2
  returning endpoint_id
), waiting as (
  delete from webhook_delivery d
  using gone g
  where d.account_id = $1 and d.endpoint_id = g.endpoint_id and d.event_id in (
    select w.event_id
    from webhook_delivery w
    where w.account_id = $1 and w.endpoint_id = $2
    limit $3
    -- The sweep handles attempts in progress and rows beyond the limit of one request.
    for update skip locked)
), hours as (
  delete from webhook_endpoint_hour h
  using gone g
  where h.account_id = $1 and h.endpoint_id = g.endpoint_id
)
select g.endpoint_id
from gone g`;
/** Returns false if there is no such endpoint. Drops its pending deliveries and keeps its attempts. */
export const deleteEndpoint = async (tx: Tx, account_id: string, endpoint_id: string) =>
  (await tx.row(remove, [account_id, endpoint_id, MOST_MOVED_AT_ONCE])) !== undefined;
