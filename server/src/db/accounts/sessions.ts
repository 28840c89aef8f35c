import { type Queryable, sql } from "../db.ts";

/** The vault's place for the secret of the second factor. */
export const totpPlace = (person_id: string) => `person.totp_sealed ${person_id}`;

export type SessionRow = {
  person_id: string;
  email: string;
  name: string;
  role: string;
  partner_id: string | null;
  partner_name: string | null;
  session_id: string;
  csrf_token: string;
  complete: boolean;
  must_change_password: boolean;
  verified_at: Date | null;
  created_at: Date;
  last_seen_at: Date;
  opened_with: OpenedWith;
  totp_on: boolean;
  passkeys: number;
  recovery_codes_left: number;
  license_number: string | null;
  license_expires_on: string | null;
};

/** How the person proved who they are. */
export type OpenedWith = "password" | "sso" | "passkey";

/** Where a session was opened, for the list that its owner sees. */
export type SessionPlace = { address: string; agent: string | null };

const open = sql<
  [
    session_hash: Buffer,
    person_id: string,
    csrf_token: string,
    complete: boolean,
    now: Date,
    address: string,
    agent: string | null,
    opened_with: OpenedWith,
  ]
>`
insert into session (session_hash, person_id, csrf_token, complete, created_at, last_seen_at, verified_at, address, agent,
  opened_with)
values ($1, $2, $3, $4, $5, $5, $5, $6, $7, $8)`;
/** The person has just proved who they are, so the session counts as verified. */
export const insertSession = (
  db: Queryable,
  {
    session_hash,
    person_id,
    csrf_token,
    complete,
    now,
    address,
    agent,
    opened_with,
  }: {
    session_hash: Buffer;
    person_id: string;
    csrf_token: string;
    complete: boolean;
    now: Date;
    opened_with: OpenedWith;
  } & SessionPlace,
) => db.run(open, [session_hash, person_id, csrf_token, complete, now, address, agent, opened_with]);

const load = sql<[session_hash: Buffer], SessionRow>`
select p.person_id, p.email, p.name, p.role, p.partner_id, r.name as partner_name, s.session_id, s.csrf_token, s.complete,
  p.must_change_password, s.verified_at, s.created_at, s.last_seen_at, s.opened_with,
  p.totp_confirmed_at is not null as totp_on,
  (select count(*)::integer from passkey k where k.person_id = p.person_id) as passkeys,
  (select count(*)::integer from recovery_code c where c.person_id = p.person_id) as recovery_codes_left,
  p.license_number, p.license_expires_on
from session s
join person p on p.person_id = s.person_id and p.disabled_at is null
left join partner r on r.partner_id = p.partner_id
where s.session_hash = $1`;
export const loadSession = (db: Queryable, session_hash: Buffer) => db.row(load, [session_hash]);

const seen = sql<[session_hash: Buffer, now: Date]>`
update session
set last_seen_at = $2
where session_hash = $1`;
export const touchSession = (db: Queryable, session_hash: Buffer, now: Date) => db.run(seen, [session_hash, now]);

const complete = sql<[session_hash: Buffer, now: Date]>`
update session
set complete = true, verified_at = $2
where session_hash = $1`;
export const completeSession = (db: Queryable, session_hash: Buffer, now: Date) =>
  db.run(complete, [session_hash, now]);

const verify = sql<[session_hash: Buffer, now: Date]>`
update session
set verified_at = $2
where session_hash = $1`;
export const verifySession = (db: Queryable, session_hash: Buffer, now: Date) => db.run(verify, [session_hash, now]);

export type ListedSession = {
  session_id: string;
  created_at: Date;
  last_seen_at: Date;
  address: string | null;
  agent: string | null;
};
const list = sql<[person_id: string, idle_since: Date, opened_since: Date], ListedSession>`
select session_id, created_at, last_seen_at, address, agent
from session
where person_id = $1 and last_seen_at >= $2 and created_at >= $3
order by last_seen_at desc, session_id`;
export const listSessions = (db: Queryable, person_id: string, idle_since: Date, opened_since: Date) =>
  db.rows(list, [person_id, idle_since, opened_since]);

