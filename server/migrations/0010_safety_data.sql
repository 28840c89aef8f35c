-- The tables of the safety engine that were imported. The newest is in force, in place of those that come with the
-- build; none is ever changed, so that what a finding says it was read in can be looked up.

create table safety_import (
  import_number integer primary key generated always as identity,
  -- The data's own name for itself, as findings give it.
  version text not null,
  -- The name of the file, and what it held.
  file_name text not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  imported_by text not null references person,
  imported_at timestamptz not null,
  -- What it added, changed and removed, table by table.
  summary jsonb not null,
  data jsonb not null
);
