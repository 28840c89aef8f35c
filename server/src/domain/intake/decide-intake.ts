import { isPatientId, type Product, type Workflow } from "@pestle/contract";
import { isPossibleBirth } from "../patients/birth-date.ts";
import {
  hasOtherCheckedFacts,
  newPatientRecord,
  type PatientRecord,
  plainName,
  withNews,
} from "../patients/patient-record.ts";
import { dateIn, startOfDay } from "../values/calendar.ts";
import { normaliseNdc } from "../values/identifiers.ts";
import { completeResponse, type PriorPrescription } from "./complete-response.ts";
import type {
  CancelTarget,
  IncomingMessage,
  IncomingPatient,
  IncomingPrescription,
  IntakeRefusal,
} from "./incoming-message.ts";
import { refusalFor } from "./intake-refusals.ts";
import type { WarningCode } from "./intake-warnings.ts";
import { type Candidate, matchPatient } from "./match-patient.ts";
import {
  decidePrescription,
  type OtherDrugOf,
  type Prescription,
  type PrescriptionRules,
  writtenDrug,
} from "./prescription.ts";

/** Existing data that a message can refer to. */
export type IntakeKnowledge = {
  candidates: readonly Candidate[];
  taken_patient_ids: readonly string[];
  prescriptions: readonly PriorPrescription[];
  formulary: readonly Pick<Product, "ndc" | "gcn" | "drug_schedule">[];
  otherDrugOf?: OtherDrugOf;
};
export type IntakeDecision = {
  outcome: "accepted" | "refused" | "review";
  reply: IntakeReply;
  warnings: WarningCode[];
  /** The patient. `is_new`: this message created it. `changed`: the message added data, `recheck_due`: facts that checks read. */
  patient: {
    patient_id: string;
    record: PatientRecord;
    is_new: boolean;
    changed: boolean;
    recheck_due: boolean;
  } | null;
  prescription: (Prescription & { replaces_prescription_id: number | null; order_due_at: Date | null }) | null;
  /** Prescriptions that end, with the units ordered from each so far. */
  ended: { prescription_id: number; units_ordered: number }[];
  /** Orders that end with them. The caller cancels them first and then decides again. */
  orders_to_cancel: string[];
  reviews: NewReview[];
};

/** The answer to the sender. */
export type IntakeReply =
  | { kind: "accepted" }
  /** Accepted. A person decides who the patient is. */
  | { kind: "in_review" }
  /** Stored but not processed yet. */
  | { kind: "pending" }
  | { kind: "refused"; refusal: IntakeRefusal }
  | { kind: "canceled" | "not_canceled"; note: keyof typeof cancelNotes };

type NewReview = {
  kind: "patient_match" | "prescription_acceptance" | "unmatched_cancel" | "canceled_in_filling";
  reasons: string[];
  facts: Record<string, unknown>;
};

/** Fixed sentences of a CancelRxResponse: at most 70 characters. */
export const cancelNotes = {
  canceled: "The prescription was canceled. Nothing was dispensed.",
  in_filling: "Canceled. An order in filling was stopped; nothing was dispensed.",
  dispensed: "Canceled. Part of it was dispensed earlier.",
  dispensed_in_filling: "Canceled. Part was dispensed earlier; an open order was stopped.",
  all_dispensed: "Too late to cancel: all of it was dispensed earlier.",
  inactive_already: "The prescription was already inactive.",
  unknown: "This pharmacy does not know the prescription.",
  several: "Several prescriptions match. The pharmacy will decide which one.",
} as const;

export function decideIntake(message: IncomingMessage, known: IntakeKnowledge, given: Given): IntakeDecision {
  const { content } = message;
  if (content.kind === "cancel") return decideCancel(message, content.target, known, given.sender);
  const noticed = message.warnings.map(({ code }) => code);
  if (content.kind === "new") return decideNew(content.prescription, known, { ...given, noticed });
  // An approval without a prescription, and any other response, changes nothing.
  const renewed = content.kind === "renewal" && (content.response === "approved" || content.response === "replace");
  if (content.prescription === null && !renewed) return { ...nothing, reply: { kind: "accepted" } };
  const prior = findPrior(message, known.prescriptions, given.sender)[0];
  const priorPatient = known.candidates.find(({ patient_id }) => patient_id === prior?.patient_id);
  const whole = completeResponse(content.prescription, prior, priorPatient?.record);
  if ("description_code" in whole) return refused(whole);
  const replaces = content.kind === "change" || content.response === "replace";
  const made = decideNew(
    whole,
    known,
    { ...given, noticed },
    content.prescription?.patient == null ? priorPatient : undefined,
  );
  return {
    ...made,
    prescription: made.prescription && {
      ...made.prescription,
      replaces_prescription_id: prior?.prescription_id ?? null,
    },
    ended: replaces && prior?.active && made.prescription ? [endedRow(prior)] : [],
  };
}

