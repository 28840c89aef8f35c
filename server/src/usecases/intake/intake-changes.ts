import type { ErrorEntry, Workflow } from "@pestle/contract";
import type { NewMessage } from "../../db/intake/messages.ts";
import type { IntakeSave } from "../../db/intake/receive-prescription.ts";
import { detailsPlace } from "../../db/patients/patients.ts";
import { bytes } from "../../db/values.ts";
import type { Deps } from "../../deps.ts";
import type { IntakeDecision } from "../../domain/intake/decide-intake.ts";
import type { IncomingMessage } from "../../domain/intake/incoming-message.ts";
import { medicationRequest } from "../../domain/intake/medication-request.ts";
import type { FillRules } from "../../domain/orders/fillability.ts";
import type { PrescriptionFact } from "../../domain/orders/order-facts.ts";
import type { PatientRecord } from "../../domain/patients/patient-record.ts";
import { type MadeEvent, madeEvent } from "../../domain/webhooks/made-event.ts";
import { patientUpdated } from "../../domain/webhooks/patient-updated.ts";
import { rxStatusChanged } from "../../domain/webhooks/rx-status-changed.ts";
import { randomEventId } from "../../random.ts";
import { nameIndexes, patientIdColumns, patientRow } from "../patients/patient-rows.ts";
import { sealEvent } from "../webhooks/event-body.ts";
import { sealAnswer, sealFacts } from "./message-answer.ts";
import { sealWritten } from "./written.ts";

/** A stored message that may still be unprocessed. */
export type Stored = Omit<NewMessage, "body_sealed"> & { intake_message_id: number };

export type Decided = {
  decision: IntakeDecision;
  message: IncomingMessage;
  stored: Stored;
  account_id: string;
  workflow: Workflow;
  prescription_id: number | null;
  answer: string;
  now: Date;
  claim_revision: number;
  revision: number;
  /** The blind indexes of the patient's ids that are not on file yet. */
  new_aliases: Buffer[];
  /** The patient's surrogate key, also for a new patient; null if there is no patient. */
  patient_key: number | null;
  /** The record of a known patient before the message. */
  record_before: PatientRecord | null;
  /** The prescriptions that end, as they are before the message. */
  ended: PrescriptionFact[];
  /** Automatic Processing: why the prescription cannot become an order now. */
  order_errors: ErrorEntry[];
  rules: FillRules;
};

/** The decision as rows, including events. Columns that can identify the patient are sealed. */
export function changesOf(deps: Pick<Deps, "vault">, decided: Decided): IntakeSave {
  const { decision, message, stored, account_id, now, prescription_id, patient_key } = decided;
  const { patient, prescription } = decision;
  const has_record = patient !== null && (patient.is_new || patient.changed);
  const row = has_record ? patientRow(deps, account_id, patient_key!, patient.record, now) : null;
  const made = prescription && patient && prescription_id !== null;
  return {
    ...processed(deps, stored, message, decided.answer, now, decision.outcome),
    warnings: warningCodes(message, decision),
    account_id,
    patient_key,
    new_patient:
      row && patient?.is_new
        ? {
            ...row,
            ...patientIdColumns(deps, account_id, patient_key!, patient.patient_id),
            ...nameIndexes(deps, account_id, patient.record),
            claim_revision: decided.claim_revision,
          }
        : null,
    changed_patient:
      row && patient && !patient.is_new
        ? { ...row, revision: decided.revision, recheck_due: patient.recheck_due }
        : null,
    aliases: patient ? decided.new_aliases : [],
    prescription: made ? prescriptionRow(deps, decided) : null,
    ended: decision.ended,
    reviews: decision.reviews.map(({ facts, ...review }) => ({
      ...review,
      facts_sealed: bytes(
        sealFacts(deps.vault, { account_id, intake_message_id: stored.intake_message_id, ...review }, facts),
      ),
    })),
    events: eventsOf(decided).map((event) => sealEvent(deps.vault, account_id, event)),
  };
}

