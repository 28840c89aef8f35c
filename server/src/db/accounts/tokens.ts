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
  /** Addresses that may use the token; empty: all. */
  allowed_networks: string[];
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
    and s.revoked_at is null and c.revoked_at is null and not c.key_required
), used as (
  -- "Last used" has minute precision: updating the row for every token would serialize them.
  update credential_secret s
  set last_used_at = $6
  from live
  where s.account_id = $1 and s.credential_id = live.credential_id and s.secret_id = live.secret_id
    and (live.last_used_at is null or live.last_used_at < $6::timestamptz - interval '1 minute')
)
insert into access_token (account_id, token_hash, credential_id, secret_id, scopes, created_at, expires_at)
select live.account_id, $2, live.credential_id, live.secret_id, $5, $6, $7
from live
returning account_id`;
const insertByKey = sql<
  [
    account_id: string,
    token_hash: Buffer,
    credential_id: string,
    key_id: number,
    scopes: string[],
    created_at: Date,
    expires_at: Date,
  ]
>`
with live as (
  select k.account_id, k.credential_id, k.key_id, k.last_used_at
  from credential_key k
  join credential c on c.account_id = k.account_id and c.credential_id = k.credential_id
  where k.account_id = $1 and k.credential_id = $3 and k.key_id = $4
    and k.removed_at is null and c.revoked_at is null
), used as (
  update credential_key k
  set last_used_at = $6
  from live
  where k.account_id = $1 and k.credential_id = live.credential_id and k.key_id = live.key_id
    and (live.last_used_at is null or live.last_used_at < $6::timestamptz - interval '1 minute')
)
insert into access_token (account_id, token_hash, credential_id, key_id, scopes, created_at, expires_at)
select live.account_id, $2, live.credential_id, live.key_id, $5, $6, $7
from live
returning account_id`;

/** The secret or the key that a client proved to have. */
export type Proof = { secret_id: number } | { key_id: number };

/** Returns 0 and issues nothing if the credential, the secret or the key was revoked in the meantime. */
export const insertToken = (
  db: Queryable,
  row: {
    account_id: string;
    token_hash: Buffer;
    credential_id: string;
    proof: Proof;
    scopes: string[];
    created_at: Date;
    expires_at: Date;
  },
) => {
  const { account_id, token_hash, credential_id, proof, scopes, created_at, expires_at } = row;
  return "secret_id" in proof
    ? db.run(insert, [account_id, token_hash, credential_id, proof.secret_id, scopes, created_at, expires_at])
    : db.run(insertByKey, [account_id, token_hash, credential_id, proof.key_id, scopes, created_at, expires_at]);
};

export const insertTokenText = insert.text;

const grant = sql<[account_id: string, token_hash: Buffer], Grant>`
select t.account_id, t.credential_id, t.scopes, t.created_at, t.expires_at,
  a.environment, a.rate_per_second, a.rate_burst, a.clock_offset_s, c.allowed_networks
from access_token t
join credential c on c.account_id = t.account_id and c.credential_id = t.credential_id
left join credential_secret s
  on s.account_id = t.account_id and s.credential_id = t.credential_id and s.secret_id = t.secret_id
left join credential_key k
  on k.account_id = t.account_id and k.credential_id = t.credential_id and k.key_id = t.key_id
join account a on a.account_id = t.account_id
where t.account_id = $1 and t.token_hash = $2 and c.revoked_at is null
  and case when t.key_id is null then not s.tokens_void else k.removed_at is null end`;
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