const endOne = sql<[person_id: string, session_id: string]>`
delete from session
where person_id = $1 and session_id = $2`;
export const deleteSessionById = (db: Queryable, person_id: string, session_id: string) =>
  db.run(endOne, [person_id, session_id]);

const end = sql<[session_hash: Buffer]>`
delete from session
where session_hash = $1`;
export const deleteSession = (db: Queryable, session_hash: Buffer) => db.run(end, [session_hash]);

const endAll = sql<[person_id: string]>`
delete from session
where person_id = $1`;
/** A person whose password or role changed must sign in again everywhere. */
export const deleteSessionsOf = (db: Queryable, person_id: string) => db.run(endAll, [person_id]);

const endOthers = sql<[person_id: string, session_hash: Buffer]>`
delete from session
where person_id = $1 and session_hash <> $2`;
export const deleteOtherSessions = (db: Queryable, person_id: string, session_hash: Buffer) =>
  db.run(endOthers, [person_id, session_hash]);

const tidy = sql<[idle_since: Date, opened_before: Date]>`
delete from session
where last_seen_at < $1 or created_at < $2`;
export const deleteOldSessions = (db: Queryable, idle_since: Date, opened_before: Date) =>
  db.run(tidy, [idle_since, opened_before]);

export type SignInRow = {
  person_id: string;
  email: string;
  partner_id: string | null;
  password_hash: string;
  totp_sealed: Buffer | null;
  totp_confirmed_at: Date | null;
  totp_last_step: number;
  /** An authenticator or a passkey. */
  has_factor: boolean;
};
const signIn = sql<[email: string], SignInRow>`
select p.person_id, p.email, p.partner_id, p.password_hash, p.totp_sealed, p.totp_confirmed_at, p.totp_last_step,
  p.totp_confirmed_at is not null or exists (select from passkey k where k.person_id = p.person_id) as has_factor
from person p
where lower(p.email) = lower($1) and p.disabled_at is null`;
export const loadForSignIn = (db: Queryable, email: string) => db.row(signIn, [email]);

const takeStep = sql<[person_id: string, step: number]>`
update person
set totp_last_step = $2
where person_id = $1 and totp_last_step < $2`;
/** Returns 0 if another request already used the code of this time step. */
export const takeTotpStep = (db: Queryable, person_id: string, step: number) => db.run(takeStep, [person_id, step]);

const setTotp = sql<[person_id: string, totp_sealed: Buffer]>`
update person
set totp_sealed = $2, totp_last_step = 0
where person_id = $1 and totp_confirmed_at is null`;
/** The secret takes effect when a first code confirms it. Returns 0 if one is in effect already. */
export const saveTotp = (db: Queryable, person_id: string, totp_sealed: Buffer) =>
  db.run(setTotp, [person_id, totp_sealed]);

const confirm = sql<[person_id: string, now: Date]>`
update person
set totp_confirmed_at = $2
where person_id = $1`;
export const confirmTotp = (db: Queryable, person_id: string, now: Date) => db.run(confirm, [person_id, now]);

const signedIn = sql<[person_id: string, now: Date]>`
update person
set last_signed_in_at = $2
where person_id = $1`;
export const noteSignIn = (db: Queryable, person_id: string, now: Date) => db.run(signedIn, [person_id, now]);

const renew = sql<[person_id: string, before: string, password_hash: string]>`
update person
set password_hash = $3
where person_id = $1 and password_hash = $2`;
/** Replaces a hash by a stronger one of the same password, unless the password changed meanwhile. */
export const renewHash = (db: Queryable, person_id: string, before: string, password_hash: string) =>
  db.run(renew, [person_id, before, password_hash]);
