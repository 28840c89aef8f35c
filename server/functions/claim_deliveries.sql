-- revision 1
-- Claims due deliveries of several endpoints for a lease, one endpoint after another: rows of several accounts cannot be
-- locked in one statement where their tables are spread over servers. Skips rows that another process is claiming.
create or replace function claim_deliveries(
  -- Of each endpoint: its account, the most deliveries to claim, and the time on its account's clock.
  account_ids text[],
  endpoint_ids uuid[],
  most integer[],
  account_nows timestamptz[],
  lease_s integer
) returns table (
  account_id text,
  event_id uuid,
  endpoint_id uuid,
  attempts integer,
  attempts_before integer,
  claims integer,
  queued_at timestamptz,
  body text,
  body_sealed bytea,
  traceparent text
)
language plpgsql
as $$
#variable_conflict use_column
begin
  -- No need to wait for the disk: if a crash loses the claim, the delivery is made again.
  perform set_config('synchronous_commit', 'off', true);
  for nth in 1 .. cardinality(account_ids) loop
    return query
    with picked as materialized (
      select w.event_id
      from webhook_delivery w
      where w.account_id = account_ids[nth] and w.endpoint_id = endpoint_ids[nth] and w.due_at <= account_nows[nth]
        and (w.claimed_until is null or w.claimed_until < now())
        -- First attempts of one order's events run one after the other.
        and (w.attempts > 0 or w.order_number is null or not exists (
          select
          from webhook_delivery earlier
          where earlier.account_id = account_ids[nth] and earlier.endpoint_id = endpoint_ids[nth]
            and earlier.order_number = w.order_number and earlier.attempts = 0
            and earlier.event_position < w.event_position))
      order by w.due_at, w.event_position
      limit most[nth]
      for update skip locked
    ), claimed as (
      -- "is true" keeps the planner from searching by endpoint instead of event. The queue is empty most of the time, and
      -- without statistics an endpoint looks as selective as an event.
      update webhook_delivery d
      set claims = d.claims + 1, claimed_until = now() + lease_s * interval '1 second'
      from picked p
      where d.account_id = account_ids[nth] and d.event_id = p.event_id and (d.endpoint_id = endpoint_ids[nth]) is true
      returning d.event_id, d.attempts, d.attempts_before, d.claims, d.queued_at
    )
    select account_ids[nth], c.event_id, endpoint_ids[nth], c.attempts, c.attempts_before, c.claims, c.queued_at, e.body,
      e.body_sealed, e.traceparent
    from claimed c
    left join webhook_event e on e.account_id = account_ids[nth] and e.event_id = c.event_id;
  end loop;
end
$$;