function prescriptionRow(
  deps: Pick<Deps, "vault">,
  { decision, message, stored, account_id, prescription_id }: Decided,
) {
  const { acceptance_reasons, ...prescription } = decision.prescription!;
  const incoming = "prescription" in message.content ? message.content.prescription! : undefined;
  const details = {
    address: incoming?.patient?.address ?? null,
    phone: incoming?.patient?.phone ?? null,
    note: incoming?.note ?? null,
    diagnoses: incoming?.diagnoses ?? [],
    allergies: incoming?.allergies ?? "unknown",
  };
  const place = detailsPlace(account_id, prescription_id!);
  return {
    // The save has no argument for what the prescriber wrote in clear.
    ...prescription,
    prescription_id: prescription_id!,
    acceptance: acceptanceOf(acceptance_reasons),
    source: stored.format,
    sender: stored.sender,
    sender_message_id: stored.sender_message_id,
    prescriber_order_number: message.envelope.prescriber_order_number,
    written_sealed: sealWritten(deps.vault, { account_id, prescription_id: prescription_id! }, prescription),
    details_sealed: deps.vault.seal(Buffer.from(JSON.stringify(details)), place),
  };
}

const acceptanceOf = (reasons: readonly unknown[]) => (reasons.length === 0 ? "not_needed" : "pending");

/** A new prescription as orders see it. */
export function newFact(
  { patient, prescription }: IntakeDecision,
  prescription_id: number,
  order_errors: ErrorEntry[] = [],
): PrescriptionFact {
  const { acceptance_reasons, replaces_prescription_id: _, order_due_at: __, ...written } = prescription!;
  const { patient_id } = patient!;
  const acceptance = acceptanceOf(acceptance_reasons);
  return { ...written, prescription_id, patient_id, active: true, acceptance, units_ordered: 0, order_errors };
}

/** The new prescription, those that it or a cancellation ends, and what the message adds to a known patient's record. */
function eventsOf({
  decision,
  message,
  workflow,
  prescription_id,
  order_errors,
  rules,
  ...decided
}: Decided): MadeEvent[] {
  const { patient, prescription } = decision;
  const { now } = rules;
  const events: MadeEvent[] = [];
  if (prescription && patient && prescription_id !== null) {
    const { patient_id } = patient;
    const request = medicationRequest(newFact(decision, prescription_id, order_errors), workflow, rules);
    events.push(madeEvent("RX_RECEIVED", { patient_id, medication_requests: [request] }, now, randomEventId()));
  }
  const change = message.content.kind === "cancel" ? "canceled" : "replaced";
  for (const fact of decided.ended) {
    const request = medicationRequest({ ...fact, active: false }, workflow, rules);
    events.push(rxStatusChanged(change, request, now, randomEventId()));
  }
  const { record_before } = decided;
  const updated =
    patient && record_before && patientUpdated(patient.patient_id, record_before, patient.record, now, randomEventId);
  return updated ? [...events, updated] : events;
}

const warningCodes = (message: IncomingMessage, decision: IntakeDecision) => [
  ...new Set([...message.warnings.map(({ code }) => code), ...decision.warnings]),
];

function processed(
  { vault }: Pick<Deps, "vault">,
  stored: Stored,
  message: IncomingMessage,
  answer: string,
  processed_at: Date,
  outcome: IntakeSave["message"]["outcome"],
): IntakeSave {
  return {
    message: { account_id: stored.account_id, intake_message_id: stored.intake_message_id, was: "received", outcome },
    warnings: message.warnings.map(({ code }) => code),
    answer_sealed: sealAnswer(vault, stored, answer),
    processed_at,
    account_id: null,
    patient_key: null,
    new_patient: null,
    changed_patient: null,
    aliases: [],
    prescription: null,
    ended: [],
    reviews: [],
    events: [],
  };
}

/** If several accounts share the id and no rule decides, the message is acknowledged and an operator routes it. */
export function unrouted(
  deps: Pick<Deps, "vault">,
  stored: Stored,
  message: IncomingMessage,
  answer: string,
  why: "nobody" | "undecided",
  now: Date,
) {
  if (why === "nobody") return processed(deps, stored, message, answer, now, "refused");
  const review = { kind: "unrouted_message", reasons: [why], facts_sealed: null };
  return { ...processed(deps, stored, message, answer, now, "review"), reviews: [review] };
}
