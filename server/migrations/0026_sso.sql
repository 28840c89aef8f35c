-- Single sign-on by OpenID Connect: one provider for the pharmacy's staff, and one for each partner's people.

create table sso_provider (
  provider_id text primary key,
  -- Null: the pharmacy's own staff.
  partner_id text references partner,
  name text not null,
  issuer text not null,
  client_id text not null,
  -- Null: a public client, which proves itself with PKCE alone.
  client_secret_sealed bytea,
  client_secret_key_id integer generated always as (sealed_key_id(client_secret_sealed)) stored references data_key,
  -- Lower case. The provider's word counts only for addresses in these domains.
  domains text[] not null check (cardinality(domains) > 0),
  -- These people can no longer sign in with a password.
  sso_only boolean not null default false,
  -- Whether a person also needs the second factor that Pestle keeps.
  own_second_factor boolean not null default false,
  -- Null: only people who exist can sign in.
  provision_role text,
  created_at timestamptz not null,
  unique nulls not distinct (partner_id)
);

-- The first sign-in ties the provider's name for a person to ours, so that an address that another person gets later
-- does not open the first one's account.
create table sso_identity (
  provider_id text not null references sso_provider on delete cascade,
  subject text not null,
  person_id text not null references person,
  created_at timestamptz not null,
  primary key (provider_id, subject),
  unique (provider_id, person_id)
);
