-- revision 3
-- Loads everything that the decision on a new order needs and that the process does not cache. Each part is a short
-- statement that probes an index. The function is stable, so that all of them see the same moment: a second order with
-- the same body must find the first one's fingerprint whenever it finds the first one's units.
create or replace function load_order(
  account_id text,
  fingerprint bytea,
  fingerprint_since timestamptz,
  patient_index bytea,
  prescription_ids bigint[],
  -- The products that the items name; those of the prescriptions are added.
  skus text[],
  -- A medication whose supply ended earlier is no longer current.
  taken_since timestamptz,
  out workflow text,
  out custom_labels boolean,
  out clock_offset_s bigint,
  out recent_order_number text,
  out patient_key bigint,
  out patient_revision integer,
  out patient_record_sealed bytea,
  out prescriptions json,
  out shelves json,
  out fills json
)
language plpgsql stable
as $$
declare
  ndcs text[];
  gcns text[];
begin
  select a.workflow, a.custom_labels, a.clock_offset_s
  into workflow, custom_labels, clock_offset_s
  from account a
  where a.account_id = load_order.account_id;

  select f.order_number into recent_order_number
  from order_fingerprint f
  where f.account_id = load_order.account_id and f.fingerprint = load_order.fingerprint
    and (f.created_at > fingerprint_since) is true and exists (
      select
      from orders o
      where o.account_id = load_order.account_id and o.order_number = f.order_number and o.order_status <> 'Canceled');

  if patient_index is not null then
    select p.patient_key, p.revision, p.record_sealed
    into patient_key, patient_revision, patient_record_sealed
    from patient p
    where p.account_id = load_order.account_id and p.id_index = patient_index;
  end if;

  if cardinality(prescription_ids) > 0 then
    select array_agg(r.ndc), array_agg(r.gcn), json_agg(json_build_object(
      'prescription_id', r.prescription_id, 'patient_key', r.patient_key, 'active', r.active,
      'acceptance', r.acceptance, 'prescriber_name', r.prescriber_name, 'prescriber_phone', r.prescriber_phone,
      'prescriber_fax', r.prescriber_fax, 'prescriber_npi', r.prescriber_npi, 'prescriber_dea', r.prescriber_dea,
      'received_at', r.received_at, 'expires_at', r.expires_at, 'written_date', r.written_date,
      'effective_date', r.effective_date, 'drug_name', r.drug_name, 'ndc', r.ndc, 'gcn', r.gcn,
      'sig_text', r.sig_text, 'written_sealed', translate(encode(r.written_sealed, 'base64'), E'\n', ''),
      'written_qty', r.written_qty, 'unit', r.unit, 'days_supply', r.days_supply,
      'refills', r.refills, 'drug_schedule', r.drug_schedule, 'daw', r.daw, 'units_ordered', r.units_ordered,
      'order_errors', r.order_errors,
      'partial', case when r.drug_schedule = '2' then json_build_object(
        'first_filled_at', (
          select min(f.shipped_at)
          from order_item f
          where f.account_id = load_order.account_id and f.account_id = r.account_id and f.prescription_id = r.prescription_id),
        'requested', exists (
          select
          from partial_fill_request q
          where q.account_id = load_order.account_id and q.account_id = r.account_id and q.prescription_id = r.prescription_id)) end,
      'details_sealed', translate(encode(r.details_sealed, 'base64'), E'\n', '')))
    into ndcs, gcns, prescriptions
    from prescription r
    where r.account_id = load_order.account_id and r.prescription_id = any(prescription_ids);

    skus := skus || array(
      select p.sku
      from product p
      where p.account_id = load_order.account_id and p.ndc = any(ndcs));
    skus := skus || array(
      select p.sku
      from product p
      where p.account_id = load_order.account_id and p.gcn = any(gcns));
  end if;

  select json_agg(json_build_object('sku', s.sku, 'available_units', s.on_hand_units - s.reserved_units)) into shelves
  from stock s
  where s.account_id = load_order.account_id and s.sku = any(skus);

  if patient_key is not null then
    select json_agg(json_build_object(
      'order_number', i.order_number, 'prescription_id', i.prescription_id, 'gcn', i.gcn, 'shipped_at', i.shipped_at,
      'ingredients', p.ingredients, 'units', i.units, 'written_qty', r.written_qty, 'days_supply', r.days_supply))
    into fills
    from (
      select t.order_number, t.prescription_id, t.gcn, t.shipped_at, t.sku, t.units
      from order_item t
      where t.account_id = load_order.account_id and t.patient_key = load_order.patient_key and t.pending
      union all
      select t.order_number, t.prescription_id, t.gcn, t.shipped_at, t.sku, t.units
      from order_item t
      where t.account_id = load_order.account_id and t.patient_key = load_order.patient_key
        and t.supply_ends_at > taken_since
    ) i
    left join product p on p.account_id = load_order.account_id and p.sku = i.sku
    left join prescription r on r.account_id = load_order.account_id and r.prescription_id = i.prescription_id;
  end if;

end
$$;
