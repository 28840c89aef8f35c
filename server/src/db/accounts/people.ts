import type { PersonLicense } from "@pestle/contract";
import { type Queryable, sql, type Tx } from "../db.ts";

export type PersonRow = {
  person_id: string;
  email: string;
  name: string;
  role: string;
  partner_id: string | null;
  password_hash: string;
  must_change_password: boolean;
  created_at: Date;
} & PersonLicense;

const add = sql<
  [
    person_id: string,
    email: string,
    name: string,
    role: string,
    partner_id: string | null,
    password_hash: string,
    now: Date,
    license_number: string | null,
    license_state: string | null,
    license_expires_on: string | null,
    npi: string | null,
    must_change_password: boolean,
  ]
>`
insert into person (person_id, email, name, role, partner_id, password_hash, created_at, license_number, license_state,
  license_expires_on, npi, must_change_password)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
on conflict do nothing`;
/** Returns 0 if the address is taken. */
export const insertPerson = (tx: Tx, row: PersonRow) =>
  tx.run(add, [
    row.person_id,
    row.email,
    row.name,
    row.role,
    row.partner_id,
    row.password_hash,
    row.created_at,
    row.license_number,
    row.license_state,
    row.license_expires_on,
    row.npi,
    row.must_change_password,
  ]);

const byEmail = sql<[email: string], PersonRow>`
select person_id, email, name, role, partner_id, password_hash, must_change_password, created_at, license_number, license_state,
  license_expires_on, npi
from person
where lower(email) = lower($1) and disabled_at is null`;
export const findPerson = (db: Queryable, email: string) => db.row(byEmail, [email]);

const anyByEmail = sql<[email: string], { person_id: string }>`
select person_id
from person
where lower(email) = lower($1)`;
/** Also a disabled person, whose entries the audit log keeps. */
export const findAnyPerson = (db: Queryable, email: string) => db.row(anyByEmail, [email]);

const byId = sql<[person_id: string], { email: string; name: string; role: string }>`
select email, name, role
from person
where person_id = $1`;
/** Includes disabled people, because the history still names them. */
export const findPersonById = (db: Queryable, person_id: string) => db.row(byId, [person_id]);

const pharmacists = sql<[today: string], { count: number }>`
select count(*) as count
from person
where role in ('pharmacist', 'lead') and disabled_at is null and license_expires_on >= $1`;
/** How many active people can act as a pharmacist today. */
export const countPharmacists = async (db: Queryable, today: string): Promise<number> =>
  (await db.row(pharmacists, [today]))!.count;

const developers = sql<[account_id: string], { email: string; environment: string }>`
select p.email, a.environment
from account a
join person p on p.partner_id = a.partner_id
where a.account_id = $1 and p.disabled_at is null and p.role in ('partner_admin', 'partner_developer')
order by p.email`;
/** The active admins and developers of an account's partner. */
export const partnerDevelopers = (db: Queryable, account_id: string) => db.rows(developers, [account_id]);
