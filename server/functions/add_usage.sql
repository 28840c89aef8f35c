-- revision 1
-- Adds what a process wrote to the numbers of its accounts, and returns the numbers after it. Skips accounts that do not
-- exist.
create or replace function add_usage(
  -- In key order, so that two processes cannot deadlock.
  account_ids text[],
  quotas text[],
  amounts bigint[]
) returns table (account_id text, quota text, used bigint, most bigint)
language plpgsql
as $$
#variable_conflict use_column
begin
  for nth in 1 .. cardinality(account_ids) loop
    return query
    insert into account_usage as u (account_id, quota, used, changed_at)
    select h.account_id, quotas[nth], greatest(0, amounts[nth]), now()
    from account_home h
    where h.account_id = account_ids[nth]
    on conflict (account_id, quota) do update
    set used = greatest(0, u.used + amounts[nth]), changed_at = excluded.changed_at
    returning u.account_id, u.quota, u.used, u.most;
  end loop;
end
$$;
