import type { PriorPrescription } from "../../domain/intake/complete-response.ts";
import { type Queryable, sql } from "../db.ts";
import type { ChangedPatient } from "../patients/patients.ts";
import type { Rows } from "../schema-rows.ts";
import type { Bytes } from "../values.ts";
import type { NewEvent } from "../webhooks/new-event.ts";

/** The data for deciding on a message: the patients and prescriptions that it may be about. */
export type IntakeContext = {
  patients: {
    patient_key: number;
    /** Base64, because JSON cannot carry bytes. */
    id_sealed: string;
    revision: number;
    record_sealed: string;
    same_id: boolean;
  }[];
  claim_revision: number;
  /** The blind indexes of the wanted ids that other patients have, in hexadecimal. */
  taken_indexes: string[];
  prescriptions: (Omit<PriorPrescription, "patient_id"> & { patient_key: number; written_sealed: string | null })[];
  next_prescription_id: number;
};
export type IntakeQuestion = {
  account_id: string;
  alias_indexes: Buffer[];
  name_dob_index: Buffer | null;
  phone_index: Buffer | null;
  wanted_indexes: Buffer[];
  sender: string;
  /** The id of the earlier message that this one references. */
  relates_to: string | null;
  prescriber_order_number: string | null;
  /** Also load the prescriptions of the patients found: a cancel may name only the patient. */
  with_prescriptions: boolean;
  /** Our id of the patient that a simulation names. */
  meant_index: Buffer | null;
};

const context = sql<
  [
    account_id: string,
    alias_indexes: Buffer[],
    name_dob_index: Buffer | null,
    phone_index: Buffer | null,
    wanted_indexes: Buffer[],
    sender: string,
    relates_to: string | null,
    prescriber_order_number: string | null,
    with_prescriptions: boolean,
    meant_index: Buffer | null,
  ],
  IntakeContext
>`
with named as (
  select r.*
  from prescription r
  where r.account_id = $1 and r.sender = $6 and r.sender_message_id = $7
  union
  select r.*
  from prescription r
  where r.account_id = $1 and r.prescriber_order_number = $8 and r.sender = $6
), known as (
  select p.patient_key, p.id_sealed, p.revision, p.record_sealed, bool_or(f.same_id) as same_id
  from (
    select a.patient_key, true as same_id
    from patient_alias a
    where a.account_id = $1 and a.alias_index = any($2)
    union all
    select n.patient_key, false
    from patient n
    where n.account_id = $1 and n.name_dob_index = $3
    union all
    (select t.patient_key, false
    from patient t
    where t.account_id = $1 and t.phone_index = $4
    limit 20)
    union all
    select r.patient_key, false
    from named r
    union all
    select y.patient_key, false
    from patient y
    where y.account_id = $1 and y.id_index = $10
  ) f
  join patient p on p.account_id = $1 and p.patient_key = f.patient_key
  group by p.patient_key, p.id_sealed, p.revision, p.record_sealed
  limit 50
), meant as (
  select r.*
  from named r
  union
  select r.*
  from prescription r
  where $9 and r.account_id = $1 and r.patient_key in (select patient_key from known)
)
select
  coalesce((
    select json_agg(json_build_object(
      'patient_key', k.patient_key, 'id_sealed', translate(encode(k.id_sealed, 'base64'), E'\n', ''), 'revision', k.revision, 'same_id', k.same_id,
      'record_sealed', translate(encode(k.record_sealed, 'base64'), E'\n', '')))
    from known k), '[]') as patients,
  coalesce((
    select c.revision
    from patient_name_claim c
    where c.account_id = $1 and c.name_dob_index = $3), 0) as claim_revision,
  coalesce((
    select json_agg(encode(t.id_index, 'hex'))
    from patient t
    where t.account_id = $1 and t.id_index = any($5)), '[]') as taken_indexes,
  coalesce((
    select json_agg(json_build_object(
      'prescription_id', m.prescription_id, 'patient_key', m.patient_key, 'active', m.active, 'sender', m.sender,
      'sender_message_id', m.sender_message_id, 'prescriber_order_number', m.prescriber_order_number,
      'prescriber_name', m.prescriber_name, 'prescriber_phone', m.prescriber_phone,
      'prescriber_fax', m.prescriber_fax, 'prescriber_npi', m.prescriber_npi, 'prescriber_dea', m.prescriber_dea,
      'written_date', m.written_date, 'effective_date', m.effective_date, 'drug_name', m.drug_name, 'ndc', m.ndc,
      'gcn', m.gcn, 'sig_text', m.sig_text,
      'written_sealed', translate(encode(m.written_sealed, 'base64'), E'\n', ''),
      'written_qty', m.written_qty, 'unit', m.unit,
      'days_supply', m.days_supply, 'refills', m.refills, 'drug_schedule', m.drug_schedule, 'daw', m.daw,
      'units_ordered', m.units_ordered,
      'orders', coalesce((
        select json_agg(json_build_object(
          'order_number', o.order_number, 'order_status', o.order_status, 'held_from', o.held_from))
        from orders o
        where o.account_id = $1 and o.order_status <> 'Canceled' and o.order_number in (
          select i.order_number
          from order_item i
          where i.account_id = $1 and i.prescription_id = m.prescription_id)), '[]'))
      order by m.received_at desc, m.intake_message_id desc)
    from meant m), '[]') as prescriptions,
  scattered_id(nextval(pg_get_serial_sequence('prescription', 'prescription_id'))) as next_prescription_id`;
