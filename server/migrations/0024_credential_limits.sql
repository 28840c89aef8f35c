-- How a partner's program proves who it is, from where it may call, and how long its tokens last.

alter table credential
  -- Tokens only for a signed assertion; the secret then only signs webhooks.
  add column key_required boolean not null default false,
  -- Empty: any address.
  add column allowed_networks text[] not null default '{}',
  -- Null: the default of the specification.
  add column token_lifetime_s integer check (token_lifetime_s between 60 and 43200);

-- Public keys that verify client assertions (RFC 7523). The private key never leaves the partner.
create table credential_key (
  account_id text not null,
  credential_id text not null,
  key_id integer not null,
  kid text not null,
  jwk jsonb not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  -- Tokens that the key was used for end with it.
  removed_at timestamptz,
  primary key (account_id, credential_id, key_id),
  foreign key (account_id, credential_id) references credential
);
create unique index credential_key_kid on credential_key (account_id, credential_id, kid) where removed_at is null;

-- Each assertion works once. A row is needed until the assertion has expired, at most minutes.
create table client_assertion (
  account_id text not null,
  credential_id text not null,
  -- SHA-256, so that a row has a fixed size.
  jti_hash bytea not null,
  expires_at timestamptz not null,
  primary key (account_id, credential_id, jti_hash)
);
create index client_assertion_expiry on client_assertion (account_id, expires_at);

-- A token belongs to a secret or to a key.
alter table access_token
  alter column secret_id drop not null,
  add column key_id integer;
