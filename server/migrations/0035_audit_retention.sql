-- Audit entries past their retention. The roles of the service cannot delete entries; this function, which runs with the
-- owner's rights, deletes only those below the position that the log records as dropped, and none younger than a year.
create function drop_audit_entries(most integer) returns integer
language plpgsql
as $$
declare
  kept bigint;
  gone integer;
begin
  select t.dropped_size into kept from audit_tree t;
  delete from audit_entry e
  where e.audit_id in (
    select l.audit_id
    from audit_leaf l
    join audit_entry o on o.audit_id = l.audit_id
    where l.position < kept and o.at < now() - interval '1 year'
    order by l.position
    limit most);
  get diagnostics gone = row_count;
  -- The last, incomplete 256 hashes stay: the nodes above them are not stored.
  delete from audit_leaf l
  where l.position in (
    select o.position
    from audit_leaf o
    where o.position < kept - kept % 256
      and not exists (
        select
        from audit_entry e
        where e.audit_id = o.audit_id)
    order by o.position
    limit most);
  return gone;
end
$$;
