/**
 * Why a message is rejected: SCRIPT's description code → its Error code and a fixed sentence of at most 70 characters,
 * the limit of the standard. 601: unable to process; 602: our fault, retry later; 900: rejected, do not send again
 * under the same message ID.
 */

/** Problems that only a reader can detect. */
export const readerRefusals = {
  "010": ["900", "The message has no Header."],
  "019": ["601", "The message is too large, too deeply nested or has too many parts."],
  "020": ["601", "The root element is not a SCRIPT Message."],
  "021": ["900", "This version of the standard is not supported."],
  "023": ["601", "A DOCTYPE, an entity or a processing instruction is not allowed."],
  "024": ["601", "The message is not well-formed in UTF-8."],
  "025": ["900", "The message id is missing or too long."],
  "028": ["900", "The sender's id (From) is missing or too long."],
  "035": ["900", "The Body has no transaction that this pharmacy accepts."],
  "054": ["900", "This pharmacy does not accept veterinary prescriptions."],
  "081": ["900", "The patient's last name is missing."],
  "135": ["900", "The quantity is missing or not a number."],
  "179": ["900", "The message has more than one medication."],
  "181": ["900", "The message has more than one patient."],
  "182": ["900", "The message has more than one prescriber."],
  "201": ["900", "The response is missing, unknown or contradicts itself."],
  "203": ["900", "The prescriber is missing."],
  "204": ["900", "The human patient is missing."],
  "206": ["900", "The medication is missing."],
} as const satisfies Table;

/** Problems that only the receiver can detect. A message for an unknown receiver ID has no receiver. */
export const receiverRefusals = {
  "002": ["900", "The receiver's id (To) is missing or unknown here."],
  "080": ["900", "The patient's date of birth is missing, not a date or not possible."],
  "082": ["900", "The patient's first name is missing."],
  "007": ["602", "The receiving system failed. Send the message again later."],
  "220": ["900", "An earlier message had the same message id."],
} as const satisfies Table;

/** Problems that only the FHIR reader can detect. SCRIPT has no code for them. */
export const fhirRefusals = {
  resource_type: ["601", "The body is neither a Bundle nor a MedicationRequest."],
  repeated_name: ["601", "A name appears twice in one JSON object."],
  bundle_type: ["900", "Bundles of this type do not carry prescriptions."],
  request_missing: ["900", "The Bundle has no MedicationRequest."],
  request_status: ["900", "The request is neither active nor canceled."],
  request_intent: ["900", "The request is a proposal or a plan, not an order."],
  do_not_perform: ["900", "The request says not to give the medication."],
  modifier_extension: ["900", "The message has an unknown extension that can change its meaning."],
} as const satisfies Table;

export const intakeRefusals = { ...readerRefusals, ...receiverRefusals, ...fhirRefusals };

export type DescriptionCode = keyof typeof intakeRefusals;

/** Returns the rejection for these problems. The answer's sentence describes the first. */
export function refusalFor(first: DescriptionCode, ...also: DescriptionCode[]) {
  const refusal = { code: intakeRefusals[first][0], description_code: first };
  return also.length === 0 ? refusal : { ...refusal, also };
}

type Table = Record<string, readonly ["601" | "602" | "900", string]>;