const nothing: Omit<IntakeDecision, "reply"> = {
  outcome: "accepted",
  warnings: [],
  patient: null,
  prescription: null,
  ended: [],
  orders_to_cancel: [],
  reviews: [],
};

const refused = (refusal: IntakeRefusal): IntakeDecision => ({
  ...nothing,
  outcome: "refused",
  reply: { kind: "refused", refusal },
});

/** Nothing can be dispensed without these fields, because they distinguish patients. The sender must provide them. */
function missingIdentity({ last_name, first_name, dob }: IncomingPatient, today: string): IntakeRefusal | undefined {
  if (last_name === null) return refusalFor("081");
  if (first_name === null) return refusalFor("082");
  return dob === null || !isPossibleBirth(dob, today) ? refusalFor("080") : undefined;
}

type Given = { sender: string; workflow: Workflow; rules: PrescriptionRules; now: Date; new_patient_id: string };

/** `certain`: the patient of the answered prescription, if the message does not name one. */
function decideNew(
  incoming: IncomingPrescription,
  known: IntakeKnowledge,
  { workflow, rules, now, new_patient_id, noticed }: Given & { noticed: WarningCode[] },
  certain?: Candidate,
): IntakeDecision {
  const missing = missingIdentity(incoming.patient, dateIn(rules.time_zone, now));
  if (missing !== undefined) return refused(missing);
  const meant = certain ?? known.candidates.find(({ patient_id }) => patient_id === incoming.patient.meant_patient_id);
  const match = matchPatient(incoming.patient, meant === undefined ? known.candidates : []);
  const matched = meant ?? known.candidates.find(({ patient_id }) => patient_id === match.patient_id);
  const { complete, ...patient } =
    matched === undefined
      ? {
          patient_id: ownId(incoming.patient, known.taken_patient_ids) ?? new_patient_id,
          is_new: true,
          ...newPatientRecord(incoming, now),
          changed: false,
          recheck_due: false,
        }
      : knownPatient(matched, incoming, now);
  const left_out: WarningCode[] = complete ? [] : ["safety_facts_left_out"];
  const { prescription, warnings, ndc_drug } = decidePrescription(
    incoming,
    known.formulary,
    rules,
    now,
    [...noticed, ...left_out],
    known.otherDrugOf,
  );
  const reviews: NewReview[] = [];
  if (match.doubtful.length > 0) {
    const facts = { score: match.score, candidates: match.doubtful };
    reviews.push({ kind: "patient_match", reasons: match.doubtful[0]!.reasons, facts });
  }
  const accepted = prescription.acceptance_reasons.length === 0;
  if (!accepted) {
    // Side by side, because only the prescriber knows which of the two is meant.
    const facts = ndc_drug === null ? {} : { written_drug: writtenDrug(incoming), ndc: prescription.ndc, ndc_drug };
    reviews.push({ kind: "prescription_acceptance", reasons: prescription.acceptance_reasons, facts });
  }

  const effective = startOfDay(rules.time_zone, prescription.effective_date);
  const due = effective > now ? effective : now;
  return {
    ...nothing,
    reply: { kind: "accepted" },
    warnings: [...warnings, ...left_out],
    patient,
    prescription: {
      ...prescription,
      replaces_prescription_id: null,
      order_due_at: workflow === "automatic" && accepted ? due : null,
    },
    reviews,
  };
}

function knownPatient({ patient_id, record: before }: Candidate, incoming: IncomingPrescription, now: Date) {
  const news = withNews(before, incoming, now);
  return {
    patient_id,
    is_new: false,
    ...news,
    recheck_due: news.changed && hasOtherCheckedFacts(before, news.record),
  };
}

/**
 * Returns the prescriber system's own ID if it can serve as ours. Rejects anything that could be a social security
 * number.
 */