export const loadIntakeContext = async (db: Queryable, asked: IntakeQuestion) =>
  (await db.row(context, [
    asked.account_id,
    asked.alias_indexes,
    asked.name_dob_index,
    asked.phone_index,
    asked.wanted_indexes,
    asked.sender,
    asked.relates_to,
    asked.prescriber_order_number,
    asked.with_prescriptions,
    asked.meant_index,
  ]))!;

export const loadIntakeContextText = context.text;

/** Only rows of earlier versions have these. */
type ClearColumn =
  | "sig_text"
  | "prescriber_name"
  | "prescriber_phone"
  | "prescriber_fax"
  | "prescriber_npi"
  | "prescriber_dea";

/** The rows that a message creates or changes, by table. */
export type IntakeSave = {
  message: {
    account_id: string;
    intake_message_id: number;
    /** `received`: not processed yet; `review`: answered, and a person must route it. */
    was: "received" | "review";
    outcome: "accepted" | "refused" | "review";
  };
  warnings: string[];
  answer_sealed: Bytes;
  processed_at: Date;
  /** The partner's account; null while the account is unknown and the message is in the operators' queue. */
  account_id: string | null;
  new_patient: (Omit<Rows["patient"], "revision" | "patient_id"> & { claim_revision: number }) | null;
  changed_patient: ChangedPatient | null;
  aliases: Pick<Rows["patient_alias"], "alias_index" | "patient_key">[];
  prescription: Omit<Rows["prescription"], "active" | "units_ordered" | "order_errors" | ClearColumn> | null;
  /** Prescriptions to end, with the units ordered at decision time. An order placed since then is a conflict. */
  ended: { prescription_id: number; units_ordered: number }[];
  reviews: Omit<Rows["review"], "facts" | "resolved_at" | "resolved_by" | "outcome">[];
  events: NewEvent[];
};

