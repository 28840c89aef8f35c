-- What partners see in their portal of how their programs use the API.

-- One row for each request of a known credential: what was asked of which route and how it went, and nothing of what was
-- in it. Unlogged: it is written in batches behind the answers, a back-up is better off without it, and after a crash of
-- the database it begins anew. No reference to the account, whose row every batch would lock.
create unlogged table request_log (
  account_id text not null,
  -- Real time.
  at timestamptz not null,
  request_id uuid not null,
  credential_id text not null,
  method text not null,
  -- The pattern, not the address: an address can carry a patient's id.
  route text not null,
  status smallint not null,
  duration_ms real not null,
  -- Numbered codes, as the answer told them.
  error_codes integer[] not null default '{}',
  primary key (account_id, at, request_id)
);
create index request_log_by_id on request_log (account_id, request_id);
-- Errors are looked for among many requests that had none.
create index request_log_errors on request_log (account_id, at) where status >= 400;

-- The same, summed up: kept when the rows are gone, and quick to draw however many there were.
create table request_minute (
  account_id text not null,
  minute timestamptz not null,
  credential_id text not null,
  requests integer not null,
  client_errors integer not null,
  server_errors integer not null,
  limited integer not null,
  primary key (account_id, minute, credential_id)
);

-- How long requests took: each bucket reaches a tenth farther than the one before (domain/latency-buckets.ts).
create table request_latency (
  account_id text not null,
  hour timestamptz not null,
  bucket smallint not null,
  requests integer not null,
  primary key (account_id, hour, bucket)
);
