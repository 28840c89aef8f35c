-- revision 5
-- Saves a new order with everything that it changes. The service has decided all of it. This function only checks that
-- the facts behind the decision still hold, and raises 40001 if they do not.
--
-- It locks rows in this order: patient, prescriptions by id, fingerprint, order and items, stock by sku. Stock comes last
-- because all orders of a product wait for each other there.
--
-- Returns the change that the commit announces to all processes, or null.
create or replace function save_order(
  account_id text,
  order_number text,
  order_position bigint,
  order_status text,
  stage text,
  held_from text,
  exception_ids integer[],
  patient_key bigint,
  brand_id integer,
  reference_sealed bytea,
  reference_index bytea,
  workflow text,
  shipping_method_id integer,
  signature_confirmation boolean,
  address_sealed bytea,
  ship_state text,
  label_format text,
  label_carrier text,
  label_tracking_no text,
  label_sealed bytea,
  payer text,
  payment_status text,
  payment_token_sealed bytea,
  amount_cents integer,
  safety_sealed bytea,
  sequence integer,
  drug_schedule text,
  stage_since timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  -- Who placed it, for its history.
  actor text,
  -- One element per item.
  item_ids integer[],
  dispense_ids bigint[],
  item_prescription_ids bigint[],
  items_need_prescription boolean[],
  item_skus text[],
  item_ndcs text[],
  item_gcns text[],
  item_quantities integer[],
  item_package_sizes numeric[],
  items_reserved boolean[],
  item_prices_cents integer[],
  item_prescribers_sealed bytea[],
  items_alone boolean[],
  -- The patient's revision at decision time, and the new record if the order changes it.
  patient_revision integer,
  new_record_sealed bytea,
  new_email_index bytea,
  new_phone_index bytea,
  new_person_keys bytea[],
  new_record_at timestamptz,
  new_recheck_due boolean,
  -- The units to take of each prescription, and those taken at decision time.
  prescription_ids bigint[],
  prescription_units numeric[],
  known_units_ordered numeric[],
  -- Another order with this fingerprint since then is a conflict, unless it is canceled.
  fingerprint bytea,
  fingerprint_at timestamptz,
  fingerprint_since timestamptz,
  reserved_skus text[],
  reserved_units numeric[],
  -- Null if no exception holds the order.
  holds jsonb,
  event_ids uuid[],
  event_types text[],
  event_bodies_sealed bytea[],
  audit_at timestamptz,
  audit_person_id text,
  audit_role text,
  audit_credential_id text,
  audit_os_user text,
  audit_address text,
  audit_action text,
  audit_request_id uuid,
  audit_field_groups text[]
) returns text
language plpgsql
as $$
declare
  available numeric;
  announced text;
  hold order_exception;
