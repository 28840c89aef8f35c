import type {
  AnsweredPrescription,
  CancelTarget,
  Content,
  Envelope,
  IncomingAddress,
  IncomingPatient,
  IncomingPrescriber,
  ResponseKind,
} from "../../domain/intake/incoming-message.ts";
import { element, type Markup, mark } from "./markup.ts";
import { type Shape, shapes, writeMessage } from "./shape.ts";
import type { ScriptVersion } from "./version.ts";
import { writeDrug, writeMedication } from "./write-medication.ts";

/**
 * Writes a prescriber's message in any version, for the presets of `pestle rx send`, tests and benchmarks. Reading it
 * back gives the same content.
 */
export function writeScript(envelope: Envelope, content: Content, version: ScriptVersion): string {
  const { from, from_qualifier, to, to_qualifier, message_id, relates_to_message_id, sent_time } = envelope;
  const header = {
    to: { id: to, qualifier: to_qualifier },
    from: { id: from, qualifier: from_qualifier },
    message_id: message_id ?? "",
    relates_to_message_id,
    sent_time,
    more: headerExtras(envelope, content),
  };
  return writeMessage(version, header, writeTransaction(envelope, content, shapes[version]));
}

function headerExtras(envelope: Envelope, content: Content): (Markup | null)[] {
  const prescription = content.kind === "cancel" ? null : content.prescription;
  const group = prescription?.order_group ?? null;
  const signed = prescription?.signature_evidence === true;
  return [
    element("TestMessage", envelope.test_message ? "1" : null),
    element("PrescriberOrderNumber", envelope.prescriber_order_number),
    signed ? element("DigitalSignature", [element("DigitalSignatureIndicator", "true")], { Version: "1.1" }) : null,
    element("PrescriberOrderGroup", [
      element("OrderGroupNumber", group?.number ?? null),
      element("ItemCountInOrderGroup", group?.item?.toString() ?? null),
      element("TotalCountForOrderGroup", group?.total?.toString() ?? null),
    ]),
  ];
}

function writeTransaction(envelope: Envelope, content: Content, shape: Shape): Markup {
  const receipt = element("ReturnReceipt", envelope.return_receipt ? "Y" : null);
  const pharmacy = element("Pharmacy", [element("Identification", [element("NCPDPID", envelope.to)])]);
  switch (content.kind) {
    case "new":
      return mark("NewRx", [receipt, ...writeParts(content.prescription, "MedicationPrescribed", pharmacy, shape)]);
    case "cancel":
      return mark("CancelRx", [
        receipt,
        element("ChangeOfPrescriptionStatusFlag", content.discontinue ? "D" : "C"),
        ...writeTarget(content.target, pharmacy, shape),
      ]);
    default: {
      const renewal = content.kind === "renewal";
      const medication = renewal && !shape.flat ? "MedicationResponse" : "MedicationPrescribed";
      const parts =
        content.prescription === null ? [pharmacy] : writeParts(content.prescription, medication, pharmacy, shape);
      const response = element("Response", [writeAnswer(content, shape)]);
      return mark(renewal ? shape.renewal : "RxChangeResponse", [receipt, response, ...parts]);
    }
  }
}

const ANSWERS: Record<ResponseKind, string> = {
  approved: "Approved",
  approved_with_changes: "ApprovedWithChanges",
  replace: "Replace",
  validated: "Validated",
  denied: "Denied",
  denied_new_prescription_to_follow: "DeniedNewPrescriptionToFollow",
  pending: "Pending",
};

function writeAnswer(content: Extract<Content, { kind: "renewal" | "change" }>, shape: Shape): Markup {
  const denied = content.response === "denied";
  return mark(ANSWERS[content.response], [
    ...content.reason_codes.map((code) => element(shape.denial_code, code)),
    element(denied ? "DenialReason" : "Note", content.note),
  ]);
}

function writeParts(
  prescription: AnsweredPrescription,
  medication: string,
  pharmacy: Markup | null,
  shape: Shape,
): (Markup | null)[] {
  return [
    writeAllergies(prescription.allergies),
    writePatient(prescription.patient, shape),
    pharmacy,
    writePrescriber(prescription.prescriber, shape),
    element(medication, writeMedication(prescription, shape)),
    element("ProhibitRenewalRequest", prescription.prohibits_renewal ? "true" : null),
  ];
}

function writeTarget(target: CancelTarget, pharmacy: Markup | null, shape: Shape): (Markup | null)[] {
  const identification = element("Identification", [element("NPI", target.prescriber_npi)]);
  const drug = { description: target.drug_description, codes: target.drug_codes, strength: null, schedule: null };
  return [
    writePatient(target.patient, shape),
    pharmacy,
    element("Prescriber", within(shape.prescriber, [identification])),
    element("MedicationPrescribed", [
      ...writeDrug(drug, shape),
      element("WrittenDate", [element("Date", target.written_date)]),
    ]),
  ];
}

