-- A surrogate for the partner's patient id, which can be a clinic's record number. Logs and indexes use it instead.
alter table patient
  add column patient_key bigint generated always as identity;
create unique index patient_key on patient (account_id, patient_key);

-- Who read or changed which patient's data: programs and commands as well as people. Field groups, never values. The
-- salt keeps the hash of an entry from being guessed by a partner who receives a proof about a neighboring entry.
alter table audit_entry
  add column credential_id text,
  add column os_user text,
  add column address text,
  add column patient_keys bigint[] not null default '{}',
  add column field_groups text[] not null default '{}',
  add column salt uuid not null default gen_random_uuid();
create index audit_entry_of_patient on audit_entry using gin (patient_keys) where patient_keys <> '{}';

-- A process that queues reads says here until when it has written them. One that ends without stopping leaves its row,
-- and the next process reports the gap.
create table audit_writer (
  process_id uuid primary key,
  started_at timestamptz not null,
  written_until timestamptz not null
);
