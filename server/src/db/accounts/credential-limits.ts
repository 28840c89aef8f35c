import type { PublicJwk } from "../../domain/accounts/public-key.ts";
import { type Queryable, sql, type Tx } from "../db.ts";
import type { CredentialLimits } from "./credentials.ts";

const change = sql<
  [
    account_id: string,
    credential_id: string,
    key_required: boolean,
    allowed_networks: string[],
    token_lifetime_s: number | null,
  ]
>`
update credential
set key_required = $3, allowed_networks = $4, token_lifetime_s = $5
where account_id = $1 and credential_id = $2`;
export const updateLimits = (tx: Tx, account_id: string, credential_id: string, limits: CredentialLimits) =>
  tx.run(change, [account_id, credential_id, limits.key_required, limits.allowed_networks, limits.token_lifetime_s]);

const addKey = sql<
  [account_id: string, credential_id: string, kid: string, jwk: PublicJwk, now: Date],
  { key_id: number }
>`
insert into credential_key (account_id, credential_id, key_id, kid, jwk, created_at)
select $1, $2, coalesce(max(key_id), 0) + 1, $3, $4, $5
from credential_key
where account_id = $1 and credential_id = $2
returning key_id`;
/** Call it with the credential locked, so that two keys do not get the same number. */
export const insertKey = (
  tx: Tx,
  row: { account_id: string; credential_id: string; kid: string; jwk: PublicJwk; created_at: Date },
) => tx.row(addKey, [row.account_id, row.credential_id, row.kid, row.jwk, row.created_at]);

const endKey = sql<[account_id: string, credential_id: string, kid: string, now: Date]>`
update credential_key
set removed_at = $4
where account_id = $1 and credential_id = $2 and kid = $3 and removed_at is null`;
export const removeKey = (tx: Tx, account_id: string, credential_id: string, kid: string, now: Date) =>
  tx.run(endKey, [account_id, credential_id, kid, now]);

const take = sql<[account_id: string, credential_id: string, jti_hash: Buffer, expires_at: Date]>`
insert into client_assertion (account_id, credential_id, jti_hash, expires_at)
values ($1, $2, $3, $4)
on conflict do nothing`;
/** Returns 0 if any process has seen the assertion before. */
export const takeAssertion = (
  db: Queryable,
  row: { account_id: string; credential_id: string; jti_hash: Buffer; expires_at: Date },
) => db.run(take, [row.account_id, row.credential_id, row.jti_hash, row.expires_at]);

const removeExpired = sql<[account_id: string, now: Date, most: number]>`
delete from client_assertion
where account_id = $1 and (credential_id, jti_hash) in (
  select credential_id, jti_hash
  from client_assertion
  where account_id = $1 and expires_at <= $2
  order by expires_at
  limit $3
  for update skip locked)`;
export const deleteExpiredAssertions = (db: Queryable, account_id: string, now: Date, most: number) =>
  db.run(removeExpired, [account_id, now, most]);
