-- Issued passwords that must be changed, step-up, a list of a person's sessions, and links that work once.

alter table person
  add column must_change_password boolean not null default false;

alter table session
  -- Names a session to its owner. The hash would do too, but it would tell a reader of the page what to look for.
  add column session_id text not null default replace(gen_random_uuid()::text, '-', ''),
  -- When the person last gave a password or a second factor.
  add column verified_at timestamptz,
  add column address text,
  add column agent text;
create unique index session_by_id on session (session_id);

-- For a person who forgot the password or never had one. Used once: the row goes with its use.
create table sign_in_link (
  link_hash bytea primary key,
  person_id text not null references person,
  purpose text not null check (purpose in ('invitation', 'reset')),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sign_in_link_of_person on sign_in_link (person_id);
