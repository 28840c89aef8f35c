import type { Environment } from "../endpoints/oauth.ts";
import type { ExceptionId } from "../exceptions.ts";
import type { SafetyKind, SafetyStatus } from "../fields.ts";
import type { OrderStatus, Stage } from "../lifecycle.ts";
import type { Message } from "../messages.ts";
import type { Patient, ReceivedPrescription } from "../resources.ts";
import type { ClinicalFacts, ClinicalFill, ClinicalPatient } from "./dashboard-clinical.ts";
import type { MaskedPatient, RemovedSafetyEntry } from "./dashboard-order.ts";

/** The page of a patient for pharmacy staff, under `/web/dashboard`. Times are ISO 8601. */

/**
 * GET /dashboard/patients/{account_id}/{patient_key}. The key is the service's own number of the patient, because a partner's
 * patient ID can be a clinic's record number, and proxies log addresses. The server audits the view.
 */
export type DashboardPatient = {
  account_id: string;
  patient_key: number;
  partner: string;
  environment: Environment;
  patient: MaskedPatient;
  safety_status: Record<SafetyKind, SafetyStatus>;
  /** What a pharmacist or lead sees without a reveal; null for other roles. */
  clinical: { patient: ClinicalPatient; facts: ClinicalFacts[] } | null;
  /** Newest first, at most `PATIENT_PAGE_ROWS` of each. */
  prescriptions: Omit<ReceivedPrescription, "patient_id">[];
  orders: PatientOrder[];
  fills: ClinicalFill[];
  messages: PatientMessage[];
  /** Who saw or changed the patient's data; null for roles that cannot read the audit log. */
  looks: PatientLook[] | null;
};
/** How many rows of each kind the page has. */
export const PATIENT_PAGE_ROWS = 50;

export type PatientOrder = {
  order_number: string;
  order_status: OrderStatus;
  stage: Stage | null;
  exception_ids: ExceptionId[];
  drug_names: string[];
  created_at: string;
};
export type PatientMessage = Pick<Message, "message_id" | "author" | "text" | "created_at"> & { order_number: string };
export type PatientLook = {
  audit_id: number;
  at: string;
  who: string;
  role: string | null;
  action: string;
  subject: string | null;
};

/** POST …/reveal, without a body: name, birth date, contacts, addresses and documents. The server audits who asked. */
export type RevealedPatient = {
  patient: Patient;
  weight_kg: number | null;
  removed_entries: RemovedSafetyEntry[];
};