function ownId(patient: IncomingPatient, taken: readonly string[]): string | undefined {
  return usableIds(patient).find((id) => !taken.includes(id));
}

export const usableIds = (patient: IncomingPatient): string[] =>
  patient.ids.map(({ value }) => value).filter(isUsableId);

export const isUsableId = (id: string) => isPatientId(id) && !/^\d{9}$/.test(id.replaceAll("-", ""));

function decideCancel(
  message: IncomingMessage,
  target: CancelTarget,
  known: IntakeKnowledge,
  sender: string,
): IntakeDecision {
  const named = findPrior(message, known.prescriptions, sender);
  const meant = named.length > 0 ? named : findByContent(target, known);
  const active = meant.filter((one) => one.active);
  if (active.length === 1 || named.some((one) => one.active)) {
    return endPrescriptions(active);
  }
  if (meant.length > 0 && active.length === 0) {
    return { ...nothing, reply: { kind: "canceled", note: "inactive_already" } };
  }
  const note = active.length > 1 ? "several" : "unknown";
  const facts = { prescription_ids: active.map(({ prescription_id }) => prescription_id) };
  return {
    ...nothing,
    outcome: "review",
    reply: { kind: "not_canceled", note },
    reviews: [{ kind: "unmatched_cancel", reasons: [note], facts }],
  };
}

/**
 * Orders that are not being filled yet are canceled with their prescription. Exception 73 holds those that are being
 * filled, and a person returns the package. Shipped orders cannot be recalled: the sender receives a note, and a denial if
 * nothing is left that the cancellation could stop.
 */
function endPrescriptions(active: readonly PriorPrescription[]): IntakeDecision {
  const orders = active.flatMap((one) => one.orders);
  const isFilled = ({ order_status, held_from }: (typeof orders)[number]) =>
    order_status === "Filling" || held_from?.startsWith("Filling") === true;
  const sent = orders.some(({ order_status }) => order_status === "Shipped" || order_status === "Delivered");
  const filling = orders.filter(isFilled);
  const waiting = orders.filter(
    (one) => one.order_status === "Processing" || (one.order_status === "On Hold" && !isFilled(one)),
  );
  const left = active.some((one) => one.written_qty * (1 + one.refills) > one.units_ordered);
  if (sent && !left && filling.length + waiting.length === 0) {
    return { ...nothing, reply: { kind: "not_canceled", note: "all_dispensed" } };
  }
  const note = filling.length > 0 ? (sent ? "dispensed_in_filling" : "in_filling") : sent ? "dispensed" : "canceled";
  return {
    ...nothing,
    reply: { kind: "canceled", note },
    ended: active.map(endedRow),
    orders_to_cancel: waiting.map(({ order_number }) => order_number),
    reviews:
      filling.length === 0
        ? []
        : [
            {
              kind: "canceled_in_filling",
              reasons: [],
              facts: { order_numbers: filling.map(({ order_number }) => order_number) },
            },
          ],
  };
}

const endedRow = ({ prescription_id, units_ordered }: PriorPrescription) => ({ prescription_id, units_ordered });

/** Finds the prescription by the message or order that the target names. */
function findPrior(
  { envelope }: IncomingMessage,
  prescriptions: readonly PriorPrescription[],
  sender: string,
): PriorPrescription[] {
  const byMessage = prescriptions.filter(
    (one) => one.sender === sender && one.sender_message_id === envelope.relates_to_message_id,
  );
  if (byMessage.length > 0) return byMessage;
  const order_number = envelope.prescriber_order_number;
  return order_number === null
    ? []
    : prescriptions.filter((one) => one.sender === sender && one.prescriber_order_number === order_number);
}

/** Finds it by patient, drug and date, only if the patient is certain. */
function findByContent(target: CancelTarget, known: IntakeKnowledge): PriorPrescription[] {
  const patient_id = target.patient && matchPatient(target.patient, known.candidates).patient_id;
  if (patient_id === null) return [];
  const ndcs = target.drug_codes.filter(({ system }) => system === "ndc").flatMap(({ code }) => normaliseNdc(code));
  return known.prescriptions.filter(
    (one) =>
      one.patient_id === patient_id &&
      (target.written_date === null || one.written_date === target.written_date) &&
      ((one.ndc !== null && ndcs.includes(one.ndc)) ||
        (target.drug_description !== null && plainName(target.drug_description) === plainName(one.drug_name))),
  );
}
