-- revision 4
-- Saves everything that a message changes. The service has decided all of it. This function only checks that the facts
-- behind the decision still hold, and raises 40001 if they do not.
--
-- It locks rows in this order: message, name, patient, prescriptions by id.
create or replace function save_intake(
  -- The partner's account. While no partner is known, the account of the message.
  account_id text,
  message_account_id text,
  intake_message_id bigint,
  -- `received`: not processed yet; `review`: answered, and a person has routed it.
  message_was text,
  outcome text,
  -- Null while no partner is known.
  for_account_id text,
  warnings text[],
  answer_sealed bytea,
  processed_at timestamptz,
  -- Null if the message is about no patient.
  patient_key bigint,
  -- Null, except for a new patient: the patients of that name and birth date at decision time, and the patient's id.
  claim_revision integer,
  id_sealed bytea,
  id_index bytea,
  name_dob_index bytea,
  surname_index bytea,
  dob_index bytea,
  -- The record of a new patient, or the new record of a known one; null if the record stays.
  record_sealed bytea,
  email_index bytea,
  phone_index bytea,
  person_keys bytea[],
  -- The patient's revision at decision time, if the record of a known patient changes.
  patient_revision integer,
  recheck_due boolean,
  new_alias_indexes bytea[],
  -- The prescriptions to end, and the units ordered of each at decision time.
  ended_ids bigint[],
  ended_units numeric[],
  -- Null if the message makes no prescription. The columns after it belong to the prescription.
  prescription_id bigint,
  acceptance text,
  source text,
  sender text,
  sender_message_id text,
  prescriber_order_number text,
  replaces_prescription_id bigint,
  written_sealed bytea,
  received_at timestamptz,
  expires_at timestamptz,
  written_date date,
  effective_date date,
  drug_name text,
  ndc text,
  gcn text,
  written_qty numeric,
  unit text,
  days_supply integer,
  refills integer,
  drug_schedule text,
  daw boolean,
  details_sealed bytea,
  order_due_at timestamptz,
  -- Null if nothing needs a person.
  reviews jsonb,
  event_ids uuid[],
  event_types text[],
  event_bodies_sealed bytea[]
) returns void
language plpgsql
as $$
declare
  doubt review;
begin
  update intake_message m
  set state = 'processed', outcome = save_intake.outcome, for_account_id = save_intake.for_account_id,
    answer_sealed = coalesce(m.answer_sealed, save_intake.answer_sealed), processed_at = save_intake.processed_at,
    warnings = save_intake.warnings
  where m.account_id = message_account_id and m.intake_message_id = save_intake.intake_message_id
    and coalesce(m.outcome, m.state) = message_was and (m.state = 'received' or m.for_account_id is null);
  perform conflict_unless(found);

  if claim_revision is not null then
    insert into patient_name_claim as c (account_id, name_dob_index, revision)
    values (account_id, name_dob_index, 1)
    on conflict on constraint patient_name_claim_pkey do update
    set revision = c.revision + 1
    where c.revision = claim_revision;
    perform conflict_unless(found);
    insert into patient (account_id, patient_key, id_sealed, id_index, record_sealed, name_dob_index, surname_index,
      dob_index, email_index, phone_index, person_keys, created_at, updated_at)
    values (account_id, patient_key, id_sealed, id_index, record_sealed, name_dob_index, surname_index, dob_index,
      email_index, phone_index, person_keys, processed_at, processed_at);
  elsif record_sealed is not null then
    update patient p
    set record_sealed = save_intake.record_sealed, email_index = save_intake.email_index,
      phone_index = save_intake.phone_index, person_keys = save_intake.person_keys,
      updated_at = save_intake.processed_at, revision = p.revision + 1,
      recheck_due = greatest(p.recheck_due, save_intake.recheck_due)
    where p.account_id = save_intake.account_id and p.patient_key = save_intake.patient_key
      and p.revision = patient_revision;
    perform conflict_unless(found);
  end if;

  for nth in 1 .. cardinality(new_alias_indexes) loop
    insert into patient_alias (account_id, alias_index, patient_key, created_at)
    values (account_id, new_alias_indexes[nth], patient_key, processed_at)
    on conflict do nothing;
  end loop;

  if cardinality(ended_ids) > 1 then
    perform
    from prescription r
    where r.account_id = save_intake.account_id and r.prescription_id = any(ended_ids)
    order by r.prescription_id
    for no key update;
  end if;
  for nth in 1 .. cardinality(ended_ids) loop
    update prescription r
    set active = false, order_due_at = null
    where r.account_id = save_intake.account_id and r.prescription_id = ended_ids[nth] and r.active
      and r.units_ordered = ended_units[nth];
    perform conflict_unless(found);
  end loop;

  if prescription_id is not null then
    insert into prescription (account_id, prescription_id, patient_key, acceptance, source, intake_message_id, sender,
      sender_message_id, prescriber_order_number, replaces_prescription_id, written_sealed, received_at, expires_at,
      written_date, effective_date, drug_name, ndc, gcn, written_qty, unit, days_supply, refills, drug_schedule, daw,
      details_sealed, order_due_at, expiry_notice_at)
    values (account_id, prescription_id, patient_key, acceptance, source, intake_message_id, sender,
      sender_message_id, prescriber_order_number, replaces_prescription_id, written_sealed, received_at, expires_at,
      written_date, effective_date, drug_name, ndc, gcn, written_qty, unit, days_supply, refills, drug_schedule, daw,
      details_sealed, order_due_at, first_expiry_notice(expires_at, processed_at));
  end if;

  if reviews is not null then
    for doubt in select v.* from jsonb_populate_recordset(null::review, reviews) v loop
      insert into review (account_id, kind, intake_message_id, patient_key, prescription_id, reasons, facts_sealed,
        created_at)
      values (account_id, doubt.kind, intake_message_id, patient_key, prescription_id, doubt.reasons, doubt.facts_sealed,
        processed_at);
    end loop;
  end if;

  for nth in 1 .. cardinality(event_ids) loop
    insert into webhook_event (account_id, event_id, event_type, order_number, body_sealed, created_at)
    values (account_id, event_ids[nth], event_types[nth], null, event_bodies_sealed[nth], processed_at);
  end loop;
end
$$;
