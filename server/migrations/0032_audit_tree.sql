-- Tamper evidence for the audit log. A job hashes entries after their commit and appends them to a Merkle tree, in the
-- order in which it finds them. No foreign keys: an entry that the owner of the tables removes must leave its hash.

-- One row, which the job adds: a restore needs empty tables.
create table audit_tree (
  singleton boolean primary key default true check (singleton),
  log_id uuid not null,
  size bigint not null,
  -- Every entry up to this number is in the tree. Numbers are taken before the commit, so a later one can come first.
  settled_id bigint not null,
  -- Entries below this position are past their retention and gone.
  dropped_size bigint not null default 0
);

create table audit_leaf (
  position bigint primary key,
  audit_id bigint not null unique,
  entry_hash bytea not null
);

-- Every eighth level above the leaves (domain/operations/audit-tree.ts).
create table audit_node (
  level smallint not null,
  place bigint not null,
  node_hash bytea not null,
  primary key (level, place)
);

create table audit_key (
  key_id text primary key,
  public_key text not null,
  private_sealed bytea not null,
  private_key_id integer generated always as (sealed_key_id(private_sealed)) stored references data_key,
  created_at timestamptz not null
);

create table audit_root (
  root_number bigint generated always as identity primary key,
  size bigint not null,
  root_hash bytea not null,
  at timestamptz not null,
  key_id text not null,
  signature text not null
);

-- How far each destination of AUDIT_ROOTS_TO has received the roots.
create table audit_destination (
  destination text primary key,
  shipped_number bigint not null default 0,
  shipped_at timestamptz,
  failing_since timestamptz,
  fault text,
  leased_until timestamptz
);
