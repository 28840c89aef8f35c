import type {
  FillStatus,
  PharmacyContent,
  PharmacyMedication,
  PharmacyMessage,
  SendingPharmacy,
  Treatment,
} from "../../domain/prescribers/pharmacy-message.ts";
import { element, type Markup, mark } from "./markup.ts";
import { writeReplyBody } from "./reply.ts";
import { type Shape, shapes, writeMessage } from "./shape.ts";
import { writeAddress, writeContact, writePatient, writePrescriber } from "./write.ts";
import {
  date,
  type QuantityQualifier,
  writeDrug,
  writeQuantity,
  writeRefills,
  writeSubstitutions,
} from "./write-medication.ts";

/** Writes a message of the pharmacy, with the elements in the order of the standard. `readPharmacyMessage` reads it. */
export function writePharmacyMessage({ envelope, content }: PharmacyMessage): string {
  const { version, from, to, rx_reference_number, prescriber_order_number, test_message, ...rest } = envelope;
  const header = {
    ...rest,
    to: { id: to, qualifier: "D" },
    from: { id: from, qualifier: "P" },
    more: [
      element("TestMessage", test_message ? "1" : null),
      element("RxReferenceNumber", rx_reference_number),
      element("PrescriberOrderNumber", prescriber_order_number),
    ],
  };
  const shape = shapes[version];
  const body = content.kind === "cancel" ? writeReplyBody(cancelReply(content), version) : writeRequest(content, shape);
  return writeMessage(version, header, body);
}

type Request = Exclude<PharmacyContent, { kind: "cancel" }>;

const cancelReply = ({ approved, reason_codes, note }: Extract<PharmacyContent, { kind: "cancel" }>) =>
  approved ? { kind: "cancel_approved" as const, note } : { kind: "cancel_denied" as const, reason_codes, note };

function writeRequest(content: Request, shape: Shape): Markup {
  const prescribed = writeMedication("MedicationPrescribed", content.prescribed, shape, "38");
  const treatment = writeTreatment(content, shape);
  switch (content.kind) {
    case "renewal":
      return mark("RxRenewalRequest", [
        ...treatment,
        writeMedication("MedicationDispensed", content.dispensed, shape, "87"),
        prescribed,
      ]);
    case "change":
      return mark("RxChangeRequest", [
        element("MessageRequestCode", content.code),
        ...treatment,
        prescribed,
        ...content.requested
          .slice(0, MOST_REQUESTED)
          .map((one) => writeMedication("MedicationRequested", one, shape, "38")),
        element("ChangeReasonText", shortened(content.reason, REASON_LENGTH)),
      ]);
    case "fill":
      return mark("RxFill", [
        element("FillStatus", [
          mark(FILL_ELEMENTS[content.status], [element("Note", shortened(content.note, NOTE_LENGTH))]),
        ]),
        ...treatment,
        content.dispensed === null ? null : writeMedication("MedicationDispensed", content.dispensed, shape, "87"),
        prescribed,
      ]);
  }
}

/** The standard's limits. */
const MOST_REQUESTED = 9;
const REASON_LENGTH = 260;
const NOTE_LENGTH = 70;

export const FILL_ELEMENTS: Record<FillStatus, string> = {
  dispensed: "Dispensed",
  partially_dispensed: "PartiallyDispensed",
  not_dispensed: "NotDispensed",
};

const shortened = (text: string | null, most: number) => text && Array.from(text).slice(0, most).join("");

const writeTreatment = ({ patient, pharmacy, prescriber }: Treatment, shape: Shape): (Markup | null)[] => [
  writePatient(patient, shape),
  writePharmacy(pharmacy, shape),
  writePrescriber(prescriber, shape),
];

function writePharmacy({ ncpdp_id, npi, name, address, phone }: SendingPharmacy, shape: Shape): Markup | null {
  return element("Pharmacy", [
    element("Identification", [element("NCPDPID", ncpdp_id), element("NPI", npi)]),
    element("BusinessName", name),
    writeAddress(address, shape),
    writeContact({ phone, fax: null, email: null }, shape),
  ]);
}

function writeMedication(
  name: string,
  medication: PharmacyMedication,
  shape: Shape,
  qualifier: QuantityQualifier,
): Markup | null {
  return element(name, [
    ...writeDrug(medication.drug, shape),
    writeQuantity(medication.quantity, shape, qualifier),
    element("DaysSupply", medication.days_supply?.toString() ?? null),
    date("WrittenDate", medication.written_date),
    date("LastFillDate", medication.last_fill_date),
    writeSubstitutions(medication.daw, shape),
    writeRefills(medication.refills, shape),
    element("Note", medication.note),
    element("DrugUseEvaluation", [element("ServiceReasonCode", medication.service_reason)]),
    element("Sig", [element("SigText", medication.sig_text)]),
    element("PharmacyRequestedRefills", medication.requested_refills?.toString() ?? null),
  ]);
}
