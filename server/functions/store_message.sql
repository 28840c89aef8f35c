-- revision 3
-- Stores a message before the service processes it, or finds the earlier one with the same identity, and loads the
-- accounts that have the receiver's id.
create or replace function store_message(
  -- The account that receives messages, not the partner's.
  account_id text,
  format text,
  sender text,
  sender_message_id text,
  body_hash bytea,
  body_sealed bytea,
  received_at timestamptz,
  kind text,
  receiver text,
  -- A refusal finishes the message at once. Null if the service processes it.
  refusal_sealed bytea,
  out new_id bigint,
  out known_id bigint,
  out known_hash bytea,
  out known_answer text,
  out known_answer_sealed bytea,
  out receivers json
)
language plpgsql
as $$
begin
  insert into intake_message as m (account_id, format, sender, sender_message_id, body_hash, body_sealed, received_at,
    kind, receiver, state, outcome, answer_sealed, processed_at)
  values (account_id, format, sender, sender_message_id, body_hash, body_sealed, received_at, kind, receiver,
    case when refusal_sealed is null then 'received' else 'processed' end,
    case when refusal_sealed is null then null else 'refused' end,
    refusal_sealed,
    case when refusal_sealed is null then null else received_at end)
  on conflict do nothing
  returning m.intake_message_id into new_id;

  if new_id is null then
    -- The insert waited for the other request, and this statement sees what that one has committed.
    select m.intake_message_id, m.body_hash, m.answer, m.answer_sealed
    into known_id, known_hash, known_answer, known_answer_sealed
    from intake_message m
    where m.account_id = store_message.account_id and m.sender = store_message.sender
      and m.sender_message_id = store_message.sender_message_id;
  end if;

  if receiver is not null then
    select json_agg(json_build_object(
      'account_id', a.account_id, 'environment', a.environment, 'workflow', a.workflow, 'clock_offset_s', a.clock_offset_s,
      'routing_rules', coalesce((
        select json_agg(json_build_object('kind', r.kind, 'value', r.value))
        from routing_rule r
        where r.account_id = a.account_id), '[]')) order by a.account_id)
    into receivers
    from each_account a
    where a.ncpdp_id = receiver and a.partner_id is not null and a.environment = (
      select o.environment
      from account o
      where o.account_id = store_message.account_id);
  end if;
end
$$;
