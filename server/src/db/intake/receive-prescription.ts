import type { PriorPrescription } from "../../domain/intake/complete-response.ts";
import { type Arguments, callOf } from "../call.ts";
import { type Queryable, sql } from "../db.ts";
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
  /** Those of the asked indexes that the account has. */
  known_aliases: Buffer[];
  /** Those of the wanted indexes that other patients have. */
  taken_indexes: Buffer[];
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

/** The row of the function `load_intake`. A part without rows is null. */
type LoadedRow = { [Part in keyof IntakeContext]: IntakeContext[Part] | null } & { next_prescription_id: number };

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
  LoadedRow
>`
select l.*, scattered_id(nextval('prescription_prescription_id_seq')) as next_prescription_id
from load_intake(account_id => $1, alias_indexes => $2, name_dob_index => $3, phone_index => $4, wanted_indexes => $5,
  sender => $6, relates_to => $7, prescriber_order_number => $8, with_prescriptions => $9, meant_index => $10) l`;
/** Loads everything that the process does not cache, in one statement. */
export async function loadIntakeContext(db: Queryable, asked: IntakeQuestion): Promise<IntakeContext> {
  const row = (await db.row(context, [
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
  return {
    patients: row.patients ?? [],
    claim_revision: row.claim_revision ?? 0,
    known_aliases: row.known_aliases ?? [],
    taken_indexes: row.taken_indexes ?? [],
    prescriptions: row.prescriptions ?? [],
    next_prescription_id: row.next_prescription_id,
  };
}

export const loadIntakeContextText = context.text;

/** Only rows of earlier versions have these. */
type ClearColumn =
  | "sig_text"
  | "prescriber_name"
  | "prescriber_phone"
  | "prescriber_fax"
  | "prescriber_npi"
  | "prescriber_dea";
/** What `saveWishes` adds for the few prescribers who limit the messages to them. */
type WishColumn = "prohibits_renewal" | "fill_reports";
/** A prescription starts active and without orders, and the save computes when its first notice is due. The message, its patient and its account are arguments of their own. */
type OtherColumn =
  | "account_id"
  | "patient_key"
  | "intake_message_id"
  | "active"
  | "units_ordered"
  | "order_errors"
  | "expiry_notice_at"
  | WishColumn
  | ClearColumn;

/** Bytes need no text form in an argument of their own. */
type WithBuffers<Row> = {
  [Column in keyof Row]: Row[Column] extends Bytes | null ? Row[Column] | Buffer : Row[Column];
};

type RecordColumn = "record_sealed" | "email_index" | "phone_index" | "person_keys";

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
  answer_sealed: Buffer;
  /** Also the time of everything else that the message writes. */
  processed_at: Date;
  /** The partner's account; null while the account is unknown and the message is in the operators' queue. */
  account_id: string | null;
  /** Null if the message is about no patient. */
  patient_key: number | null;
  new_patient:
    | (Pick<
        Rows["patient"],
        RecordColumn | "id_sealed" | "id_index" | "name_dob_index" | "surname_index" | "dob_index"
      > & { claim_revision: number })
    | null;
  changed_patient: (Pick<Rows["patient"], RecordColumn | "recheck_due"> & { revision: number }) | null;
  /** The blind indexes of the patient's other ids that are not on file. */
  aliases: Buffer[];
  prescription: WithBuffers<Required<Omit<Rows["prescription"], OtherColumn>>> | null;
  /** Prescriptions to end, with the units ordered at decision time. An order placed since then is a conflict. */
  ended: { prescription_id: number; units_ordered: number }[];
  reviews: Pick<Rows["review"], "kind" | "reasons" | "facts_sealed">[];
  events: Pick<NewEvent, "event_id" | "event_type" | "body_sealed">[];
};

const save = callOf<"save_intake", { saved: string }>("save_intake", { as: "saved", writes_events: true });
/**
 * Saves everything that a message changes in one call. If the message was processed meanwhile, or the patient or a
 * prescription changed since the decision, it saves nothing and throws an error that `isConflict` recognizes.
 */
export const saveIntake = (db: Queryable, changes: IntakeSave) => db.row(save, save.values(argumentsOf(changes)));

const NO_PRESCRIPTION: { [Column in keyof NonNullable<IntakeSave["prescription"]>]: null } = {
  prescription_id: null,
  acceptance: null,
  source: null,
  sender: null,
  sender_message_id: null,
  prescriber_order_number: null,
  replaces_prescription_id: null,
  written_sealed: null,
  received_at: null,
  expires_at: null,
  written_date: null,
  effective_date: null,
  drug_name: null,
  ndc: null,
  gcn: null,
  written_qty: null,
  unit: null,
  days_supply: null,
  refills: null,
  drug_schedule: null,
  daw: null,
  details_sealed: null,
  order_due_at: null,
};

function argumentsOf(changes: IntakeSave): Arguments<"save_intake"> {
  const { message, new_patient, changed_patient, ended, reviews, events } = changes;
  const record = new_patient ?? changed_patient;
  return {
    account_id: changes.account_id ?? message.account_id,
    message_account_id: message.account_id,
    intake_message_id: message.intake_message_id,
    message_was: message.was,
    outcome: message.outcome,
    for_account_id: changes.account_id,
    warnings: changes.warnings,
    answer_sealed: changes.answer_sealed,
    processed_at: changes.processed_at,
    patient_key: changes.patient_key,
    claim_revision: new_patient?.claim_revision ?? null,
    id_sealed: new_patient?.id_sealed ?? null,
    id_index: new_patient?.id_index ?? null,
    name_dob_index: new_patient?.name_dob_index ?? null,
    surname_index: new_patient?.surname_index ?? null,
    dob_index: new_patient?.dob_index ?? null,
    record_sealed: record?.record_sealed ?? null,
    email_index: record?.email_index ?? null,
    phone_index: record?.phone_index ?? null,
    person_keys: record?.person_keys ?? null,
    patient_revision: changed_patient?.revision ?? null,
    recheck_due: changed_patient?.recheck_due ?? null,
    new_alias_indexes: changes.aliases,
    ended_ids: ended.map(({ prescription_id }) => prescription_id),
    ended_units: ended.map(({ units_ordered }) => units_ordered),
    ...(changes.prescription ?? NO_PRESCRIPTION),
    reviews: reviews.length === 0 ? null : JSON.stringify(reviews),
    event_ids: events.map(({ event_id }) => event_id),
    event_types: events.map(({ event_type }) => event_type),
    event_bodies_sealed: events.map(({ body_sealed }) => body_sealed),
  };
}

export const saveIntakeText = save.text;
