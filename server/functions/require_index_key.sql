-- revision 1
-- For transactions through a pooler: such a connection cannot hold a lock for as long as it lives (ADR 0086). Keeps the index
-- key from changing until the end of the transaction, and compares it with the one that the process computes with.
create or replace function require_index_key(
  -- Null before the process has read its key.
  expected text
) returns void
language plpgsql
as $$
begin
  if not pg_try_advisory_xact_lock_shared(7205525) then
    raise exception 'the index key is being rotated' using errcode = 'PK001';
  end if;
  if expected is not null and expected is distinct from (
    select k.index_key_id::text
    from index_key k
    order by k.layer desc
    limit 1) then
    raise exception 'the index key has changed' using errcode = 'PK002';
  end if;
end
$$;
