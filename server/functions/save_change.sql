-- revision 9
-- Saves a change of an order with its history and its events. The service has decided all of it. This function only
-- checks that the facts behind the decision still hold, and raises 40001 if they do not.
--
-- It locks rows in this order: schedule, order, patient, prescriptions by id, items, stock by sku, lots of the stock.
create or replace function save_change(
  account_id text,
  order_number text,
  -- The order's revision at decision time.
  known_revision integer,
  changed_at timestamptz,
  -- Real time, not the account's clock.
  real_at timestamptz,
  new_status text,
  new_stage text,
  new_held_from text,
  new_exception_ids integer[],
  new_sequence integer,
  -- The other columns that change.
  new_columns jsonb,
  -- The facts that the checks of a step were run on; nulls if there were none.
  checked_patient_key bigint,
  checked_patient_revision integer,
  checked_prescription_ids bigint[],
  -- The new record of the patient, or null.
  changed_patient jsonb,
  -- The units to take of each prescription or to give back, and those taken at decision time, or null if any will do.
  prescription_ids bigint[],
  prescription_units numeric[],
  known_units_ordered numeric[],
  -- Stock movements, at most one per product, with the units that each adds to the shelf and to the reserved ones.
  moved_skus text[],
  moved_kinds text[],
  moved_units numeric[],
  moved_on_hand numeric[],
  moved_reserved numeric[],
  event_ids uuid[],
  event_types text[],
  event_bodies_sealed bytea[],
  -- Each is null if there is none.
  changed_items jsonb,
  resolved jsonb,
  raised jsonb,
  note jsonb,
  history jsonb,
  shipped jsonb,
  tracked jsonb,
  scans jsonb,
  payments jsonb,
  asked jsonb,
  audit jsonb,
  -- The change that the commit announces to all processes, or null.
  out announced text,
  out action_request_id bigint
)
language plpgsql
as $$
declare
  written integer;
  available numeric;
  of_lots numeric;
  -- Read before the update: on Citus, a case has no function that depends on the time zone.
  new_claimed_until timestamptz := (new_columns->>'claimed_until')::timestamptz;
  -- The items whose lots change.
  lot_items integer[] := '{}';
  new_note order_note;
  line order_history;
  parcel shipment;
  scan shipment_scan;
  payment payment_entry;
  action order_action_request;
  -- The table is on the coordinator alone.
  entry record;
  id_indexes bytea[];
