-- Which events an endpoint receives, written once: without a list of events, all that are not opt-in. A test compares
-- it with the contract's table of events.
create function webhook_subscribes(events text[], event_type text) returns boolean
language sql immutable parallel safe
as $$
  select case when events = '{}' then event_type <> 'ORDER_UPDATED' else event_type = any(events) end
$$;

create or replace function add_webhook_deliveries() returns trigger
language plpgsql
as $$
begin
  insert into webhook_delivery (account_id, event_id, endpoint_id, event_position, order_number, due_at)
  select e.account_id, e.event_id, p.endpoint_id, e.event_position, e.order_number, e.created_at
  from new_events e
  join webhook_endpoint p on p.account_id = e.account_id and p.status = 'active'
  where case
    when e.only_endpoint_id is not null then p.endpoint_id = e.only_endpoint_id
    else webhook_subscribes(p.events, e.event_type)
  end;
  return null;
end
$$;
