import type { MagicPrescriberName } from "@pestle/contract";
import type { AnsweredPrescription, IncomingMessage, ResponseKind } from "../intake/incoming-message.ts";
import { type MessageContext, prescriberOf } from "../prescribers/compose-message.ts";
import type { PharmacyMessageKind } from "../prescribers/pharmacy-message.ts";

/** The last names of prescribers who do not simply approve in the sandbox. */
export const magicPrescribers = {
  deny: { renewal: "denied", change: "denied", note: "The patient needs an appointment first." },
  change: {
    renewal: "approved_with_changes",
    change: "approved_with_changes",
    note: "One refill, then an appointment.",
  },
  replace: { renewal: "replace", change: "approved_with_changes", note: "Please use this prescription from now on." },
  silent: null,
} as const satisfies Record<MagicPrescriberName, { renewal: ResponseKind; change: ResponseKind; note: string } | null>;

const ORDINARY = { renewal: "approved", change: "approved", note: null } as const;

/** The refills that a prescriber called Change allows. */
const CHANGED_REFILLS = 1;

/** The answer of the sandbox's prescriber to a request; null if there is none, or none is expected. */
export function sandboxAnswer(
  request: { kind: PharmacyMessageKind; sender: string; wire_id: string; message_id: string },
  { prescription }: Pick<MessageContext, "prescription">,
  now: Date,
  today: string,
): IncomingMessage | null {
  if (request.kind !== "renewal" && request.kind !== "change") return null;
  const name = prescriberOf(prescription).last_name?.toLowerCase() ?? "";
  const magic = Object.hasOwn(magicPrescribers, name)
    ? magicPrescribers[name as keyof typeof magicPrescribers]
    : ORDINARY;
  if (magic === null) return null;
  const response = magic[request.kind];
  return {
    envelope: {
      format: "simulation",
      version: null,
      from: request.sender,
      from_qualifier: "D",
      to: null,
      to_qualifier: "P",
      message_id: request.message_id,
      relates_to_message_id: request.wire_id,
      sent_time: now.toISOString(),
      prescriber_order_number: null,
      test_message: true,
      return_receipt: false,
    },
    content: {
      kind: request.kind,
      response,
      reason_codes: [],
      note: magic.note,
      prescription: response === "denied" ? null : answered(prescription, response, today),
    },
    warnings: [],
  };
}

/** The same drug again, signed and written today. The patient is the one of the answered prescription. */
function answered(
  prescription: MessageContext["prescription"],
  response: ResponseKind,
  today: string,
): AnsweredPrescription {
  const { ndc, gcn } = prescription;
  return {
    patient: null,
    prescriber: prescriberOf(prescription),
    drug: {
      description: prescription.drug_name,
      codes: [
        ...(ndc === null ? [] : [{ system: "ndc" as const, code: ndc }]),
        ...(gcn === null ? [] : [{ system: "gcn" as const, code: gcn }]),
      ],
      strength: null,
      schedule: prescription.drug_schedule,
    },
    quantity: { value: prescription.written_qty, unit: prescription.unit },
    days_supply: prescription.days_supply,
    refills: response === "approved_with_changes" ? CHANGED_REFILLS : prescription.refills,
    daw: prescription.daw,
    sig_text: prescription.sig_text.trim() || null,
    note: null,
    diagnoses: [],
    allergies: "unknown",
    written_date: today,
    effective_date: null,
    expiration_date: null,
    signature_evidence: true,
    prior_authorization: null,
    fill_indicator: null,
    order_group: null,
  };
}
