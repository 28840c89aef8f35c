import type { Environment, MedicationDispense, Workflow } from "@pestle/contract";
import type { PrescriptionFact } from "../../domain/orders/order-facts.ts";
import { type Queryable, sql, statementOf } from "../db.ts";
import { partialFill } from "../orders/partial-fill.ts";

export type SealedFact = Omit<PrescriptionFact, "patient_id"> & {
  patient_key: number;
  /** The partner's id of the patient. */
  id_sealed: Buffer;
  written_sealed: Buffer | null;
};
/** A patient's prescriptions with the dispenses of all their orders. */
export type PatientPrescriptions = { workflow: Workflow; clock_offset_s: number; prescriptions: PatientPrescription[] };
export type PatientPrescription = SealedFact & {
  intake_message_id: number;
  medication_dispenses: MedicationDispense[];
};
/** When a prescription arrived, and its place among those of the same moment. */
export type Arrival = { received_at: Date; intake_message_id: number };

const ofPatient = statementOf<
  [
    account_id: string,
    id_index: Buffer,
    active: boolean | null,
    received_at: Date | null,
    intake_message_id: number | null,
    most: number,
  ],
  PatientPrescription & {
    workflow: Workflow;
    clock_offset_s: number;
    prescription_id: number | null;
    medication_dispenses: MedicationDispense[];
  }
>(`
select a.workflow, a.clock_offset_s, r.prescription_id, p.patient_key, p.id_sealed, r.active, r.prescriber_name, r.prescriber_phone, r.prescriber_fax,
  r.prescriber_npi, r.prescriber_dea, r.received_at, r.expires_at, r.written_date, r.effective_date, r.drug_name, r.ndc,
  r.gcn, r.sig_text, r.written_sealed, r.written_qty::float8 as written_qty, r.unit, r.days_supply, r.refills, r.drug_schedule, r.daw,
  r.units_ordered::float8 as units_ordered, r.acceptance, r.order_errors, r.intake_message_id,
  case when r.drug_schedule = '2' then ${partialFill("r")} end as partial,
  coalesce((
    select json_agg(json_build_object(
      'dispense_id', i.dispense_id, 'order_number', i.order_number, 'order_status', o.order_status,
      'ndc', coalesce(i.ndc, ''), 'quantity', i.quantity, 'package_size', i.package_size, 'shipment', (
        select json_build_object(
          'tracking_no', s.tracking_no, 'tracking_url', s.tracking_url, 'carrier', s.carrier, 'method', s.method,
          'status', s.status, 'shipped_at', s.shipped_at, 'delivered_at', s.delivered_at)
        from shipment s
        where s.account_id = o.account_id and s.order_number = o.order_number
        order by s.shipment_id desc
        limit 1)) order by o.order_position, i.item_id)
    from order_item i
    join orders o on o.account_id = i.account_id and o.order_number = i.order_number
    where i.account_id = r.account_id and i.prescription_id = r.prescription_id and i.removed_at is null), '[]')
    as medication_dispenses
from patient p
join account a on a.account_id = p.account_id
left join prescription r on r.account_id = p.account_id and r.patient_key = p.patient_key
  and ($3::boolean is null or r.active = $3)
  and ($4::timestamptz is null or (r.received_at, r.intake_message_id) < ($4, $5::bigint))
where p.account_id = $1 and p.id_index = $2
order by r.received_at desc, r.intake_message_id desc
limit $6`);
/** Prescriptions of a patient that arrived before a position, newest first; undefined if there is no such patient. */
export async function loadPrescriptions(
  db: Queryable,
  account_id: string,
  id_index: Buffer,
  active: boolean | null,
  before: Arrival | null,
  most: number,
): Promise<PatientPrescriptions | undefined> {
  const { received_at = null, intake_message_id = null } = before ?? {};
  const rows = await db.rows(ofPatient, [account_id, id_index, active, received_at, intake_message_id, most]);
  const [first] = rows;
  const prescriptions = rows.filter((row) => row.prescription_id !== null);
  return first && { workflow: first.workflow, clock_offset_s: first.clock_offset_s, prescriptions };
}

const lastOfOrder = sql<
  [ncpdp_id: string, environment: Environment, sender: string, prescriber_order_number: string],
  { sender_message_id: string }
>`
select r.sender_message_id
from each_account a
join prescription r on r.account_id = a.account_id
where a.ncpdp_id = $1 and a.environment = $2 and r.sender = $3 and r.prescriber_order_number = $4 and r.active
order by r.received_at desc, r.intake_message_id desc
limit 1`;
/** The newest message of a prescriber's order that has not ended, at any account with that receiver id. */
export const findLastOfOrder = (
  db: Queryable,
  ncpdp_id: string,
  environment: Environment,
  sender: string,
  prescriber_order_number: string,
) => db.row(lastOfOrder, [ncpdp_id, environment, sender, prescriber_order_number]);

/** The columns of a `SealedFact`, of `prescription r` of the account $1. */
export const FACT_COLUMNS = `r.prescription_id, r.patient_key, (
    select p.id_sealed
    from patient p
    where p.account_id = $1 and p.patient_key = r.patient_key) as id_sealed,
  r.active, r.acceptance, r.prescriber_name, r.prescriber_phone,
  r.prescriber_fax, r.prescriber_npi, r.prescriber_dea, r.received_at, r.expires_at, r.written_date, r.effective_date,
  r.drug_name, r.ndc, r.gcn, r.sig_text, r.written_sealed, r.written_qty::float8 as written_qty, r.unit, r.days_supply,
  r.refills, r.drug_schedule, r.daw, r.units_ordered::float8 as units_ordered, r.order_errors,
  case when r.drug_schedule = '2' then ${partialFill("r")} end as partial`;
const fact = statementOf<[account_id: string, prescription_id: number], SealedFact>(`
select ${FACT_COLUMNS}
from prescription r
where r.account_id = $1 and r.prescription_id = $2`);
export const loadPrescriptionFact = (db: Queryable, account_id: string, prescription_id: number) =>
  db.row(fact, [account_id, prescription_id]);
