import { type Queryable, sql, type Tx } from "../db.ts";

export type PasskeyRow = {
  passkey_id: string;
  credential_key: Buffer;
  name: string;
  transports: string[];
  backed_up: boolean;
  created_at: Date;
  last_used_at: Date | null;
};
const list = sql<[person_id: string], PasskeyRow>`
select passkey_id, credential_key, name, transports, backed_up, created_at, last_used_at
from passkey
where person_id = $1
order by created_at, passkey_id`;
export const listPasskeys = (db: Queryable, person_id: string) => db.rows(list, [person_id]);

export type UsablePasskey = {
  passkey_id: string;
  person_id: string;
  role: string;
  public_key: Buffer;
  sign_count: number;
};
const find = sql<[credential_key: Buffer], UsablePasskey>`
select k.passkey_id, k.person_id, p.role, k.public_key, k.sign_count
from passkey k
join person p on p.person_id = k.person_id and p.disabled_at is null
where k.credential_key = $1`;
/** The passkey of an active person. */
export const findPasskey = (db: Queryable, credential_key: Buffer) => db.row(find, [credential_key]);

const add = sql<
  [
    credential_key: Buffer,
    person_id: string,
    name: string,
    public_key: Buffer,
    sign_count: number,
    backup_eligible: boolean,
    backed_up: boolean,
    transports: string[],
    now: Date,
    most: number,
  ]
>`
insert into passkey (credential_key, person_id, name, public_key, sign_count, backup_eligible, backed_up, transports, created_at)
select $1, $2, $3, $4, $5, $6, $7, $8, $9
where (select count(*) from passkey where person_id = $2) < $10
on conflict do nothing
returning passkey_id`;
export type NewPasskey = {
  credential_key: Buffer;
  person_id: string;
  name: string;
  public_key: Buffer;
  sign_count: number;
  backup_eligible: boolean;
  backed_up: boolean;
  transports: string[];
  now: Date;
};
/** Returns 0 if the credential is registered already, or the person has too many. */
export const insertPasskey = (tx: Tx, row: NewPasskey, most: number) =>
  tx.run(add, [
    row.credential_key,
    row.person_id,
    row.name,
    row.public_key,
    row.sign_count,
    row.backup_eligible,
    row.backed_up,
    row.transports,
    row.now,
    most,
  ]);

const used = sql<[passkey_id: string, sign_count: number, backup_eligible: boolean, backed_up: boolean, now: Date]>`
update passkey
set sign_count = $2, backup_eligible = $3, backed_up = $4, last_used_at = $5
where passkey_id = $1 and (sign_count < $2 or sign_count = 0 and $2 = 0)`;
/** Returns 0 if the counter does not grow, as that of a copied authenticator, or if the passkey is gone. */
export const notePasskeyUse = (
  tx: Tx,
  passkey_id: string,
  state: { sign_count: number; backup_eligible: boolean; backed_up: boolean },
  now: Date,
) => tx.run(used, [passkey_id, state.sign_count, state.backup_eligible, state.backed_up, now]);

const rename = sql<[person_id: string, passkey_id: string, name: string]>`
update passkey
set name = $3
where person_id = $1 and passkey_id = $2`;
export const renamePasskey = (tx: Tx, person_id: string, passkey_id: string, name: string) =>
  tx.run(rename, [person_id, passkey_id, name]);

const remove = sql<[person_id: string, passkey_id: string]>`
delete from passkey
where person_id = $1 and passkey_id = $2`;
export const deletePasskey = (tx: Tx, person_id: string, passkey_id: string) => tx.run(remove, [person_id, passkey_id]);

const dropSpare = sql<[person_id: string]>`
delete from recovery_code
where person_id = $1
  and exists (select from person p where p.person_id = $1 and p.totp_confirmed_at is null)
  and not exists (select from passkey k where k.person_id = $1)`;
/** Recovery codes replace a second factor, so they go with the last one. */
export const dropCodesWithoutFactor = (tx: Tx, person_id: string) => tx.run(dropSpare, [person_id]);

const take = sql<[challenge_hash: Buffer, expires_at: Date, now: Date]>`
with expired as (
  delete from used_challenge
  where expires_at < $3
)
insert into used_challenge (challenge_hash, expires_at)
values ($1, $2)
on conflict do nothing`;
/** Returns 0 if the challenge was used before. */
export const takeChallenge = (tx: Tx, challenge_hash: Buffer, expires_at: Date, now: Date) =>
  tx.run(take, [challenge_hash, expires_at, now]);
