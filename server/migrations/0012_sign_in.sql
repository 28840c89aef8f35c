-- People sign in: their sessions, their second factor, and what they looked at.

alter table person
  -- The second factor; sealed, because whoever reads it can make the codes.
  add column totp_sealed bytea,
  add column totp_key_id integer generated always as (sealed_key_id(totp_sealed)) stored references data_key,
  add column totp_confirmed_at timestamptz,
  -- The time step of the last code: each is good for one sign-in.
  add column totp_last_step bigint not null default 0,
  add column last_signed_in_at timestamptz,
  add check (totp_confirmed_at is null or totp_sealed is not null);

create table session (
  -- Of the cookie; the cookie itself is nowhere but in the browser.
  session_hash bytea primary key,
  person_id text not null references person,
  csrf_token text not null,
  -- False until the second factor is given or set up: such a session may do nothing else.
  complete boolean not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null
);
create index session_of_person on session (person_id);
create index session_age on session (last_seen_at);

-- Who looked at what, and who changed what. Ids only: nothing that tells who a patient is.
create table audit_entry (
  audit_id bigint generated always as identity primary key,
  at timestamptz not null,
  person_id text,
  role text,
  account_id text,
  action text not null,
  subject text,
  request_id uuid
);
create index audit_entry_time on audit_entry (at);
create index audit_entry_of_person on audit_entry (person_id, at);
create index audit_entry_of_subject on audit_entry (account_id, subject, at);