function writeAllergies(allergies: AnsweredPrescription["allergies"]): Markup | null {
  if (allergies === "unknown") return null;
  if (allergies === "none") return element("AllergyOrAdverseEvent", [element("NoKnownAllergies", "Y")]);
  const written = allergies.map(({ text, codes, reaction, severity }) =>
    element("Allergies", [
      element("DrugProductCoded", [
        element("Code", codes[0]?.code ?? null),
        element("Qualifier", codes[0] === undefined ? null : QUALIFIERS[codes[0].system]),
        element("Text", text),
      ]),
      element("ReactionCoded", [element("Text", reaction)]),
      element("SeverityCoded", [element("Text", severity)]),
    ]),
  );
  return element("AllergyOrAdverseEvent", written);
}

const QUALIFIERS = { ndc: "ND", upc: "UP", rxnorm: "SCD", gcn: "FG", snomed: "SCT", other: "UN" } as const;

const ID_ELEMENTS = {
  medical_record: "MedicalRecordIdentificationNumberEHR",
  account: "PatientAccountNumber",
  mutually_defined: "MutuallyDefined",
  other: "FileID",
} as const;

export function writePatient(patient: IncomingPatient | null, shape: Shape): Markup | null {
  if (patient === null) return null;
  const [gender, ...within_gender] = [...shape.gender].reverse() as [string, ...string[]];
  return element(
    "Patient",
    within(shape.human, [
      element(
        "Identification",
        patient.ids.map(({ kind, value }) => element(ID_ELEMENTS[kind], value)),
      ),
      writeName(patient, shape),
      within_gender.reduce((inner, name) => element(name, [inner]), element(gender, patient.gender)),
      element("DateOfBirth", [element("Date", patient.dob)]),
      writeAddress(patient.address, shape),
      writeContact({ phone: patient.phone, fax: null, email: patient.email }, shape),
    ]),
  );
}

export function writePrescriber(prescriber: IncomingPrescriber | null, shape: Shape): Markup | null {
  if (prescriber === null) return null;
  const [practice, ...within_practice] = [...shape.practice].reverse() as [string, ...string[]];
  return element(
    "Prescriber",
    within(shape.prescriber, [
      element("Identification", [
        element("StateLicenseNumber", prescriber.state_license),
        element("DEANumber", prescriber.dea),
        element("NPI", prescriber.npi),
      ]),
      within_practice.reduce((inner, name) => element(name, [inner]), element(practice, prescriber.practice)),
      writeName({ ...prescriber, middle_name: null, suffix: null }, shape),
      writeAddress(prescriber.address, shape),
      writeContact({ phone: prescriber.phone, fax: prescriber.fax, email: null }, shape),
    ]),
  );
}

type Name = Pick<IncomingPatient, "last_name" | "first_name" | "middle_name" | "suffix">;

function writeName({ last_name, first_name, middle_name, suffix }: Name, shape: Shape): Markup | null {
  const name = element("Name", [
    element("LastName", last_name),
    element("FirstName", first_name),
    element("MiddleName", middle_name),
    element("Suffix", suffix),
  ]);
  return shape.names === null ? name : element(shape.names, [name]);
}

export function writeAddress(address: IncomingAddress | null, shape: Shape): Markup | null {
  if (address === null) return null;
  return element("Address", [
    element("AddressLine1", address.street1),
    element("AddressLine2", address.street2),
    element("City", address.city),
    element(shape.state, address.state),
    // SCRIPT writes ZIP+4 as nine digits without a dash.
    element(shape.zip, address.zip?.replace("-", "") ?? null),
    element("CountryCode", address.country),
  ]);
}

type Contact = { phone: string | null; fax: string | null; email: string | null };

export function writeContact({ phone, fax, email }: Contact, shape: Shape): Markup | null {
  const numbers = shape.flat
    ? Object.entries({ TE: phone, FX: fax, EM: email }).map(([qualifier, number]) =>
        number === null ? null : element("Communication", [element("Number", number), element("Qualifier", qualifier)]),
      )
    : [
        element("PrimaryTelephone", [element("Number", phone)]),
        element("Fax", [element("Number", fax)]),
        element("ElectronicMail", email),
      ];
  return element("CommunicationNumbers", numbers);
}

/** Wraps the parts in an element if the version has one. */
function within(name: string | null, parts: readonly (Markup | null)[]): readonly (Markup | null)[] {
  return name === null ? parts : [element(name, parts)];
}
