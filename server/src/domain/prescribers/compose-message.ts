import type { ChangeCode } from "@pestle/contract";
import type { IncomingAddress, IncomingPatient, IncomingPrescriber } from "../intake/incoming-message.ts";
import type { Prescription } from "../intake/prescription.ts";
import type { PatientRecord } from "../patients/patient-record.ts";
import type {
  FillStatus,
  PharmacyContent,
  PharmacyMedication,
  SendingPharmacy,
  Treatment,
} from "./pharmacy-message.ts";

/** The request, as it is stored until the first attempt writes the message. */
export type AskedMessage =
  | { kind: "renewal"; refills: number | null; note: string | null }
  | { kind: "change"; code: ChangeCode; reason: string | null; service_reason: string | null }
  | { kind: "fill"; status: FillStatus; note: string | null; units: number | null };

/** The prescription and its surroundings, on the day of the message. */
export type MessageContext = {
  pharmacy: SendingPharmacy;
  record: PatientRecord;
  /** From the prescription's message. */
  address: IncomingAddress | null;
  prescription: Pick<
    Prescription,
    | "prescriber_name"
    | "prescriber_phone"
    | "prescriber_fax"
    | "prescriber_npi"
    | "prescriber_dea"
    | "written_date"
    | "drug_name"
    | "ndc"
    | "gcn"
    | "sig_text"
    | "written_qty"
    | "unit"
    | "days_supply"
    | "refills"
    | "drug_schedule"
    | "daw"
  >;
  /** The last fill, on a calendar day; null if it was never filled. */
  last_fill: { date: string; units: number; ndc: string | null } | null;
};

/** The content of a message, from what was asked and what is on file. */
export function composeMessage(asked: AskedMessage, context: MessageContext): PharmacyContent {
  const treatment = treatmentOf(context);
  const prescribed = prescribedOf(context);
  switch (asked.kind) {
    case "renewal": {
      const dispensed = dispensedOf(context, null);
      const requested_refills = asked.refills ?? context.prescription.refills;
      return {
        kind: "renewal",
        dispensed: { ...dispensed, note: asked.note, requested_refills },
        prescribed,
        ...treatment,
      };
    }
    case "change": {
      const { code, reason, service_reason } = asked;
      return {
        kind: "change",
        code,
        reason,
        prescribed: { ...prescribed, service_reason },
        requested: [],
        ...treatment,
      };
    }
    case "fill": {
      const { status, note } = asked;
      const dispensed = status === "not_dispensed" ? null : dispensedOf(context, asked.units);
      return { kind: "fill", status, note, dispensed, prescribed, ...treatment };
    }
  }
}

const treatmentOf = ({ pharmacy, record, address, prescription }: MessageContext): Treatment => ({
  pharmacy,
  patient: patientOf(record, address),
  prescriber: prescriberOf(prescription),
});

/** The prescriber's own address of the patient first, else the default one on file. */
function patientOf(record: PatientRecord, address: IncomingAddress | null): IncomingPatient {
  const { first_name, last_name, middle_name, suffix, dob, gender, phone, email, addresses } = record;
  const stored = addresses.find((one) => one.default) ?? addresses[0];
  return {
    ids: [],
    last_name,
    first_name,
    middle_name,
    suffix,
    dob,
    gender: gender ?? "U",
    address:
      address ??
      (stored === undefined
        ? null
        : {
            street1: stored.street1,
            street2: stored.street2,
            city: stored.city,
            state: stored.state,
            zip: stored.zip,
            country: "US",
          }),
    phone,
    email,
    medications: [],
    health_conditions: [],
  };
}

/** The record has the name in one field. The standard requires the last name. */
export function prescriberOf(prescription: MessageContext["prescription"]): IncomingPrescriber {
  const names = prescription.prescriber_name.trim().split(/\s+/);
  return {
    last_name: names.at(-1) || null,
    first_name: names.slice(0, -1).join(" ") || null,
    practice: null,
    npi: prescription.prescriber_npi,
    dea: prescription.prescriber_dea,
    state_license: null,
    phone: prescription.prescriber_phone,
    fax: prescription.prescriber_fax,
    address: null,
  };
}

const prescribedOf = ({ prescription }: MessageContext): PharmacyMedication => ({
  drug: drugOf(prescription, prescription.ndc),
  quantity: { value: prescription.written_qty, unit: prescription.unit },
  days_supply: prescription.days_supply,
  written_date: prescription.written_date,
  last_fill_date: null,
  daw: prescription.daw,
  refills: prescription.refills,
  note: null,
  service_reason: null,
  sig_text: prescription.sig_text.trim() || null,
  requested_refills: null,
});

/** As the last fill left the pharmacy: its product and quantity. */
function dispensedOf(context: MessageContext, units: number | null): PharmacyMedication {
  const { prescription, last_fill } = context;
  return {
    ...prescribedOf(context),
    drug: drugOf(prescription, last_fill?.ndc ?? prescription.ndc),
    quantity: { value: units ?? last_fill?.units ?? prescription.written_qty, unit: prescription.unit },
    last_fill_date: last_fill?.date ?? prescription.written_date,
    refills: null,
  };
}

const drugOf = (
  { drug_name, gcn, drug_schedule }: MessageContext["prescription"],
  ndc: string | null,
): PharmacyMedication["drug"] => ({
  description: drug_name,
  codes: [
    ...(ndc === null ? [] : [{ system: "ndc" as const, code: ndc }]),
    ...(gcn === null ? [] : [{ system: "gcn" as const, code: gcn }]),
  ],
  strength: null,
  schedule: drug_schedule,
});