begin
  if new_record_sealed is null then
    -- A change of the record waits for this order, and then finds it when it checks the patient's open orders.
    perform
    from patient p
    where p.account_id = save_order.account_id and p.patient_key = save_order.patient_key
      and p.revision = patient_revision
    for share;
  else
    update patient p
    set record_sealed = new_record_sealed, email_index = new_email_index, phone_index = new_phone_index,
      person_keys = new_person_keys, updated_at = greatest(p.updated_at, new_record_at), revision = p.revision + 1,
      recheck_due = greatest(p.recheck_due, new_recheck_due)
    where p.account_id = save_order.account_id and p.patient_key = save_order.patient_key
      and p.revision = patient_revision;
  end if;
  perform conflict_unless(found);

  if cardinality(prescription_ids) > 1 then
    perform
    from prescription r
    where r.account_id = save_order.account_id and r.prescription_id = any(prescription_ids)
    order by r.prescription_id
    for no key update;
  end if;
  for nth in 1 .. cardinality(prescription_ids) loop
    -- The order and the refills in its answer were decided on the units that were left.
    update prescription r
    set units_ordered = r.units_ordered + prescription_units[nth], order_due_at = null, order_errors = '[]'
    where r.account_id = save_order.account_id and r.prescription_id = prescription_ids[nth]
      and r.units_ordered = known_units_ordered[nth] and r.active and r.acceptance in ('not_needed', 'accepted');
    perform conflict_unless(found);
  end loop;

  insert into order_fingerprint (account_id, fingerprint, order_number, created_at)
  values (account_id, fingerprint, order_number, fingerprint_at)
  on conflict on constraint order_fingerprint_pkey do nothing;
  if not found then
    update order_fingerprint f
    set order_number = save_order.order_number, created_at = fingerprint_at
    where f.account_id = save_order.account_id and f.fingerprint = save_order.fingerprint
      and (f.created_at <= fingerprint_since or exists (
        select
        from orders o
        where o.account_id = save_order.account_id and o.order_number = f.order_number and o.order_status = 'Canceled'));
    perform conflict_unless(found);
  end if;

  insert into orders (account_id, order_number, order_position, order_status, stage, held_from, open_exceptions,
    exception_ids, patient_key, brand_id, reference_sealed, reference_index, workflow, shipping_method_id,
    signature_confirmation, address_sealed, ship_state, label_format, label_carrier, label_tracking_no, label_sealed,
    payer, payment_status, payment_token_sealed, amount_cents, safety_sealed, sequence, drug_schedule, stage_since,
    created_at, updated_at)
  values (account_id, order_number, order_position, order_status, stage, held_from, cardinality(exception_ids),
    exception_ids, patient_key, brand_id, reference_sealed, reference_index, workflow, shipping_method_id,
    signature_confirmation, address_sealed, ship_state, label_format, label_carrier, label_tracking_no, label_sealed,
    payer, payment_status, payment_token_sealed, amount_cents, safety_sealed, sequence, drug_schedule, stage_since,
    created_at, updated_at);

  for nth in 1 .. cardinality(item_ids) loop
    insert into order_item (account_id, order_number, item_id, dispense_id, prescription_id, needs_prescription, sku,
      ndc, gcn, quantity, package_size, reserved, price_cents, prescriber_sealed, patient_key, alone)
    values (account_id, order_number, item_ids[nth], dispense_ids[nth], item_prescription_ids[nth],
      items_need_prescription[nth], item_skus[nth], item_ndcs[nth], item_gcns[nth], item_quantities[nth],
      item_package_sizes[nth], items_reserved[nth], item_prices_cents[nth], item_prescribers_sealed[nth], patient_key,
      items_alone[nth]);
  end loop;

  insert into order_history (account_id, order_number, at, actor, event, "from", "to", stage, exception_id, request_id)
  values (account_id, order_number, created_at, actor, 'create', null, order_status, stage, exception_ids[1],
    audit_request_id);

  if holds is not null then
    for hold in select h.* from jsonb_populate_recordset(null::order_exception, holds) h loop
      insert into order_exception (account_id, order_number, exception_id, raised_at, basis, situations, occurrence)
      values (account_id, order_number, hold.exception_id, created_at, hold.basis, hold.situations, 1);
    end loop;
    -- The creation names only the first one.
    for nth in 1 .. cardinality(exception_ids) loop
      insert into order_history (account_id, order_number, at, actor, event, "from", "to", stage, exception_id, request_id)
      values (account_id, order_number, created_at, 'system', 'raise_exception', order_status, order_status, stage,
        exception_ids[nth], audit_request_id);
    end loop;
  end if;

  for nth in 1 .. cardinality(event_ids) loop
    insert into webhook_event (account_id, event_id, event_type, order_number, body_sealed, created_at)
    values (account_id, event_ids[nth], event_types[nth],
      -- These two are about the patient or a prescription, and name no order.
      case when event_types[nth] in ('PATIENT_UPDATED', 'RX_STATUS_CHANGED') then null else order_number end,
      event_bodies_sealed[nth], created_at);
  end loop;

  insert into audit_entry (at, person_id, role, credential_id, os_user, address, account_id, action, subject, request_id,
    field_groups, patient_keys)
  values (audit_at, audit_person_id, audit_role, audit_credential_id, audit_os_user, audit_address, account_id,
    audit_action, order_number, audit_request_id, coalesce(audit_field_groups, '{}'), array[patient_key]);

  if cardinality(reserved_skus) > 1 then
    perform
    from stock s
    where s.account_id = save_order.account_id and s.sku = any(reserved_skus)
    order by s.sku
    for no key update;
  end if;
  for nth in 1 .. cardinality(reserved_skus) loop
    update stock s
    set reserved_units = s.reserved_units + save_order.reserved_units[nth]
    where s.account_id = save_order.account_id and s.sku = reserved_skus[nth]
    returning s.on_hand_units - s.reserved_units into available;
    perform conflict_unless(found);
    insert into stock_entry (account_id, sku, kind, units, order_number, at)
    values (account_id, reserved_skus[nth], 'reserved', reserved_units[nth], order_number, created_at);
    if available <= 0 then
      announced := jsonb_build_object('kind', 'catalogue', 'account_id', account_id);
    end if;
  end loop;
  if announced is not null then
    -- In this transaction, because a process that dies after the commit would leave the others with the old catalogue.
    -- Only when a product runs out: a notify takes a global lock, and most orders need none.
    perform pg_notify('pestle_changes', announced);
  end if;
  return announced;
end
$$;
