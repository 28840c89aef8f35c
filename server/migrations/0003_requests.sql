-- What the front door remembers between requests and between processes.

-- The first good answer to an Idempotency-Key, written in the transaction of the change it answers for.
create table idempotent_answer (
  account_id text not null references account,
  path text not null,
  idempotency_key text not null,
  fingerprint bytea not null,
  status smallint not null check (status between 200 and 299),
  body text not null,
  created_at timestamptz not null,
  primary key (account_id, path, idempotency_key)
);
create index idempotent_answer_age on idempotent_answer (account_id, created_at);

-- Who is serving which credential right now, so that processes share its rate limit. Worth nothing after a crash.
create unlogged table server_process (
  process_id uuid primary key,
  seen_at timestamptz not null
);

create unlogged table rate_lease (
  account_id text not null,
  bucket text not null,
  process_id uuid not null,
  seen_at timestamptz not null,
  primary key (account_id, bucket, process_id)
);
