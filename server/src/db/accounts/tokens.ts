import type { Environment } from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";

/** What a token grants, plus the account data that a request needs. One lookup serves the whole front door. */
export type Grant = {
  account_id: string;
  credential_id: string;
  scopes: string[];
  created_at: Date;
  expires_at: Date;
  environment: Environment;
  rate_per_second: number | null;
  rate_burst: number | null;
  /** How far the account's clock is ahead of real time. Moving it announces a change. */
  clock_offset_s: number;
};

const insert = sql<
  [
    account_id: string,
    token_hash: Buffer,
    credential_id: string,
    secret_id: number,
    scopes: string[],
    created_at: Date,
    expires_at: Date,
  ]
>`
with live as (
  select s.account_id, s.credential_id, s.secret_id, s.last_used_at
  from credential_secret s
  join credential c on c.account_id = s.account_id and c.credential_id = s.credential_id
  where s.account_id = $1 and s.credential_id = $3 and s.secret_id = $4
    and s.revoked_at is null and c.revoked_at is null
), used as (
  -- "Last used" has minute precision: updating the row for every token would serialize them.
  update credential_secret s
  set last_used_at = $6
  from live
  where s.account_id = live.account_id and s.credential_id = live.credential_id and s.secret_id = live.secret_id
    and (live.last_used_at is null or live.last_used_at < $6::timestamptz - interval '1 minute')
)
insert into access_token (account_id, token_hash, credential_id, secret_id, scopes, created_at, expires_at)
select live.account_id, $2, live.credential_id, live.secret_id, $5, $6, $7
from live`;
/** Returns 0 and issues nothing if the credential or the secret was revoked in the meantime. */
export const insertToken = (
  db: Queryable,
  row: {
    account_id: string;
    token_hash: Buffer;
    credential_id: string;
    secret_id: number;
    scopes: string[];
    created_at: Date;
    expires_at: Date;
  },
) =>
  db.run(insert, [
    row.account_id,
    row.token_hash,
    row.credential_id,
    row.secret_id,
    row.scopes,
    row.created_at,
    row.expires_at,
  ]);

export const insertTokenText = insert.text;

const grant = sql<[account_id: string, token_hash: Buffer], Grant>`
select t.account_id, t.credential_id, t.scopes, t.created_at, t.expires_at,
  a.environment, a.rate_per_second, a.rate_burst, a.clock_offset_s
from access_token t
join credential c on c.account_id = t.account_id and c.credential_id = t.credential_id
join credential_secret s
  on s.account_id = t.account_id and s.credential_id = t.credential_id and s.secret_id = t.secret_id
join account a on a.account_id = t.account_id
where t.account_id = $1 and t.token_hash = $2 and c.revoked_at is null and not s.tokens_void`;
export const loadGrant = (db: Queryable, account_id: string, token_hash: Buffer) =>
  db.row(grant, [account_id, token_hash]);

const remove = sql<[account_id: string, token_hash: Buffer]>`
delete from access_token
where account_id = $1 and token_hash = $2`;
export const deleteToken = (db: Queryable, account_id: string, token_hash: Buffer) =>
  db.run(remove, [account_id, token_hash]);

const removeExpired = sql<[account_id: string, now: Date, most: number]>`
delete from access_token
where account_id = $1 and token_hash in (
  select token_hash
  from access_token
  where account_id = $1 and expires_at <= $2
  order by expires_at
  limit $3
  for update skip locked)`;
/** Deletes in batches, so that no delete holds its locks for long. */
export const deleteExpiredTokens = (db: Queryable, account_id: string, now: Date, most: number) =>
  db.run(removeExpired, [account_id, now, most]);
