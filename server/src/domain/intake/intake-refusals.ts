/**
 * Why a message is not taken: SCRIPT's description code → the Error code it goes with and one fixed sentence of at most
 * 70 characters, which is all the standard has room for. 601: unable to process; 602: our fault, try again later;
 * 900: rejected, not to be sent again under the same message id.
 */

/** What a reader alone can tell. */
export const readerRefusals = {
  "010": ["900", "The message has no Header."],
  "019": ["601", "The message is too large, too deep or holds too many parts."],
  "020": ["601", "The root element is not a SCRIPT Message."],
  "021": ["900", "This version of the standard is not supported."],
  "023": ["601", "A DOCTYPE, an entity or a processing instruction is not allowed."],
  "024": ["601", "The message is not well-formed in UTF-8."],
  "025": ["900", "The message id is missing or too long."],
  "028": ["900", "The sender's id (From) is missing or too long."],
  "035": ["900", "The Body holds no transaction that this pharmacy takes."],
  "054": ["900", "A veterinary prescriber's prescriptions are not taken."],
  "081": ["900", "The patient's last name is missing."],
  "135": ["900", "The quantity is missing or not a number."],
  "138": ["900", "The directions (sig) are missing."],
  "179": ["900", "The message holds more than one medication."],
  "181": ["900", "The message holds more than one patient."],
  "182": ["900", "The message holds more than one prescriber."],
  "201": ["900", "The response is missing, unknown or contradicts itself."],
  "203": ["900", "The prescriber is missing."],
  "204": ["900", "A human patient is missing."],
  "206": ["900", "The medication is missing."],
} as const satisfies Table;

/** What only whoever receives the message can tell. A message without receiver is one that nobody here has the id of. */
export const receiverRefusals = {
  "002": ["900", "The receiver's id (To) is missing or nobody's here."],
  "080": ["900", "The patient's birth date is missing or not a date."],
  "082": ["900", "The patient's first name is missing."],
  "007": ["602", "An error of the receiving system. Send the message again later."],
  "220": ["900", "Another message came before under the same message id."],
} as const satisfies Table;

/** What only the FHIR reader can tell: no number of SCRIPT's says it. */
export const fhirRefusals = {
  resource_type: ["601", "The body is neither a Bundle nor a MedicationRequest."],
  bundle_type: ["900", "Bundles of this type carry no prescriptions."],
  request_missing: ["900", "The Bundle holds no MedicationRequest."],
  request_status: ["900", "The request is neither active nor canceled."],
  request_intent: ["900", "The request is a proposal or a plan, not an order."],
  do_not_perform: ["900", "The request asks for the medication not to be given."],
  modifier_extension: ["900", "An extension that may change the meaning is not understood."],
} as const satisfies Table;

export const intakeRefusals = { ...readerRefusals, ...receiverRefusals, ...fhirRefusals };

export type DescriptionCode = keyof typeof intakeRefusals;

/** The refusal for these problems; the first is the one that the answer's sentence tells. */
export function refusalFor(first: DescriptionCode, ...also: DescriptionCode[]) {
  const refusal = { code: intakeRefusals[first][0], description_code: first };
  return also.length === 0 ? refusal : { ...refusal, also };
}

type Table = Record<string, readonly ["601" | "602" | "900", string]>;
