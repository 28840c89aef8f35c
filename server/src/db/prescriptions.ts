import type { DrugSchedule, Environment, ErrorEntry, Workflow } from "@pestle/contract";
import { type Queryable, sql } from "./db.ts";

type PrescriptionRow = {
  prescription_id: number;
  patient_id: string;
  active: boolean;
  prescriber_name: string;
  prescriber_phone: string | null;
  prescriber_fax: string | null;
  prescriber_npi: string | null;
  prescriber_dea: string | null;
  received_at: Date;
  expires_at: Date;
  written_date: string;
  effective_date: string;
  drug_name: string;
  ndc: string | null;
  gcn: string | null;
  sig_text: string;
  written_qty: number;
  unit: string | null;
  days_supply: number | null;
  refills: number;
  drug_schedule: DrugSchedule;
  daw: boolean;
  units_ordered: number;
  order_errors: ErrorEntry[];
};

export type PatientPrescriptions = { workflow: Workflow; prescriptions: PrescriptionRow[] };

const ofPatient = sql<
  [account_id: string, patient_id: string, active: boolean | null],
  PrescriptionRow & { workflow: Workflow; prescription_id: number | null }
>`
select a.workflow, r.prescription_id, p.patient_id, r.active, r.prescriber_name, r.prescriber_phone, r.prescriber_fax,
  r.prescriber_npi, r.prescriber_dea, r.received_at, r.expires_at, r.written_date, r.effective_date, r.drug_name, r.ndc,
  r.gcn, r.sig_text, r.written_qty::float8 as written_qty, r.unit, r.days_supply, r.refills, r.drug_schedule, r.daw,
  r.units_ordered::float8 as units_ordered, r.order_errors
from patient p
join account a on a.account_id = p.account_id
left join prescription r on r.account_id = p.account_id and r.patient_id = p.patient_id
  and ($3::boolean is null or r.active = $3)
where p.account_id = $1 and p.patient_id = $2
order by r.prescription_id desc`;
/** All of a patient, newest first; undefined where there is no such patient. */
export async function loadPrescriptions(
  db: Queryable,
  account_id: string,
  patient_id: string,
  active: boolean | null,
): Promise<PatientPrescriptions | undefined> {
  const rows = await db.rows(ofPatient, [account_id, patient_id, active]);
  const [first] = rows;
  return first && { workflow: first.workflow, prescriptions: rows.filter((row) => row.prescription_id !== null) };
}

const lastOfOrder = sql<
  [ncpdp_id: string, environment: Environment, sender: string, prescriber_order_number: string],
  { sender_message_id: string }
>`
select r.sender_message_id
from account a
join prescription r on r.account_id = a.account_id
where a.ncpdp_id = $1 and a.environment = $2 and r.sender = $3 and r.prescriber_order_number = $4 and r.active
order by r.prescription_id desc
limit 1`;
/** The last message of a prescriber's order that has not ended, at whoever has that id. */
export const findLastOfOrder = (
  db: Queryable,
  ncpdp_id: string,
  environment: Environment,
  sender: string,
  prescriber_order_number: string,
) => db.row(lastOfOrder, [ncpdp_id, environment, sender, prescriber_order_number]);