/** Locks rows in a fixed order, as orders/place-order.ts does: message, name, patient, prescriptions by id. */
const save = sql<[changes: string], { conflict_unless: true }>`
with given as (
  select $1::jsonb as j
), done as (
  update intake_message m
  set state = 'processed', outcome = j->'message'->>'outcome', answer_sealed = coalesce(m.answer_sealed, (j->>'answer_sealed')::bytea),
    for_account_id = j->>'account_id', processed_at = (j->>'processed_at')::timestamptz,
    warnings = array(select jsonb_array_elements_text(j->'warnings'))
  from given
  where m.account_id = j->'message'->>'account_id'
    and m.intake_message_id = (j->'message'->>'intake_message_id')::bigint
    and coalesce(m.outcome, m.state) = coalesce(j->'message'->>'was', 'received')
    and (m.state = 'received' or m.for_account_id is null)
  returning true
), claim as (
  insert into patient_name_claim (account_id, name_dob_index, revision)
  select n.account_id, n.name_dob_index, 1
  from given, jsonb_populate_record(null::patient,
    coalesce(nullif(j->'new_patient', 'null'), '{}')) n
  where n.patient_key is not null and (select count(*) from done) >= 0
  on conflict (account_id, name_dob_index) do update
  set revision = patient_name_claim.revision + 1
  where patient_name_claim.revision = (select (j->'new_patient'->>'claim_revision')::integer from given)
  returning true
), changed as (
  update patient p
  set record_sealed = c.record_sealed, email_index = c.email_index, phone_index = c.phone_index,
    person_keys = c.person_keys,
    updated_at = c.updated_at, revision = p.revision + 1,
    recheck_due = greatest(p.recheck_due, c.recheck_due)
  from given, jsonb_populate_record(null::patient,
    coalesce(nullif(j->'changed_patient', 'null'), '{}')) c
  where p.account_id = c.account_id and p.patient_key = c.patient_key and p.revision = c.revision
    and (select count(*) from claim) >= 0
  returning true
), new_patient as (
  insert into patient (account_id, patient_key, id_sealed, id_index, record_sealed, name_dob_index, email_index, phone_index, person_keys,
    created_at, updated_at)
  select n.account_id, n.patient_key, n.id_sealed, n.id_index, n.record_sealed, n.name_dob_index, n.email_index, n.phone_index, n.person_keys,
    n.created_at, n.updated_at
  from given, jsonb_populate_record(null::patient,
    coalesce(nullif(j->'new_patient', 'null'), '{}')) n
  where n.patient_key is not null
), aliases as (
  insert into patient_alias (account_id, alias_index, patient_key, created_at)
  select j->>'account_id', a.alias_index, a.patient_key, (j->>'processed_at')::timestamptz
  from given, jsonb_populate_recordset(null::patient_alias, j->'aliases') a
  on conflict do nothing
), prescribed as (
  insert into prescription (account_id, prescription_id, patient_key, acceptance, source, intake_message_id, sender,
    sender_message_id, prescriber_order_number, replaces_prescription_id, written_sealed,
    received_at, expires_at, written_date, effective_date, drug_name,
    ndc, gcn, written_qty, unit, days_supply, refills, drug_schedule, daw, details_sealed, order_due_at)
  select r.account_id, r.prescription_id, r.patient_key, r.acceptance, r.source, r.intake_message_id, r.sender,
    r.sender_message_id, r.prescriber_order_number, r.replaces_prescription_id, r.written_sealed,
    r.received_at, r.expires_at, r.written_date,
    r.effective_date, r.drug_name, r.ndc, r.gcn, r.written_qty, r.unit, r.days_supply, r.refills,
    r.drug_schedule, r.daw, r.details_sealed, r.order_due_at
  from given, jsonb_populate_record(null::prescription,
    coalesce(nullif(j->'prescription', 'null'), '{}')) r
  where r.prescription_id is not null
), held as (
  -- Most messages end no prescription, and then PostgreSQL must not read any.
  select r.prescription_id
  from given, prescription r
  where jsonb_array_length(j->'ended') > 0
    and r.account_id = j->>'account_id'
    and r.prescription_id = any(array(
      select (e->>'prescription_id')::bigint
      from given g, jsonb_array_elements(g.j->'ended') e))
    and (select count(*) from changed) >= 0
  order by r.prescription_id
  for no key update of r
), ended as (
  update prescription r
  set active = false, order_due_at = null
  from given
  where jsonb_array_length(j->'ended') > 0
    and r.account_id = j->>'account_id' and r.active
    and r.prescription_id = any(array(
      select (e->>'prescription_id')::bigint
      from given g, jsonb_array_elements(g.j->'ended') e))
    and r.units_ordered = (
      select (e->>'units_ordered')::numeric
      from jsonb_array_elements(j->'ended') e
      where (e->>'prescription_id')::bigint = r.prescription_id)
    and (select count(*) from held) >= 0
  returning true
), reviews as (
  insert into review (account_id, kind, intake_message_id, patient_key, prescription_id, reasons, facts_sealed,
    created_at)
  select v.account_id, v.kind, v.intake_message_id, v.patient_key, v.prescription_id, v.reasons, v.facts_sealed,
    v.created_at
  from given, jsonb_populate_recordset(null::review, j->'reviews') v
), events as (
  insert into webhook_event (account_id, event_id, event_type, order_number, body_sealed, created_at)
  select e.account_id, e.event_id, e.event_type, e.order_number, e.body_sealed, e.created_at
  from given, jsonb_populate_recordset(null::webhook_event, j->'events') e
)
select conflict_unless(
  exists (select from done)
  and (j->'new_patient' = 'null' or exists (select from claim))
  and (j->'changed_patient' = 'null' or exists (select from changed))
  and (select count(*) from ended) = jsonb_array_length(j->'ended'))
from given`;
/**
 * Saves everything that a message changes in one statement. If the message was processed meanwhile, or the patient or a
 * prescription changed since the decision, it saves nothing and throws an error that `isConflict` recognizes.
 */
export const saveIntake = (db: Queryable, changes: IntakeSave) => db.row(save, [JSON.stringify(changes)]);

export const saveIntakeText = save.text;
