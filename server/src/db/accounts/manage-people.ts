import type { PersonLicense, PersonRoleName } from "@pestle/contract";
import { type Queryable, sql, type Tx } from "../db.ts";

/** A person with a login, active or disabled. */
export type ListedPerson = {
  person_id: string;
  email: string;
  name: string;
  role: PersonRoleName;
  partner: string | null;
  partner_id: string | null;
  created_at: Date;
  disabled_at: Date | null;
  last_signed_in_at: Date | null;
  second_factor: boolean;
} & PersonLicense;

const list = sql<[person_id: string | null], ListedPerson>`
select p.person_id, p.email, p.name, p.role, r.name as partner, p.partner_id, p.created_at, p.disabled_at,
  p.last_signed_in_at, p.totp_confirmed_at is not null or exists (select from passkey k where k.person_id = p.person_id) as second_factor, p.license_number, p.license_state,
  p.license_expires_on, p.npi
from person p
left join partner r on r.partner_id = p.partner_id
where $1::text is null or p.person_id = $1
order by p.partner_id is not null, r.name, p.name, p.person_id`;
/** Lists the pharmacy's own people first. With `person_id`, returns only that person. */
export const listPeople = (db: Queryable, person_id: string | null = null) => db.rows(list, [person_id]);

const admins = sql<[], { person_id: string }>`
select person_id
from person
where role = 'admin' and disabled_at is null
order by person_id
for update`;
/** Locks the rows, so that two admins cannot disable each other at once and leave no admin. */
export const lockAdmins = (tx: Tx) => tx.rows(admins, []);

const disable = sql<[person_id: string, disabled_at: Date | null]>`
update person
set disabled_at = $2
where person_id = $1`;
/** Null enables the person again. */
export const setDisabled = (tx: Tx, person_id: string, disabled_at: Date | null) =>
  tx.run(disable, [person_id, disabled_at]);

const role = sql<[person_id: string, role: string, staff: boolean]>`
update person
set role = $2
where person_id = $1 and (partner_id is null) = $3`;
/** Returns 0 for an unknown person, and if the role is for staff and the person is a partner's, or the reverse. */
export const setRole = (tx: Tx, person_id: string, given: string, staff: boolean) =>
  tx.run(role, [person_id, given, staff]);

const password = sql<[person_id: string, password_hash: string, must_change_password: boolean]>`
update person
set password_hash = $2, must_change_password = $3
where person_id = $1`;
/** `must_change`: another person knows this password. */
export const setPassword = (tx: Tx, person_id: string, password_hash: string, must_change: boolean) =>
  tx.run(password, [person_id, password_hash, must_change]);

const license = sql<
  [
    person_id: string,
    license_number: string | null,
    license_state: string | null,
    license_expires_on: string | null,
    npi: string | null,
  ]
>`
update person
set license_number = $2, license_state = $3, license_expires_on = $4, npi = $5
where person_id = $1 and partner_id is null`;
/** Returns 0 for an unknown person and for a partner's person. */
export const setLicense = (tx: Tx, person_id: string, given: PersonLicense) =>
  tx.run(license, [person_id, given.license_number, given.license_state, given.license_expires_on, given.npi]);

const dropFactor = sql<[person_id: string]>`
with codes as (
  delete from recovery_code
  where person_id = $1
), passkeys as (
  delete from passkey
  where person_id = $1
)
update person
set totp_confirmed_at = null, totp_sealed = null, totp_last_step = 0
where person_id = $1`;
/** If the role requires a second factor, the next sign-in sets up a new one. */
export const dropSecondFactor = (tx: Tx, person_id: string) => tx.run(dropFactor, [person_id]);
