import type {
  Content,
  Envelope,
  IncomingDrug,
  IncomingPatient,
  IncomingPrescriber,
  IncomingPrescription,
} from "../../domain/intake/incoming-message.ts";
import type { DescriptionCode } from "../../domain/intake/intake-refusals.ts";
import { addDays } from "../../domain/values/calendar.ts";
import { writeFhir } from "../../formats/fhir/write.ts";
import type { ScriptVersion } from "../../formats/script/version.ts";
import { writeScript } from "../../formats/script/write.ts";

type Preset = {
  says: string;
  /** The service's reply: accepted, canceled, or refused with this description code. */
  expects: "accepted" | "canceled" | DescriptionCode;
  /** SCRIPT by default. */
  format?: "fhir";
  prescription: Omit<IncomingPrescription, "written_date" | "effective_date">;
  effective_in_days?: number;
  cancels?: true;
};

/** The sender of the presets. */
export const PRESET_SENDER = "7204410099001";
/** `simple` names its order so that `cancel` can refer to it. */
export const CANCELABLE_ORDER = "TF-SIMPLE";

const prescriber: IncomingPrescriber = {
  last_name: "Marlowe",
  first_name: "Fenwick",
  practice: "Tule Fog Family Medicine",
  npi: "1234567893",
  dea: "FM1234563",
  state_license: "A-55121",
  phone: "9165550160",
  fax: "9165550161",
  address: { street1: "9 Delta Way", street2: null, city: "Sacramento", state: "CA", zip: "95816", country: "US" },
};

/** A made-up patient. Their id in the prescriber's system is also their `patient_id`. */
const person = (
  [first_name, last_name, dob, gender]: readonly [string, string, string, "M" | "F" | "N"],
  id: string,
  phone: string,
  [street1, city, state, zip]: readonly [string, string, string, string],
): IncomingPatient => ({
  ids: [{ kind: "medical_record", value: id }],
  last_name,
  first_name,
  middle_name: null,
  suffix: null,
  dob,
  gender,
  address: { street1, street2: null, city, state, zip, country: "US" },
  phone,
  email: `${first_name.toLowerCase()}@patients.example`,
  medications: [],
  health_conditions: [],
});

const drug = (description: string, ndc: string, schedule: IncomingDrug["schedule"] = "0"): IncomingDrug => ({
  description,
  codes: [{ system: "ndc", code: ndc }],
  strength: null,
  schedule,
});

const rx = (
  patient: IncomingPatient,
  given: Partial<IncomingPrescription> & Pick<IncomingPrescription, "drug" | "quantity" | "sig_text">,
): Preset["prescription"] => ({
  patient,
  prescriber,
  days_supply: 30,
  refills: 3,
  daw: false,
  note: null,
  diagnoses: [],
  allergies: "none",
  expiration_date: null,
  signature_evidence: false,
  prior_authorization: null,
  fill_indicator: null,
  order_group: null,
  ...given,
});

const wren = person(["Wren", "Abernathy", "1984-05-17", "F"], "wren-1004", "9165550131", [
  "12 Larch St",
  "Sacramento",
  "CA",
  "95814",
]);
const tobias = person(["Tobias", "Quill", "1971-11-30", "M"], "tobias-1011", "5035550114", [
  "88 NW Heron Ave",
  "Portland",
  "OR",
  "97209",
]);
const ottoline = person(["Ottoline", "Marsh", "1990-03-09", "F"], "ottoline-1012", "2065550172", [
  "401 Alder Ct",
  "Seattle",
  "WA",
  "98101",
]);
const everyEvening = "Take 1 tablet by mouth every evening.";
const atorvastatin = rx(wren, {
  drug: drug("Atorvastatin 20 mg tablet", "70999010130"),
  quantity: { value: 90, unit: "tablet" },
  days_supply: 90,
  sig_text: everyEvening,
  diagnoses: [{ code: "E785", system: "icd10cm", description: "Hyperlipidemia" }],
});

