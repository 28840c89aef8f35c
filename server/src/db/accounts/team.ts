import { type Queryable, sql, type Tx } from "../db.ts";

export type TeamRow = {
  person_id: string;
  name: string;
  email: string;
  role: string;
  second_factor: boolean;
  created_at: Date;
  last_signed_in_at: Date | null;
  disabled_at: Date | null;
};

const ofPartner = sql<[partner_id: string], TeamRow>`
select p.person_id, p.name, p.email, p.role,
  p.totp_confirmed_at is not null or exists (select from passkey k where k.person_id = p.person_id) as second_factor,
  p.created_at, p.last_signed_in_at, p.disabled_at
from person p
where p.partner_id = $1
order by p.disabled_at is not null, p.name, p.person_id`;
/** Active people first. */
export const listTeam = (db: Queryable, partner_id: string) => db.rows(ofPartner, [partner_id]);

const lock = sql<[partner_id: string], { person_id: string; role: string; disabled_at: Date | null }>`
select person_id, role, disabled_at
from person
where partner_id = $1
order by person_id
for update`;
/** Locks the whole team, so that two admins who disable each other run one after the other. */
export const lockTeam = (tx: Tx, partner_id: string) => tx.rows(lock, [partner_id]);

const change = sql<
  [partner_id: string, person_id: string, role: string, disabled_at: Date | null, reset_second_factor: boolean]
>`
with reset as (
  select person_id
  from person
  where $5 and partner_id = $1 and person_id = $2
), codes as (
  delete from recovery_code
  where person_id in (select person_id from reset)
), passkeys as (
  delete from passkey
  where person_id in (select person_id from reset)
)
update person
set role = $3, disabled_at = $4,
  totp_sealed = case when $5 then null else totp_sealed end,
  totp_confirmed_at = case when $5 then null else totp_confirmed_at end
where partner_id = $1 and person_id = $2`;
export const changeTeamMember = (
  tx: Tx,
  row: {
    partner_id: string;
    person_id: string;
    role: string;
    disabled_at: Date | null;
    reset_second_factor: boolean;
  },
) => tx.run(change, [row.partner_id, row.person_id, row.role, row.disabled_at, row.reset_second_factor]);

const password = sql<[partner_id: string, person_id: string, password_hash: string]>`
update person
set password_hash = $3, must_change_password = true
where partner_id = $1 and person_id = $2 and disabled_at is null`;
/** Returns 0 if the partner has no active person with that id. */
export const setTeamPassword = (tx: Tx, partner_id: string, person_id: string, password_hash: string) =>
  tx.run(password, [partner_id, person_id, password_hash]);
