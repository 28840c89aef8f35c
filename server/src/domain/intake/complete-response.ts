import type { OrderStatus } from "@pestle/contract";
import type { PatientRecord } from "../patients/patient-record.ts";
import type {
  AnsweredPrescription,
  IncomingDrug,
  IncomingPatient,
  IncomingPrescriber,
  IncomingPrescription,
  IntakeRefusal,
} from "./incoming-message.ts";
import { refusalFor } from "./intake-refusals.ts";
import type { Prescription } from "./prescription.ts";

export type PriorPrescription = Omit<Prescription, "acceptance_reasons" | "received_at" | "expires_at"> & {
  prescription_id: number;
  patient_id: string;
  active: boolean;
  sender: string;
  sender_message_id: string;
  prescriber_order_number: string | null;
  units_ordered: number;
  /** Its orders that are not canceled, each with its status, or the one before the hold. */
  orders: { order_number: string; order_status: OrderStatus; held_from: string | null }[];
};

/**
 * Completes an approval into a full prescription with the data of the prescription it answers. If that one is unknown
 * too, the sender receives the missing fields.
 */
export function completeResponse(
  answered: AnsweredPrescription | null,
  prior: PriorPrescription | undefined,
  priorPatient: PatientRecord | undefined,
): IncomingPrescription | IntakeRefusal {
  const patient = answered?.patient ?? (priorPatient && patientOf(priorPatient));
  const prescriber = answered?.prescriber ?? (prior && prescriberOf(prior));
  const quantity = answered?.quantity ?? (prior && { value: prior.written_qty, unit: prior.unit });
  const sig_text = answered?.sig_text ?? prior?.sig_text ?? null;
  if (patient === undefined) return refusalFor("204");
  if (prescriber === undefined) return refusalFor("203");
  if (quantity === undefined) return refusalFor("135");
  if (answered !== null) return { ...answered, patient, prescriber, quantity, sig_text };
  if (prior === undefined) return refusalFor("206");
  return {
    patient,
    prescriber,
    drug: drugOf(prior),
    quantity,
    days_supply: prior.days_supply,
    refills: prior.refills,
    daw: prior.daw,
    sig_text,
    note: null,
    diagnoses: [],
    allergies: "unknown",
    written_date: null,
    effective_date: null,
    expiration_date: null,
    signature_evidence: false,
    prior_authorization: null,
    fill_indicator: null,
    order_group: null,
  };
}

const drugOf = ({ drug_name, ndc, gcn, drug_schedule }: PriorPrescription): IncomingDrug => ({
  description: drug_name,
  codes: [
    ...(ndc === null ? [] : [{ system: "ndc" as const, code: ndc }]),
    ...(gcn === null ? [] : [{ system: "gcn" as const, code: gcn }]),
  ],
  strength: null,
  schedule: drug_schedule,
});

const prescriberOf = (prior: PriorPrescription): IncomingPrescriber => ({
  last_name: prior.prescriber_name,
  first_name: null,
  practice: null,
  npi: prior.prescriber_npi,
  dea: prior.prescriber_dea,
  state_license: null,
  phone: prior.prescriber_phone,
  fax: prior.prescriber_fax,
  address: null,
});

const patientOf = (record: PatientRecord): IncomingPatient => ({
  ids: [],
  last_name: record.last_name,
  first_name: record.first_name,
  middle_name: record.middle_name,
  suffix: record.suffix,
  dob: record.dob,
  gender: record.gender,
  address: null,
  phone: record.phone,
  email: record.email,
  medications: [],
  health_conditions: [],
});
