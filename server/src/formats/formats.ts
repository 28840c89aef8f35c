import { cancelNotes, type IntakeReply } from "../domain/intake/decide-intake.ts";
import type { IntakeRefusal } from "../domain/intake/incoming-message.ts";
import type { IntakeFormat } from "../domain/intake/intake-format.ts";
import type { PrescriberFormat } from "../domain/prescribers/prescriber-format.ts";
import { type Acceptance, outcomeOf } from "./fhir/outcome.ts";
import { readFhir } from "./fhir/read.ts";
import { readScript } from "./script/read.ts";
import { readNetworkAnswer } from "./script/read-pharmacy.ts";
import { type ScriptReply, writeReply } from "./script/reply.ts";
import { writePharmacyMessage } from "./script/write-pharmacy.ts";

export const scriptFormat: IntakeFormat = {
  format: "script",
  read: readScript,
  reply(reply, { envelope, message_id, sent_time }) {
    const acknowledged: ScriptReply = envelope?.return_receipt ? { kind: "verify" } : { kind: "status", code: "010" };
    const replies: Record<typeof reply.kind, () => ScriptReply> = {
      accepted: () => acknowledged,
      in_review: () => acknowledged,
      pending: () => ({ kind: "status", code: "000" }),
      refused: () => ({ kind: "error", refusal: (reply as Extract<typeof reply, { kind: "refused" }>).refusal }),
      canceled: () => ({ kind: "cancel_approved", note: noteOf(reply) }),
      not_canceled: () => ({ kind: "cancel_denied", reason_codes: denialCodes(reply), note: noteOf(reply) }),
    };
    return writeReply(envelope, replies[reply.kind](), { message_id, sent_time: sent_time.toISOString() });
  },
};

export const prescriberFormat: PrescriberFormat = { write: writePharmacyMessage, readAnswer: readNetworkAnswer };

/** `ncpdp_id` is the receiver named in the request URL, if any. */
export const fhirFormat = (ncpdp_id: string | null): IntakeFormat => ({
  format: "fhir",
  read: (body) => readFhir(body, ncpdp_id),
  reply(reply, { warnings, prescription_id }) {
    return JSON.stringify(outcomeOf(fhirAnswer(reply), warnings, { prescription_id }));
  },
});

function fhirAnswer(reply: IntakeReply): Acceptance | IntakeRefusal {
  switch (reply.kind) {
    case "refused":
      return reply.refusal;
    case "accepted":
      return "received";
    case "in_review":
    case "pending":
      return "in_review";
    default:
      return cancelAcceptances[reply.note];
  }
}

const cancelAcceptances: Record<keyof typeof cancelNotes, Acceptance> = {
  canceled: "canceled",
  inactive_already: "canceled",
  in_filling: "cancel_in_filling",
  dispensed: "cancel_dispensed",
  dispensed_in_filling: "cancel_dispensed",
  all_dispensed: "cancel_too_late",
  unknown: "cancel_unknown",
  several: "cancel_several",
};

/** SCRIPT's reason code for a patient or a prescription that the pharmacy does not know. */
const UNKNOWN_HERE = "AA";

/** The standard has no reason code for a drug that was dispensed earlier, so the denial has only its sentence. */
const denialCodes = (reply: { kind: string; note?: keyof typeof cancelNotes }) =>
  reply.note === "all_dispensed" ? [] : [UNKNOWN_HERE];

const noteOf = (reply: { kind: string; note?: keyof typeof cancelNotes }) => cancelNotes[reply.note ?? "unknown"];

/** The format of a stored message. */
export const formatOf = ({ format, receiver }: { format: IntakeFormat["format"]; receiver: string | null }) =>
  format === "fhir" ? fhirFormat(receiver) : scriptFormat;
