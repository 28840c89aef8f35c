-- revision 1
-- Draws the ids of a new order's items.
create or replace function new_dispense_ids(account_id text, items integer) returns bigint[]
language plpgsql
as $$
declare
  ids bigint[] := '{}';
begin
  for nth in 1 .. items loop
    ids[nth] := scattered_id(nextval('order_item_dispense_id_seq'));
  end loop;
  return ids;
end
$$;
