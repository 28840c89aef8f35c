-- When `pestle backup` last wrote a complete file, for the alert about its age. A restored backup brings the time of the one before.
create table last_backup (
  singleton boolean primary key default true check (singleton),
  finished_at timestamptz not null,
  size_bytes bigint not null check (size_bytes > 0)
);