begin
  if new_status = 'Canceled' then
    -- The schedules that placed the order, or that followed it, decide what that means.
    update refill_schedule s
    set due_at = changed_at
    where s.account_id = save_change.account_id and s.status = 'active' and s.prescription_id in (
      select i.prescription_id
      from order_item i
      where i.account_id = save_change.account_id and i.order_number = save_change.order_number);
  end if;
  update orders o
  set revision = o.revision + 1, order_status = new_status, stage = new_stage, held_from = new_held_from,
    exception_ids = new_exception_ids, open_exceptions = cardinality(new_exception_ids), sequence = new_sequence,
    updated_at = greatest(o.updated_at, changed_at),
    stage_since = case when (o.order_status, o.stage) is distinct from (new_status, new_stage)
      then real_at else o.stage_since end,
    address_sealed = case when new_columns ? 'address_sealed'
      then (new_columns->>'address_sealed')::bytea else o.address_sealed end,
    ship_state = case when new_columns ? 'ship_state' then new_columns->>'ship_state' else o.ship_state end,
    payment_status = case when new_columns ? 'payment_status'
      then new_columns->>'payment_status' else o.payment_status end,
    payment_reference = case when new_columns ? 'payment_reference'
      then new_columns->>'payment_reference' else o.payment_reference end,
    payment_token_sealed = case when new_columns ? 'payment_token_sealed'
      then (new_columns->>'payment_token_sealed')::bytea else o.payment_token_sealed end,
    payment_attempt = case when new_columns ? 'payment_attempt'
      then (new_columns->>'payment_attempt')::integer else o.payment_attempt end,
    amount_cents = case when new_columns ? 'amount_cents'
      then (new_columns->>'amount_cents')::integer else o.amount_cents end,
    captured_cents = case when new_columns ? 'captured_cents'
      then (new_columns->>'captured_cents')::integer else o.captured_cents end,
    refunded_cents = case when new_columns ? 'refunded_cents'
      then (new_columns->>'refunded_cents')::integer else o.refunded_cents end,
    filled_by = case when new_columns ? 'filled_by' then new_columns->>'filled_by' else o.filled_by end,
    safety_sealed = case when new_columns ? 'safety_sealed'
      then (new_columns->>'safety_sealed')::bytea else o.safety_sealed end,
    claimed_by = case when new_columns ? 'claimed_by' then new_columns->>'claimed_by' else o.claimed_by end,
    claimed_until = case when new_columns ? 'claimed_until'
      then new_claimed_until else o.claimed_until end,
    drug_schedule = case when new_columns ? 'drug_schedule'
      then new_columns->>'drug_schedule' else o.drug_schedule end
  where o.account_id = save_change.account_id and o.order_number = save_change.order_number
    and o.revision = known_revision;
  perform conflict_unless(found);

  if checked_patient_key is not null then
    perform
    from patient p
    where p.account_id = save_change.account_id and p.patient_key = checked_patient_key
      and p.revision = checked_patient_revision;
    perform conflict_unless(found);
    perform
    from prescription r
    where r.account_id = save_change.account_id and r.prescription_id = any(checked_prescription_ids)
      and not (r.active and r.acceptance in ('not_needed', 'accepted'));
    perform conflict_unless(not found);
  end if;

  if changed_patient is not null then
    update patient p
    set record_sealed = n.record_sealed, email_index = n.email_index, phone_index = n.phone_index,
      person_keys = n.person_keys, updated_at = greatest(p.updated_at, n.updated_at), revision = p.revision + 1,
      recheck_due = greatest(p.recheck_due, n.recheck_due)
    from jsonb_populate_record(null::patient, changed_patient) n
    where p.account_id = save_change.account_id and p.patient_key = n.patient_key and p.revision = n.revision;
    perform conflict_unless(found);
  end if;

  if cardinality(prescription_ids) > 1 then
    perform
    from prescription r
    where r.account_id = save_change.account_id and r.prescription_id = any(prescription_ids)
    order by r.prescription_id
    for no key update;
  end if;
  for nth in 1 .. cardinality(prescription_ids) loop
    update prescription r
    set units_ordered = r.units_ordered + prescription_units[nth],
      -- Automatic Processing must not order a prescription that this order takes units of.
      order_due_at = case when prescription_units[nth] > 0 then null else r.order_due_at end,
      order_errors = case when prescription_units[nth] > 0 then '[]' else r.order_errors end
    where r.account_id = save_change.account_id and r.prescription_id = prescription_ids[nth]
      and (known_units_ordered[nth] is null or r.units_ordered = known_units_ordered[nth]
        and r.active and r.acceptance in ('not_needed', 'accepted'));
    perform conflict_unless(found);
  end loop;

  if changed_items is not null then
    update order_item i
    set prescription_id = case when x.item ? 'prescription_id'
        then (x.item->>'prescription_id')::bigint else i.prescription_id end,
      reserved = case when x.item ? 'reserved' then (x.item->>'reserved')::boolean else i.reserved end,
      pending = case when x.item ? 'pending' then (x.item->>'pending')::boolean else i.pending end,
      removed_at = case when x.item ? 'removed_at' then t.removed_at else i.removed_at end,
      lot = case when x.item ? 'lot' then x.item->>'lot' else i.lot end,
      lot_expires_on = case when x.item ? 'lot_expires_on'
        then t.lot_expires_on else i.lot_expires_on end,
      shipped_at = case when x.item ? 'shipped_at' then t.shipped_at else i.shipped_at end,
      supply_ends_at = case when x.item ? 'supply_ends_at' then t.supply_ends_at else i.supply_ends_at end
    from jsonb_array_elements(changed_items) as x(item)
    cross join lateral jsonb_to_record(x.item) as t(removed_at timestamptz, lot_expires_on date, shipped_at timestamptz,
      supply_ends_at timestamptz)
    where i.account_id = save_change.account_id and i.order_number = save_change.order_number
      and i.item_id = (x.item->>'item_id')::integer;
    get diagnostics written = row_count;
    perform conflict_unless(jsonb_array_length(changed_items) = written);
  end if;

  if resolved is not null then
    update order_exception e
    set resolved_at = changed_at, resolved_by = x.resolved_by, confirmed = x.confirmed
    from jsonb_to_recordset(resolved) as x(exception_id integer, resolved_by text, confirmed text)
    where e.account_id = save_change.account_id and e.order_number = save_change.order_number
      and e.exception_id = x.exception_id and e.resolved_at is null;
  end if;
  if raised is not null then
    -- A check took over an exception that an action ended: it stays open, with the cause that the check found.
    update order_exception e
    set basis = x.basis, elsewhere = x.elsewhere, situations = x.situations
    from jsonb_to_recordset(raised) as x(exception_id integer, basis text, elsewhere boolean, situations text[])
    where e.account_id = save_change.account_id and e.order_number = save_change.order_number
      and e.exception_id = x.exception_id and e.resolved_at is null;
    insert into order_exception (account_id, order_number, exception_id, raised_at, basis, elsewhere, situations,
      occurrence)
    select h.account_id, save_change.order_number, x.exception_id, changed_at, x.basis, x.elsewhere,
      x.situations, 1 + (
        select count(*)
        from order_exception e
        where e.account_id = save_change.account_id and e.order_number = save_change.order_number
          and e.exception_id = x.exception_id)
    from account_home h
    cross join jsonb_to_recordset(raised) as x(exception_id integer, basis text, elsewhere boolean, situations text[])
    where h.account_id = save_change.account_id and not exists (
      select
      from order_exception e
      where e.account_id = save_change.account_id and e.order_number = save_change.order_number
        and e.exception_id = x.exception_id and e.resolved_at is null);
  end if;

  if note is not null then
    new_note := jsonb_populate_record(null::order_note, note);
    insert into order_note (account_id, order_number, note_id, at, person_id, role, text_sealed, signature)
    values (account_id, order_number, new_note.note_id, changed_at, new_note.person_id, new_note.role,
      new_note.text_sealed, new_note.signature);
  end if;
  if history is not null then
    for line in select h.* from jsonb_populate_recordset(null::order_history, history) h loop
      insert into order_history (account_id, order_number, at, actor, person_id, event, "from", "to", stage, exception_id,
        note_id, request_id)
      values (account_id, order_number, changed_at, line.actor, line.person_id, line.event, line."from", line."to",
        line.stage, line.exception_id, line.note_id, line.request_id);
    end loop;
  end if;

  if shipped is not null then
    parcel := jsonb_populate_record(null::shipment, shipped);
    insert into shipment (account_id, order_number, shipment_id, tracking_no, tracking_url, carrier, method, status,
      shipped_at, delivered_at, next_scan_at, label_format, label_sealed)
    values (account_id, order_number, parcel.shipment_id, parcel.tracking_no, parcel.tracking_url, parcel.carrier,
      parcel.method, parcel.status, parcel.shipped_at, parcel.delivered_at, parcel.next_scan_at, parcel.label_format,
      parcel.label_sealed);
  end if;
  if tracked is not null then
    update shipment s
    set status = t.status, delivered_at = t.delivered_at, next_scan_at = t.next_scan_at
    from jsonb_populate_record(null::shipment, tracked) t
    where s.account_id = save_change.account_id and s.order_number = save_change.order_number
      and s.shipment_id = t.shipment_id;
  end if;
  if scans is not null then
    for scan in select s.* from jsonb_populate_recordset(null::shipment_scan, scans) s loop
      insert into shipment_scan (account_id, order_number, shipment_id, at, status, place, description)
      values (account_id, order_number, scan.shipment_id, scan.at, scan.status, scan.place, scan.description)
      on conflict do nothing;
    end loop;
  end if;

  if payments is not null then
    for payment in select p.* from jsonb_populate_recordset(null::payment_entry, payments) p loop
      insert into payment_entry (account_id, order_number, payment_entry_id, kind, amount_cents, reason_id, state, actor,
        at)
      values (account_id, order_number, payment.payment_entry_id, payment.kind, payment.amount_cents, payment.reason_id,
        payment.state, payment.actor, changed_at);
    end loop;
  end if;
  if asked is not null then
    action := jsonb_populate_record(null::order_action_request, asked);
    insert into order_action_request as q (account_id, order_number, event, exception_id, reason_id, amount_cents,
      prescription_id, item_id, created_at)
    values (account_id, order_number, action.event, action.exception_id, action.reason_id, action.amount_cents,
      action.prescription_id, action.item_id, changed_at)
    returning q.id into action_request_id;
  end if;

  for nth in 1 .. cardinality(event_ids) loop
    insert into webhook_event (account_id, event_id, event_type, order_number, body_sealed, created_at)
    values (account_id, event_ids[nth], event_types[nth],
      -- These two are about the patient or a prescription, and name no order.
      case when event_types[nth] in ('PATIENT_UPDATED', 'RX_STATUS_CHANGED') then null else order_number end,
      event_bodies_sealed[nth], changed_at);
  end loop;

  if audit is not null then
    entry := jsonb_populate_record(null::audit_entry, audit);
    entry.field_groups := coalesce(entry.field_groups, '{}');
    if entry.patient_keys is null then
      id_indexes := array(select jsonb_array_elements_text(coalesce(audit->'patients', '[]'))::bytea);
      entry.patient_keys := array(
        select p.patient_key
        from patient p
        where p.account_id = save_change.account_id and p.id_index = any(id_indexes));
    end if;
    insert into audit_entry (at, person_id, role, credential_id, os_user, address, account_id, action, subject,
      request_id, field_groups, patient_keys)
    values (entry.at, entry.person_id, entry.role, entry.credential_id, entry.os_user, entry.address, account_id,
      entry.action, entry.subject, entry.request_id, entry.field_groups, entry.patient_keys);
  end if;

  if changed_items is not null then
    lot_items := array(
      select (x.item->>'item_id')::integer
      from jsonb_array_elements(changed_items) as x(item)
      where x.item ? 'lot');
  end if;
  if cardinality(moved_skus) > 1 or cardinality(lot_items) > 0 then
    perform
    from stock s
    where s.account_id = save_change.account_id and s.sku = any(moved_skus || array(
      select i.sku
      from order_item i
      where i.account_id = save_change.account_id and i.order_number = save_change.order_number
        and i.item_id = any(lot_items)))
    order by s.sku
    for no key update;
  end if;
  if cardinality(lot_items) > 0 then
    perform fill_lots(account_id, order_number, changed_items, lot_items);
  end if;
  for nth in 1 .. cardinality(moved_skus) loop
    update stock s
    set on_hand_units = s.on_hand_units + moved_on_hand[nth], reserved_units = s.reserved_units + moved_reserved[nth]
    where s.account_id = save_change.account_id and s.sku = moved_skus[nth]
    returning s.on_hand_units - s.reserved_units into available;
    perform conflict_unless(found);
    of_lots := 0;
    if moved_kinds[nth] = 'dispensed' then
      of_lots := dispense_lots(account_id, order_number, moved_skus[nth], changed_at);
    end if;
    if moved_units[nth] > of_lots then
      insert into stock_entry (account_id, sku, kind, units, order_number, at)
      values (account_id, moved_skus[nth], moved_kinds[nth], moved_units[nth] - of_lots, order_number, changed_at);
    end if;
    if (available > 0) <> (available - moved_on_hand[nth] + moved_reserved[nth] > 0) then
      announced := jsonb_build_object('kind', 'catalogue', 'account_id', account_id);
    end if;
  end loop;
  if announced is not null then
    -- With the commit, as in save_order, and only when a product runs out or is available again.
    perform pg_notify('pestle_changes', announced);
  end if;
end
$$;
