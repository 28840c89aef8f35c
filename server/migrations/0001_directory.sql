-- Who may come in: partners and their accounts, credentials, tokens, people, and the keys that seal secrets.
-- Directory tables (partner, account, person, keys) route to an account; every other table's key starts with account_id.

create table master_key (
  singleton boolean primary key default true check (singleton),
  fingerprint text not null,
  since timestamptz not null
);

create table data_key (
  key_id integer primary key,
  wrapped bytea not null,
  created_at timestamptz not null
);

create table partner (
  partner_id text primary key,
  name text not null,
  created_at timestamptz not null
);
create unique index partner_name on partner (lower(name));

-- One partner in one environment. Without a partner: the operator's own account of that environment.
create table account (
  account_id text primary key check (account_id ~ '^[a-z0-9]{12}$'),
  partner_id text references partner,
  environment text not null check (environment in ('production', 'sandbox')),
  workflow text check (workflow in ('api_driven', 'automatic')),
  ncpdp_id text,
  custom_labels boolean not null default false,
  rate_per_second integer check (rate_per_second > 0),
  rate_burst integer check (rate_burst > 0),
  clock_offset_s bigint not null default 0 check (clock_offset_s >= 0),
  created_at timestamptz not null,
  check ((partner_id is null) = (workflow is null)),
  check ((rate_per_second is null) = (rate_burst is null)),
  check (environment = 'sandbox' or clock_offset_s = 0)
);
create unique index account_of_partner on account (partner_id, environment) where partner_id is not null;
create unique index account_of_operator on account (environment) where partner_id is null;
create index account_by_ncpdp_id on account (ncpdp_id) where ncpdp_id is not null;

-- client_id is account_id, a dash and credential_id: a look-up starts with the account, never with a search.
create table credential (
  account_id text not null references account,
  credential_id text not null check (credential_id ~ '^[a-z0-9]{8}$'),
  name text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (account_id, credential_id)
);

create table credential_secret (
  account_id text not null,
  credential_id text not null,
  secret_id integer not null,
  -- Two slots: a credential has at most two live secrets, while it is being rotated.
  slot smallint not null check (slot in (1, 2)),
  -- hex(SHA-256(client_secret)), sealed: the digest is also the webhook signing key.
  digest_sealed bytea not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  -- Set when a secret leaked: tokens it was used for stop with it.
  tokens_void boolean not null default false,
  primary key (account_id, credential_id, secret_id),
  foreign key (account_id, credential_id) references credential
);
create unique index credential_secret_slot on credential_secret (account_id, credential_id, slot) where revoked_at is null;

-- No foreign key to credential: its share lock on one hot row would be taken for every token issued, and credentials
-- are revoked, never deleted.
create table access_token (
  account_id text not null,
  token_hash bytea not null,
  credential_id text not null,
  secret_id integer not null,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (account_id, token_hash)
);
create index access_token_expiry on access_token (account_id, expires_at);

create table person (
  person_id text primary key,
  email text not null,
  name text not null,
  role text not null,
  partner_id text references partner,
  password_hash text not null,
  created_at timestamptz not null,
  disabled_at timestamptz,
  check (case when partner_id is null
    then role in ('technician', 'pharmacist', 'lead', 'admin')
    else role in ('partner_admin', 'partner_developer', 'partner_viewer') end)
);
create unique index person_email on person (lower(email));
