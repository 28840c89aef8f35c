import type { Environment } from "@pestle/contract";
import type { PublicJwk } from "../../domain/accounts/public-key.ts";
import { type Queryable, sql, statementOf, type Tx } from "../db.ts";

export type CredentialRow = {
  account_id: string;
  credential_id: string;
  environment: Environment;
  name: string;
  scopes: string[];
  created_at: Date;
  revoked_at: Date | null;
  secrets: SecretRow[];
  keys: KeyRow[];
} & CredentialLimits;
/** What a credential demands of the programs that use it. */
export type CredentialLimits = {
  key_required: boolean;
  /** Empty: any address. */
  allowed_networks: string[];
  /** Null: the default. */
  token_lifetime_s: number | null;
};
type SecretRow = {
  secret_id: number;
  slot: 1 | 2;
  /** The sealed digest in base64, because JSON cannot carry bytes. */
  digest_sealed: string;
  created_at: string;
  last_used_at: string | null;
};

export type KeyRow = {
  key_id: number;
  kid: string;
  jwk: PublicJwk;
  created_at: string;
  last_used_at: string | null;
};

/** The vault's place for a digest. */
export const digestPlace = (account_id: string, credential_id: string, secret_id: number) =>
  `credential_secret.digest_sealed ${account_id} ${credential_id} ${secret_id}`;

const COLUMNS = `c.account_id, c.credential_id, a.environment, c.name, c.scopes, c.created_at, c.revoked_at,
  c.key_required, c.allowed_networks, c.token_lifetime_s,
  coalesce((
    select json_agg(json_build_object(
      'key_id', k.key_id, 'kid', k.kid, 'jwk', k.jwk, 'created_at', k.created_at, 'last_used_at', k.last_used_at)
      order by k.key_id)
    from credential_key k
    where k.account_id = c.account_id and k.credential_id = c.credential_id and k.removed_at is null), '[]') as keys,
  coalesce((
    select json_agg(json_build_object(
      'secret_id', s.secret_id, 'slot', s.slot, 'digest_sealed', encode(s.digest_sealed, 'base64'),
      'created_at', s.created_at, 'last_used_at', s.last_used_at) order by s.secret_id)
    from credential_secret s
    where s.account_id = c.account_id and s.credential_id = c.credential_id and s.revoked_at is null), '[]') as secrets`;

const one = statementOf<[account_id: string, credential_id: string], CredentialRow>(`
select ${COLUMNS}
from credential c
join account a on a.account_id = c.account_id
where c.account_id = $1 and c.credential_id = $2`);
export const loadCredential = (db: Queryable, account_id: string, credential_id: string) =>
  db.row(one, [account_id, credential_id]);

const ofAccount = statementOf<[account_id: string], CredentialRow>(`
select ${COLUMNS}
from credential c
join account a on a.account_id = c.account_id
where c.account_id = $1
order by c.created_at, c.credential_id`);
export const listCredentials = (db: Queryable, account_id: string) => db.rows(ofAccount, [account_id]);

const add = sql<[account_id: string, credential_id: string, name: string, scopes: string[], now: Date]>`
insert into credential (account_id, credential_id, name, scopes, created_at)
values ($1, $2, $3, $4, $5)`;
export const insertCredential = (
  tx: Tx,
  row: Pick<CredentialRow, "account_id" | "credential_id" | "name" | "scopes" | "created_at">,
) => tx.run(add, [row.account_id, row.credential_id, row.name, row.scopes, row.created_at]);

const lock = sql<[account_id: string, credential_id: string], { revoked_at: Date | null; last_secret_id: number }>`
select c.revoked_at,
  coalesce((
    select max(s.secret_id)
    from credential_secret s
    where s.account_id = $1 and s.credential_id = $2), 0) as last_secret_id
from credential c
where c.account_id = $1 and c.credential_id = $2
for update`;
/** Locks the credential, so that two rotations cannot both take the second slot. */
export const lockCredential = (tx: Tx, account_id: string, credential_id: string) =>
  tx.row(lock, [account_id, credential_id]);

const addSecret = sql<
  [account_id: string, credential_id: string, secret_id: number, slot: 1 | 2, digest_sealed: Buffer, now: Date]
>`
insert into credential_secret (account_id, credential_id, secret_id, slot, digest_sealed, created_at)
values ($1, $2, $3, $4, $5, $6)`;
export const insertSecret = (
  tx: Tx,
  row: {
    account_id: string;
    credential_id: string;
    secret_id: number;
    slot: 1 | 2;
    digest_sealed: Buffer;
    created_at: Date;
  },
) => tx.run(addSecret, [row.account_id, row.credential_id, row.secret_id, row.slot, row.digest_sealed, row.created_at]);

const endSecret = sql<[account_id: string, credential_id: string, secret_id: number, now: Date, tokens_void: boolean]>`
update credential_secret
set revoked_at = $4, tokens_void = $5
where account_id = $1 and credential_id = $2 and secret_id = $3 and revoked_at is null`;
export const revokeSecret = (
  tx: Tx,
  row: { account_id: string; credential_id: string; secret_id: number; tokens_void: boolean },
  now: Date,
) => tx.run(endSecret, [row.account_id, row.credential_id, row.secret_id, now, row.tokens_void]);

const end = sql<[account_id: string, credential_id: string, now: Date]>`
update credential
set revoked_at = $3
where account_id = $1 and credential_id = $2 and revoked_at is null`;
export const revokeCredentialRow = (tx: Tx, account_id: string, credential_id: string, now: Date) =>
  tx.run(end, [account_id, credential_id, now]);

const live = sql<[], { account_id: string; count: number }>`
select account_id, count(*)::integer as count
from credential
where revoked_at is null
group by account_id`;
/** How many credentials of each account work. */
export const countCredentials = (db: Queryable) => db.rows(live, []);
