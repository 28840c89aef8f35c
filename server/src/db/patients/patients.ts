import { type Queryable, sql, type Tx } from "../db.ts";
import type { Rows } from "../schema-rows.ts";
import type { Bytes } from "../values.ts";
import type { NewEvent } from "../webhooks/new-event.ts";

/** The vault's places for the sealed values of a patient. */
export const recordPlace = (account_id: string, patient_key: number) =>
  `patient.record_sealed ${account_id} ${patient_key}`;
export const patientIdPlace = (account_id: string, patient_key: number) =>
  `patient.id_sealed ${account_id} ${patient_key}`;
/** The blind index of a partner's id of a patient. Each account has its own. */
export const patientIndexPlace = (account_id: string) => `patient.id_index ${account_id}`;
/** Where earlier versions sealed the record. */
export const formerRecordPlace = (account_id: string, patient_id: string) =>
  `patient.record_sealed ${account_id} ${patient_id}`;
export const detailsPlace = (account_id: string, prescription_id: number) =>
  `prescription.details_sealed ${account_id} ${prescription_id}`;

export const writtenPlace = (account_id: string, prescription_id: number) =>
  `prescription.written_sealed ${account_id} ${prescription_id}`;

export type PatientRow = {
  account_id: string;
  patient_key: number;
  id_sealed: Buffer;
  revision: number;
  record_sealed: Buffer;
  created_at: Date;
  updated_at: Date;
};

/** The columns that a change of a patient sets, with the revision at decision time. */
export type ChangedPatient = Pick<
  Rows["patient"],
  | "account_id"
  | "patient_key"
  | "record_sealed"
  | "email_index"
  | "phone_index"
  | "updated_at"
  // The checks must run again on the patient's open orders.
  | "recheck_due"
  | "person_keys"
> & { revision: number };

const one = sql<[account_id: string, id_index: Buffer], PatientRow>`
select account_id, patient_key, id_sealed, revision, record_sealed, created_at, updated_at
from patient
where account_id = $1 and id_index = $2`;
export const loadPatient = (db: Queryable, account_id: string, id_index: Buffer) => db.row(one, [account_id, id_index]);

const locked = sql<[account_id: string, id_index: Buffer], PatientRow & { clock_offset_s: number }>`
select p.account_id, p.patient_key, p.id_sealed, p.revision, p.record_sealed, p.created_at, p.updated_at, a.clock_offset_s
from patient p
join account a on a.account_id = p.account_id
where p.account_id = $1 and p.id_index = $2
for no key update of p`;
/**
 * Locks the patient until the change is saved, so that changes of one patient run one after the other. Returns the
 * account's clock too.
 */
export const lockPatient = (tx: Tx, account_id: string, id_index: Buffer) => tx.row(locked, [account_id, id_index]);

const save = sql<[row: string, account_id: string]>`
update patient p
set record_sealed = c.record_sealed, email_index = c.email_index, phone_index = c.phone_index,
  person_keys = c.person_keys, message_channels = c.message_channels,
  updated_at = c.updated_at, revision = p.revision + 1, recheck_due = greatest(p.recheck_due, c.recheck_due)
from jsonb_populate_record(null::patient, $1::jsonb) c
where p.account_id = $2 and p.patient_key = c.patient_key`;
/** `message_channels`: the patient agreed to these. Only the partner's own change of a patient sets it. */
type SavedPatient = Omit<ChangedPatient, "revision"> & Required<Pick<Rows["patient"], "message_channels">>;
export const savePatient = (tx: Tx, row: SavedPatient) => tx.run(save, [JSON.stringify(row), row.account_id]);

const saveTold = sql<[row: string, account_id: string, event_id: string, event_type: string, body_sealed: Bytes]>`
with changed as (
  update patient p
  set record_sealed = c.record_sealed, email_index = c.email_index, phone_index = c.phone_index,
    person_keys = c.person_keys, message_channels = c.message_channels,
    updated_at = c.updated_at, revision = p.revision + 1, recheck_due = greatest(p.recheck_due, c.recheck_due)
  from jsonb_populate_record(null::patient, $1::jsonb) c
  where p.account_id = $2 and p.patient_key = c.patient_key
  returning p.account_id, c.updated_at
)
insert into webhook_event (account_id, event_id, event_type, body_sealed, created_at)
select c.account_id, $3, $4, $5, c.updated_at
from changed c
returning account_id`;
/** The same with the event that tells the partner. */
export const saveToldPatient = (
  tx: Tx,
  row: SavedPatient,
  { event_id, event_type, body_sealed }: Pick<NewEvent, "event_id" | "event_type"> & { body_sealed: Bytes },
) => tx.run(saveTold, [JSON.stringify(row), row.account_id, event_id, event_type, body_sealed]);
