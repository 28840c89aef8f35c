-- PostgreSQL reads the text of every CHECK again for each statement that writes the table. The 18 checks of `orders` took
-- several times as long as the insert itself. One check per table calls a function, which a session compiles once (ADR 0051).
-- As in a CHECK, null satisfies a rule.

create function order_fits(order_number text, order_status text, stage text, held_from text, open_exceptions integer,
  exception_ids integer[], workflow text, label_format text, payer text, payment_status text, amount_cents integer,
  captured_cents integer, refunded_cents integer, claimed_by text, claimed_until timestamptz, drug_schedule text)
returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return order_number ~ '^[0-9A-HJKMNP-TV-Z]{10}$'
    and order_status in ('Processing', 'Filling', 'Shipped', 'Delivered', 'On Hold', 'Canceled')
    and stage in ('clinical_review', 'fill', 'product_check', 'pack')
    and held_from in ('Processing/clinical_review', 'Filling/fill', 'Filling/product_check', 'Filling/pack')
    and (order_status in ('Processing', 'Filling')) = (stage is not null)
    and (order_status = 'On Hold') = (held_from is not null)
    and (order_status = 'On Hold') = (open_exceptions > 0)
    and open_exceptions = cardinality(exception_ids)
    and workflow in ('api_driven', 'automatic')
    and label_format in ('PDF', 'PNG', 'ZPL')
    and payer in ('partner', 'patient')
    and payment_status in ('pending', 'authorized', 'captured', 'declined', 'voided', 'refunded')
    and amount_cents >= 0
    and refunded_cents >= 0
    and refunded_cents <= captured_cents
    and (claimed_by is null) = (claimed_until is null)
    and drug_schedule in ('0', '2', '3', '4', '5');
end
$$;

alter table orders
  drop constraint orders_amount_cents_check,
  drop constraint orders_captured_cents_check,
  drop constraint orders_check,
  drop constraint orders_check1,
  drop constraint orders_check2,
  drop constraint orders_check3,
  drop constraint orders_check4,
  drop constraint orders_check5,
  drop constraint orders_drug_schedule_check,
  drop constraint orders_held_from_check,
  drop constraint orders_label_format_check,
  drop constraint orders_open_exceptions_check,
  drop constraint orders_order_number_check,
  drop constraint orders_order_status_check,
  drop constraint orders_payer_check,
  drop constraint orders_payment_status_check,
  drop constraint orders_stage_check,
  drop constraint orders_workflow_check,
  add constraint orders_fit check (order_fits(order_number, order_status, stage, held_from, open_exceptions, exception_ids,
    workflow, label_format, payer, payment_status, amount_cents, captured_cents, refunded_cents, claimed_by,
    claimed_until, drug_schedule));

create function order_item_fits(quantity integer, package_size numeric, price_cents integer, lot text, lot_expires_on date)
returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return quantity > 0
    and package_size > 0
    and price_cents >= 0
    and lot <> ''
    and (lot is null) = (lot_expires_on is null);
end
$$;

alter table order_item
  drop constraint order_item_check,
  drop constraint order_item_lot_check,
  drop constraint order_item_package_size_check,
  drop constraint order_item_price_cents_check,
  drop constraint order_item_quantity_check,
  add constraint order_item_fit check (order_item_fits(quantity, package_size, price_cents, lot, lot_expires_on));

create function prescription_fits(acceptance text, source text, ndc text, written_qty numeric, days_supply integer,
  refills integer, drug_schedule text, units_ordered numeric, units_authorized numeric, written boolean)
returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return acceptance in ('not_needed', 'pending', 'accepted', 'rejected')
    and source in ('script', 'fhir', 'simulation')
    and ndc ~ '^[0-9]{11}$'
    and written_qty >= 0
    and days_supply > 0
    and refills between 0 and 99
    and drug_schedule in ('0', '2', '3', '4', '5')
    and (drug_schedule <> '2' or refills = 0)
    and (drug_schedule = '0' or refills <= 5)
    and units_ordered >= 0
    and units_ordered <= units_authorized
    and written;
end
$$;

