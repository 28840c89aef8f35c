-- When the primary last wrote this row, by its own clock, and since when that server runs. A replica that shows the row has
-- replayed everything that was committed before, of the same server (ADR 0090). Written only with READ_DATABASE_URL.
create table replica_mark (
  singleton boolean primary key default true check (singleton),
  at timestamptz not null,
  server_started_at timestamptz not null
)
-- Each change stays in the row's page.
with (fillfactor = 10);
