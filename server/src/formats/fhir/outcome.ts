import type { IntakeRefusal, Warning } from "../../domain/intake/incoming-message.ts";
import { type DescriptionCode, intakeRefusals } from "../../domain/intake/intake-refusals.ts";
import { intakeWarnings } from "../../domain/intake/intake-warnings.ts";

/**
 * The reply to a FHIR message. Every sentence comes from a table and every path consists of element names, so the reply
 * cannot contain patient data.
 */
export function outcomeOf(answer: Acceptance | IntakeRefusal, warnings: readonly Warning[], ids: OutcomeIds = {}) {
  return {
    resourceType: "OperationOutcome" as const,
    ...extensions(ids),
    issue: [...(typeof answer === "string" ? [accepted(answer)] : refused(answer)), ...warnings.map(warned)],
  };
}

/** Replies to accepted messages. A reply to a cancellation says whether anything was canceled. */
export const acceptances = {
  received: ["information", "informational", "The prescription was received."],
  in_review: ["information", "informational", "The message was received; the pharmacy will review it."],
  canceled: ["information", "informational", "The prescription was canceled."],
  cancel_unknown: ["error", "not-found", "No matching prescription was found to cancel."],
  cancel_in_filling: [
    "warning",
    "business-rule",
    "The prescription was canceled. The pharmacy stopped an order that was being filled.",
  ],
  cancel_too_late: ["error", "business-rule", "Nothing was canceled: all of it was dispensed earlier."],
  cancel_dispensed: ["warning", "business-rule", "The prescription was canceled after some of it was dispensed."],
  cancel_several: [
    "error",
    "business-rule",
    "Several prescriptions match; the pharmacy will decide which one to cancel.",
  ],
} as const satisfies Record<string, readonly [Severity, IssueType, string]>;

export type Acceptance = keyof typeof acceptances;

/** Our own ids for the records created from the message, if any. */
export interface OutcomeIds {
  message_id?: string | null;
  prescription_id?: number | null;
}

/** Contains the keys of `acceptances`, the refusals' description codes and the warning codes. */
const CODE_SYSTEM = "urn:pestle:intake";

type Severity = "error" | "warning" | "information";
type IssueType =
  | "invalid"
  | "required"
  | "not-supported"
  | "not-found"
  | "duplicate"
  | "processing"
  | "business-rule"
  | "transient"
  | "informational";

/** The issue type and location of each refusal. Unlisted refusals are `processing`. */
export const refusalIssues: Partial<Record<DescriptionCode, readonly [IssueType, string?]>> = {
  "002": ["not-found", "MedicationRequest.dispenseRequest.performer"],
  "007": ["transient"],
  "019": ["not-supported"],
  "024": ["invalid"],
  "080": ["required", "Patient.birthDate"],
  "081": ["required", "Patient.name.family"],
  "082": ["required", "Patient.name.given"],
  "135": ["required", "MedicationRequest.dispenseRequest.quantity"],
  "179": ["not-supported", "Bundle.entry"],
  "203": ["required", "MedicationRequest.requester"],
  "204": ["required", "MedicationRequest.subject"],
  "206": ["required", "MedicationRequest.medication"],
  "220": ["duplicate"],
  resource_type: ["not-supported"],
  repeated_name: ["invalid"],
  bundle_type: ["not-supported", "Bundle.type"],
  request_missing: ["required", "Bundle.entry"],
  request_status: ["not-supported", "MedicationRequest.status"],
  request_intent: ["not-supported", "MedicationRequest.intent"],
  do_not_perform: ["not-supported", "MedicationRequest.doNotPerform"],
  modifier_extension: ["not-supported", "MedicationRequest.modifierExtension"],
};

function accepted(answer: Acceptance) {
  const [severity, code, sentence] = acceptances[answer];
  return issue(severity, code, answer, sentence, undefined);
}

function refused({ description_code, also = [], path }: IntakeRefusal) {
  return [description_code, ...also].map((problem, i) => {
    const [code, expression] = refusalIssues[problem] ?? (["processing"] as const);
    return issue("error", code, problem, intakeRefusals[problem][1], (i === 0 ? path : undefined) ?? expression);
  });
}

function warned({ code, path }: Warning) {
  return issue("warning", "processing", code, intakeWarnings[code], path ?? undefined);
}

function issue(severity: Severity, code: IssueType, name: string, sentence: string, expression: string | undefined) {
  return {
    severity,
    code,
    details: { coding: [{ system: CODE_SYSTEM, code: name }], text: sentence },
    ...(expression === undefined ? {} : { expression: [expression] }),
  };
}

function extensions({ message_id, prescription_id }: OutcomeIds) {
  const extension = [
    ...(message_id == null ? [] : [{ url: `${CODE_SYSTEM}:message_id`, valueString: message_id }]),
    ...(prescription_id == null ? [] : [{ url: `${CODE_SYSTEM}:prescription_id`, valueInteger: prescription_id }]),
  ];
  return extension.length === 0 ? {} : { extension };
}