alter table prescription
  drop constraint prescription_acceptance_check,
  drop constraint prescription_check,
  drop constraint prescription_check1,
  drop constraint prescription_check2,
  drop constraint prescription_days_supply_check,
  drop constraint prescription_drug_schedule_check,
  drop constraint prescription_ndc_check,
  drop constraint prescription_refills_check,
  drop constraint prescription_source_check,
  drop constraint prescription_written,
  drop constraint prescription_written_qty_check,
  add constraint prescription_fit check (prescription_fits(acceptance, source, ndc, written_qty, days_supply, refills,
    drug_schedule, units_ordered, units_authorized,
    written_sealed is not null or sig_text is not null and prescriber_name is not null));

create function intake_message_fits(format text, state text, outcome text, processed_at timestamptz, answered boolean)
returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return format in ('script', 'fhir', 'simulation')
    and state in ('received', 'processed')
    and outcome in ('accepted', 'refused', 'review')
    and (state = 'processed') = (outcome is not null)
    and (state = 'processed') = (processed_at is not null)
    and (state = 'processed') = answered;
end
$$;

alter table intake_message
  drop constraint intake_message_answer,
  drop constraint intake_message_check1,
  drop constraint intake_message_check2,
  drop constraint intake_message_format_check,
  drop constraint intake_message_outcome_check,
  drop constraint intake_message_state_check,
  add constraint intake_message_fit check (intake_message_fits(format, state, outcome, processed_at,
    answer is not null or answer_sealed is not null));

create function stock_entry_fits(kind text, units numeric)
returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return kind in ('received', 'reserved', 'released', 'dispensed', 'counted')
    and (kind = 'counted' or units > 0);
end
$$;

alter table stock_entry
  drop constraint stock_entry_check,
  drop constraint stock_entry_kind_check,
  add constraint stock_entry_fit check (stock_entry_fits(kind, units));

-- 0 <= reserved_units <= on_hand_units implies it.
alter table stock
  drop constraint stock_on_hand_units_check;

create function webhook_attempt_fits(attempt integer, delivery_status text, duration_ms integer)
returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return attempt > 0
    and delivery_status in ('pending', 'delivered', 'failed')
    and duration_ms >= 0;
end
$$;

alter table webhook_attempt
  drop constraint webhook_attempt_attempt_check,
  drop constraint webhook_attempt_delivery_status_check,
  drop constraint webhook_attempt_duration_ms_check,
  add constraint webhook_attempt_fit check (webhook_attempt_fits(attempt, delivery_status, duration_ms));

create function shipment_fits(status text, delivered_at timestamptz, label_format text)
returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return status in ('label_created', 'in_transit', 'out_for_delivery', 'delivered', 'returned', 'lost', 'exception')
    and (status = 'delivered') = (delivered_at is not null)
    and label_format in ('PDF', 'PNG', 'ZPL');
end
$$;

alter table shipment
  drop constraint shipment_check,
  drop constraint shipment_label_format_check,
  drop constraint shipment_status_check,
  add constraint shipment_fit check (shipment_fits(status, delivered_at, label_format));

create function payment_entry_fits(kind text, state text, amount_cents integer, reason_id integer)
returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return kind in ('authorisation', 'capture', 'void', 'refund')
    and state in ('asked', 'done')
    and amount_cents >= 0
    and (kind = 'refund') = (reason_id is not null);
end
$$;

alter table payment_entry
  drop constraint payment_entry_amount_cents_check,
  drop constraint payment_entry_check,
  drop constraint payment_entry_kind_check,
  drop constraint payment_entry_state_check,
  add constraint payment_entry_fit check (payment_entry_fits(kind, state, amount_cents, reason_id));

-- Each statement that writes a sealed column inlined the former SQL function, which means reading and planning it again.
create or replace function sealed_key_id(sealed bytea)
returns integer
language plpgsql immutable strict parallel safe
as $$
begin
  return (get_byte(sealed, 0) << 24) | (get_byte(sealed, 1) << 16) | (get_byte(sealed, 2) << 8) | get_byte(sealed, 3);
end
$$;