/** Sample messages for the intake. The drugs are in the demo's formulary; the people are fictional. */
export const rxPresets = {
  simple: { says: "90 tablets with three refills", expects: "accepted", prescription: atorvastatin },
  "controlled-signed": {
    says: "schedule 4 with digital signature evidence",
    expects: "accepted",
    prescription: rx(tobias, {
      drug: drug("Zolpidem 5 mg tablet", "70999080130", "4"),
      quantity: { value: 30, unit: "tablet" },
      refills: 2,
      sig_text: "Take 1 tablet by mouth at bedtime.",
      signature_evidence: true,
    }),
  },
  "controlled-unsigned": {
    says: "schedule 2 without a signature: needs `pestle rx accept`",
    expects: "accepted",
    prescription: rx(ottoline, {
      drug: drug("Dextroamphetamine 10 mg tablet", "70999070130", "2"),
      quantity: { value: 60, unit: "tablet" },
      refills: 0,
      sig_text: "Take 1 tablet by mouth twice a day.",
    }),
  },
  "cold-chain": {
    says: "a pen that must stay refrigerated",
    expects: "accepted",
    prescription: rx(tobias, {
      drug: drug("Semaglutide 2 mg/3 mL pen", "70999060101"),
      quantity: { value: 3, unit: "milliliter" },
      days_supply: 28,
      refills: 2,
      sig_text: "Inject 0.5 mg under the skin once a week.",
    }),
  },
  "brand-daw": {
    says: "a brand drug, dispense as written",
    expects: "accepted",
    prescription: rx(ottoline, {
      drug: drug("Lipora 20 mg tablet", "70999010230"),
      quantity: { value: 30, unit: "tablet" },
      daw: true,
      sig_text: everyEvening,
    }),
  },
  prn: {
    says: "refills as needed until it expires",
    expects: "accepted",
    prescription: rx(tobias, {
      drug: drug("Sildenafil 50 mg tablet", "70999050110"),
      quantity: { value: 10, unit: "tablet" },
      refills: "prn",
      sig_text: "Take 1 tablet by mouth as needed.",
    }),
  },
  "future-effective": {
    says: "cannot be filled for the next two weeks",
    expects: "accepted",
    effective_in_days: 14,
    prescription: rx(tobias, {
      drug: drug("Finasteride 1 mg tablet", "70999040130"),
      quantity: { value: 30, unit: "tablet" },
      sig_text: "Take 1 tablet by mouth once a day.",
    }),
  },
  "no-address": {
    says: "a patient without an address, which an order needs",
    expects: "accepted",
    prescription: rx(
      {
        ...person(["Perpetua", "Vane", "1995-08-21", "N"], "perpetua-1013", "3125550148", ["", "", "", ""]),
        address: null,
      },
      {
        drug: drug("Sertraline 50 mg tablet", "70999020130"),
        quantity: { value: 30, unit: "tablet" },
        sig_text: "Take 1 tablet by mouth every morning.",
      },
    ),
  },
  allergic: {
    says: "amoxicillin for a patient allergic to penicillin",
    expects: "accepted",
    prescription: rx(ottoline, {
      drug: drug("Amoxicillin 500 mg capsule", "70999030121"),
      quantity: { value: 21, unit: "capsule" },
      days_supply: 7,
      refills: 0,
      sig_text: "Take 1 capsule by mouth three times a day until finished.",
      allergies: [
        { text: "Penicillin", codes: [{ system: "rxnorm", code: "7980" }], reaction: "Hives", severity: null },
      ],
    }),
  },
  "no-birth-date": {
    says: "a patient who cannot be identified: refused",
    expects: "080",
    prescription: { ...atorvastatin, patient: { ...wren, dob: null } },
  },
  cancel: {
    says: "the prescriber cancels the last `simple`",
    expects: "canceled",
    cancels: true,
    prescription: atorvastatin,
  },
  fhir: {
    says: "a tablet, as a FHIR R4 Bundle",
    expects: "accepted",
    format: "fhir",
    prescription: rx(ottoline, {
      drug: drug("Minoxidil 2.5 mg tablet", "70999100130"),
      quantity: { value: 30, unit: "tablet" },
      sig_text: "Take half a tablet by mouth once a day.",
      allergies: "unknown",
    }),
  },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof rxPresets;

/** A preset as a prescriber's system would send it on a given day. */
export function presetMessage(
  name: PresetName,
  given: {
    to: string;
    version: ScriptVersion;
    message_id: string;
    sent_time: Date;
    today: string;
    /** The message to cancel, if known. */
    relates_to: string | null;
  },
): string {
  const preset: Preset = rxPresets[name];
  const { to, version, message_id, today } = given;
  const prescription = {
    ...preset.prescription,
    written_date: today,
    effective_date: preset.effective_in_days === undefined ? null : addDays(today, preset.effective_in_days),
  };
  const ordered = preset.cancels || name === "simple";
  const envelope: Envelope = {
    format: preset.format ?? "script",
    version: null,
    from: PRESET_SENDER,
    from_qualifier: "D",
    to,
    to_qualifier: "P",
    message_id,
    relates_to_message_id: given.relates_to,
    sent_time: given.sent_time.toISOString(),
    prescriber_order_number: ordered ? CANCELABLE_ORDER : null,
    test_message: false,
    return_receipt: false,
  };
  if (preset.format === "fhir") return JSON.stringify(writeFhir(prescription, envelope), null, 2);
  return writeScript(envelope, preset.cancels ? cancelOf(prescription) : { kind: "new", prescription }, version);
}

function cancelOf({ patient, prescriber, drug }: IncomingPrescription): Content {
  const target = {
    patient,
    prescriber_npi: prescriber.npi,
    drug_description: drug.description,
    drug_codes: drug.codes,
    // The prescription may have been written on an earlier day.
    written_date: null,
  };
  return { kind: "cancel", discontinue: false, target };
}
