import { type Queryable, sql, statementOf, type Tx } from "../db.ts";

/** The vault's place for a provider's client secret. */
export const ssoSecretPlace = (provider_id: string) => `sso_provider.client_secret_sealed ${provider_id}`;

export type SsoProviderRow = {
  provider_id: string;
  /** Null: the pharmacy's own staff. */
  partner_id: string | null;
  partner_name: string | null;
  name: string;
  issuer: string;
  client_id: string;
  client_secret_sealed: Buffer | null;
  domains: string[];
  sso_only: boolean;
  own_second_factor: boolean;
  provision_role: string | null;
  created_at: Date;
};

const SELECT = `
select s.provider_id, s.partner_id, p.name as partner_name, s.name, s.issuer, s.client_id, s.client_secret_sealed, s.domains,
  s.sso_only, s.own_second_factor, s.provision_role, s.created_at
from sso_provider s
left join partner p on p.partner_id = s.partner_id`;

const all = statementOf<[], SsoProviderRow>(`${SELECT}
order by p.name nulls first`);
export const listProviders = (db: Queryable) => db.rows(all, []);

const byId = statementOf<[provider_id: string], SsoProviderRow>(`${SELECT}
where s.provider_id = $1`);
export const findProvider = (db: Queryable, provider_id: string) => db.row(byId, [provider_id]);

const ofPerson = sql<[person_id: string], { sso_only: boolean }>`
select s.sso_only
from person p
join sso_provider s on s.partner_id is not distinct from p.partner_id
where p.person_id = $1`;
/** Whether the person must use single sign-on. */
export const mustUseSso = async (db: Queryable, person_id: string): Promise<boolean> =>
  (await db.row(ofPerson, [person_id]))?.sso_only ?? false;

const save = sql<
  [
    provider_id: string,
    partner_id: string | null,
    name: string,
    issuer: string,
    client_id: string,
    client_secret_sealed: Buffer | null,
    domains: string[],
    sso_only: boolean,
    own_second_factor: boolean,
    provision_role: string | null,
    created_at: Date,
  ]
>`
insert into sso_provider (provider_id, partner_id, name, issuer, client_id, client_secret_sealed, domains, sso_only,
  own_second_factor, provision_role, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
on conflict (provider_id) do update
set name = $3, issuer = $4, client_id = $5, client_secret_sealed = $6, domains = $7, sso_only = $8,
  own_second_factor = $9, provision_role = $10`;
export const saveProvider = (tx: Tx, row: Omit<SsoProviderRow, "partner_name">) =>
  tx.run(save, [
    row.provider_id,
    row.partner_id,
    row.name,
    row.issuer,
    row.client_id,
    row.client_secret_sealed,
    row.domains,
    row.sso_only,
    row.own_second_factor,
    row.provision_role,
    row.created_at,
  ]);

const remove = sql<[provider_id: string]>`
delete from sso_provider
where provider_id = $1`;
export const deleteProvider = (tx: Tx, provider_id: string) => tx.run(remove, [provider_id]);

const forget = sql<[provider_id: string]>`
delete from sso_identity
where provider_id = $1`;
/** For a provider that is now another one, with other names for the same people. */
export const deleteIdentities = (tx: Tx, provider_id: string) => tx.run(forget, [provider_id]);

const forgetPerson = sql<[email: string]>`
delete from sso_identity
where person_id in (select person_id from person where lower(email) = lower($1))`;
export const deleteIdentityOf = (tx: Tx, email: string) => tx.run(forgetPerson, [email]);

export type SsoPerson = { person_id: string; email: string; has_factor: boolean; subject: string | null };
const person = sql<[provider_id: string, email: string], SsoPerson>`
select p.person_id, p.email,
  p.totp_confirmed_at is not null or exists (select from passkey k where k.person_id = p.person_id) as has_factor,
  i.subject
from sso_provider s
join person p on p.partner_id is not distinct from s.partner_id
left join sso_identity i on i.provider_id = s.provider_id and i.person_id = p.person_id
where s.provider_id = $1 and lower(p.email) = lower($2) and p.disabled_at is null`;
/** The person with this address among those whom the provider signs in. */
export const findSsoPerson = (db: Queryable, provider_id: string, email: string) =>
  db.row(person, [provider_id, email]);

const tie = sql<[provider_id: string, subject: string, person_id: string, now: Date]>`
insert into sso_identity (provider_id, subject, person_id, created_at)
values ($1, $2, $3, $4)
on conflict do nothing`;
/** Returns 0 if the subject or the person is tied already. */
export const tieIdentity = (db: Queryable, provider_id: string, subject: string, person_id: string, now: Date) =>
  db.run(tie, [provider_id, subject, person_id, now]);
