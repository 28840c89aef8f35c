-- Prescription, dispense and action request ids came from counters that all accounts share, so a partner could see how
-- much the others do. The counters stay, and a permutation with a secret key moves each number to another place: no two
-- numbers meet, and neighbors have nothing in common. Ids of earlier versions are below all new ones.
create table id_key (
  singleton boolean primary key default true check (singleton),
  key bytea not null
);

create function scattered_part(secret bytea, round integer, part integer) returns integer
language sql immutable
as $$
  select get_byte(m.hash, 0) * 256 + get_byte(m.hash, 1)
  from (select sha256(secret || int4send(round) || int4send(part)) as hash) m
$$;

-- Four rounds of a Feistel network on 30 bits. It walks on until the result has nine digits. The 900 million ids after
-- that would not be scattered, but they stay different from all others.
create function scattered_id(number bigint) returns bigint
language plpgsql volatile
as $$
declare
  least constant bigint := 100000000;
  beyond constant bigint := 1000000000;
  secret bytea;
  place bigint := number + least;
  high integer;
  low integer;
begin
  if number < 0 or place >= beyond then
    return beyond + number;
  end if;
  select k.key into secret from id_key k;
  if secret is null then
    -- The first id of a new database. A restored one has the key of its backup.
    insert into id_key (key)
    values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
    on conflict do nothing;
    select k.key into strict secret from id_key k;
  end if;
  loop
    high := (place >> 15)::integer;
    low := (place & 32767)::integer;
    high := high # (scattered_part(secret, 1, low) & 32767);
    low := low # (scattered_part(secret, 2, high) & 32767);
    high := high # (scattered_part(secret, 3, low) & 32767);
    low := low # (scattered_part(secret, 4, high) & 32767);
    place := (high::bigint << 15) | low;
    exit when place >= least and place < beyond;
  end loop;
  return place;
end
$$;

do $$
declare
  id record;
  next bigint;
begin
  for id in
    select c.table_name, c.column_name, c.table_name || '_' || c.column_name || '_seq' as counter
    from (values
      ('prescription', 'prescription_id'),
      ('order_item', 'dispense_id'),
      ('order_action_request', 'id')) as c(table_name, column_name)
  loop
    execute format('select last_value + is_called::integer from %I', id.counter) into next;
    execute format('alter table %I alter column %I drop identity', id.table_name, id.column_name);
    execute format('create sequence %I start with %s owned by %I.%I', id.counter, next, id.table_name, id.column_name);
    execute format('alter table %I alter column %I set default scattered_id(nextval(%L))',
      id.table_name, id.column_name, id.counter);
  end loop;
end
$$;

-- Lists show the newest first by the time of arrival, because the ids no longer have an order.
create index prescription_arrived on prescription (account_id, received_at, intake_message_id);
