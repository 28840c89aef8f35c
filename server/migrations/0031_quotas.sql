-- What each account stores, roughly, and the quotas that the operator set for it. A job counts the rows again now and then;
-- in between, every process adds what it wrote, once in a few seconds.
create table account_usage (
  account_id text not null references account,
  quota text not null,
  used bigint not null default 0 check (used >= 0),
  -- Set by the operator; null for the default of the environment.
  most bigint check (most >= 0),
  counted_at timestamptz,
  count_ms integer,
  changed_at timestamptz not null,
  primary key (account_id, quota)
);
