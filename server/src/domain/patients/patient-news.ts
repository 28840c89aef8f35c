import type { OrderFacts } from "../orders/order-facts.ts";
import { withContact, withDocumentIfRoom } from "./patient-changes.ts";
import type { PatientRecord } from "./patient-record.ts";

/**
 * The record with what an order tells of its patient: contacts, safety lists and documents that passed are saved with
 * the order; names and the birth date never are. Undefined where the documents are more than are kept.
 */
export function patientNews(
  { draft, today }: Pick<OrderFacts, "draft" | "today">,
  record: PatientRecord,
): PatientRecord | undefined {
  const { contact, patient_safety, identity_documents } = draft.patient;
  const { first_name: _, last_name: __, ...contacts } = contact;
  const told = withContact(record, { ...contacts, patient_safety });
  return identity_documents.reduce<PatientRecord | undefined>(
    (it, document) => it && withDocumentIfRoom(it, document, today)?.record,
    told,
  );
}
