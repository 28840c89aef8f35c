-- Passkeys (WebAuthn), and how a session was opened.

create table passkey (
  -- The authenticator chooses it, and it is at most 1023 bytes long.
  credential_key bytea primary key,
  -- Names a passkey to its owner, in addresses and in the audit log.
  passkey_id text not null unique default replace(gen_random_uuid()::text, '-', ''),
  person_id text not null references person,
  name text not null,
  -- In COSE form, as the authenticator gave it.
  public_key bytea not null,
  sign_count bigint not null,
  backup_eligible boolean not null,
  backed_up boolean not null,
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkey_of_person on passkey (person_id);

-- Challenges are sealed and not stored. A row says that one was used, until it expires.
create table used_challenge (
  challenge_hash bytea primary key,
  expires_at timestamptz not null
);

alter table session
  add column opened_with text not null default 'password' check (opened_with in ('password', 'sso', 'passkey'));
