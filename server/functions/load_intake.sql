-- revision 1
-- Loads everything that the decision on a message needs and that the process does not cache: the patients and
-- prescriptions that it may be about. Each part is a short statement that probes an index. The function is stable, so
-- that all of them see the same moment: a message that finds the claim on a name must also find the patient behind it.
create or replace function load_intake(
  account_id text,
  alias_indexes bytea[],
  name_dob_index bytea,
  phone_index bytea,
  -- The ids that a new patient could get.
  wanted_indexes bytea[],
  sender text,
  -- The id of the earlier message that this one references.
  relates_to text,
  prescriber_order_number text,
  -- Also load the prescriptions of the patients found.
  with_prescriptions boolean,
  -- The patient that a simulation names.
  meant_index bytea,
  out known_aliases bytea[],
  out claim_revision integer,
  out taken_indexes bytea[],
  out patients json,
  out prescriptions json
)
language plpgsql stable
as $$
declare
  alias_key bigint;
  same_id_keys bigint[];
  patient_keys bigint[];
  prescription_ids bigint[];
begin
  for nth in 1 .. cardinality(alias_indexes) loop
    select a.patient_key into alias_key
    from patient_alias a
    where a.account_id = load_intake.account_id and a.alias_index = alias_indexes[nth];
    if found then
      known_aliases := known_aliases || alias_indexes[nth];
      same_id_keys := same_id_keys || alias_key;
    end if;
  end loop;
  patient_keys := same_id_keys;

  if name_dob_index is not null then
    select c.revision into claim_revision
    from patient_name_claim c
    where c.account_id = load_intake.account_id and c.name_dob_index = load_intake.name_dob_index;
    patient_keys := patient_keys || array(
      select p.patient_key
      from patient p
      where p.account_id = load_intake.account_id and p.name_dob_index = load_intake.name_dob_index);
  end if;

  if phone_index is not null then
    patient_keys := patient_keys || array(
      select p.patient_key
      from patient p
      where p.account_id = load_intake.account_id and p.phone_index = load_intake.phone_index
      limit 20);
  end if;

  if meant_index is not null then
    patient_keys := patient_keys || array(
      select p.patient_key
      from patient p
      where p.account_id = load_intake.account_id and p.id_index = meant_index);
  end if;

  if cardinality(wanted_indexes) > 0 then
    select array_agg(p.id_index) into taken_indexes
    from patient p
    where p.account_id = load_intake.account_id and p.id_index = any(wanted_indexes);
  end if;

  if relates_to is not null then
    select array_agg(r.prescription_id), patient_keys || array_agg(r.patient_key) into prescription_ids, patient_keys
    from prescription r
    where r.account_id = load_intake.account_id and r.sender = load_intake.sender
      and r.sender_message_id = relates_to;
  end if;

  if prescriber_order_number is not null then
    select prescription_ids || array_agg(r.prescription_id), patient_keys || array_agg(r.patient_key)
    into prescription_ids, patient_keys
    from prescription r
    where r.account_id = load_intake.account_id
      and r.prescriber_order_number = load_intake.prescriber_order_number and (r.sender = load_intake.sender) is true;
  end if;

  if cardinality(patient_keys) > 0 then
    select array_agg(k.patient_key), json_agg(json_build_object(
      'patient_key', k.patient_key, 'revision', k.revision,
      'same_id', coalesce(k.patient_key = any(same_id_keys), false),
      'id_sealed', translate(encode(k.id_sealed, 'base64'), E'\n', ''),
      'record_sealed', translate(encode(k.record_sealed, 'base64'), E'\n', '')))
    into patient_keys, patients
    from (
      select p.patient_key, p.revision, p.id_sealed, p.record_sealed
      from patient p
      where p.account_id = load_intake.account_id and p.patient_key = any(patient_keys)
      limit 50
    ) k;
  end if;

  if with_prescriptions then
    prescription_ids := prescription_ids || array(
      select r.prescription_id
      from prescription r
      where r.account_id = load_intake.account_id and r.patient_key = any(patient_keys));
  end if;

  if cardinality(prescription_ids) > 0 then
    select json_agg(json_build_object(
      'prescription_id', r.prescription_id, 'patient_key', r.patient_key, 'active', r.active, 'sender', r.sender,
      'sender_message_id', r.sender_message_id, 'prescriber_order_number', r.prescriber_order_number,
      'prescriber_name', r.prescriber_name, 'prescriber_phone', r.prescriber_phone,
      'prescriber_fax', r.prescriber_fax, 'prescriber_npi', r.prescriber_npi, 'prescriber_dea', r.prescriber_dea,
      'written_date', r.written_date, 'effective_date', r.effective_date, 'drug_name', r.drug_name, 'ndc', r.ndc,
      'gcn', r.gcn, 'sig_text', r.sig_text,
      'written_sealed', translate(encode(r.written_sealed, 'base64'), E'\n', ''),
      'written_qty', r.written_qty, 'unit', r.unit,
      'days_supply', r.days_supply, 'refills', r.refills, 'drug_schedule', r.drug_schedule, 'daw', r.daw,
      'units_ordered', r.units_ordered,
      'orders', coalesce((
        select json_agg(json_build_object(
          'order_number', o.order_number, 'order_status', o.order_status, 'held_from', o.held_from))
        from orders o
        where o.account_id = load_intake.account_id and o.order_status <> 'Canceled' and o.order_number = any(array(
          select i.order_number
          from order_item i
          where i.account_id = load_intake.account_id and i.prescription_id = r.prescription_id))), '[]'))
      order by r.received_at desc, r.intake_message_id desc)
    into prescriptions
    from prescription r
    where r.account_id = load_intake.account_id and r.prescription_id = any(prescription_ids);
  end if;
end
$$;
