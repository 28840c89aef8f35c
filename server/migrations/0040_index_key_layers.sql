-- The index key can be replaced (ADR 0052). The newest layer computes the blind indexes. The earlier ones stay: a hash of a
-- text that is stored nowhere in a readable form is hashed once more under each new key.
alter table index_key
  drop column singleton,
  add column layer integer not null default 1 primary key check (layer > 0),
  -- Random, so that a process also notices the key of a restored database.
  add column index_key_id uuid not null default gen_random_uuid();
alter table index_key alter column layer drop default;
