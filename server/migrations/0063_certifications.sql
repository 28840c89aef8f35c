-- The last certification of a webhook endpoint that a person started in the portal (ADR 0083).
create table webhook_certification (
  account_id text not null,
  endpoint_id uuid not null,
  started_at timestamptz not null,
  -- Null while it runs. A run that began long ago ended with its process.
  finished_at timestamptz,
  -- The signed report of the last run that finished, as JSON. It has no patient data.
  report text,
  primary key (account_id, endpoint_id),
  foreign key (account_id, endpoint_id) references webhook_endpoint on delete cascade
);
