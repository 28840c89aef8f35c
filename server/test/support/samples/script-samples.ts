import type { Content, Envelope, IncomingPrescription } from "../../../src/domain/intake/incoming-message.ts";
import type { ScriptVersion } from "../../../src/formats/script/version.ts";
import { writeScript } from "../../../src/formats/script/write.ts";

/** An invented prescription with everything that a message can contain, and without warnings. */
export const prescription: IncomingPrescription = {
  patient: {
    ids: [
      { kind: "medical_record", value: "MRN-20417" },
      { kind: "account", value: "AC-88" },
    ],
    last_name: "Okonkwo-Reyes",
    first_name: "Marisol",
    middle_name: "T",
    suffix: "Jr",
    dob: "1987-02-28",
    gender: "F",
    address: {
      street1: "418 Juniper Hollow Rd",
      street2: "Apt 7",
      city: "Sacramento",
      state: "CA",
      zip: "95814-2210",
      country: "US",
    },
    phone: "9165550142",
    email: "marisol@okonkwo.example",
    medications: [],
    health_conditions: [],
  },
  prescriber: {
    last_name: "Marlowe",
    first_name: "Fenwick",
    practice: "Tule Fog Family Medicine",
    npi: "1234567893",
    dea: "FM1234563",
    state_license: "A-55121",
    phone: "9165550160",
    fax: "9165550161",
    address: {
      street1: "9 Delta Way",
      street2: null,
      city: "Sacramento",
      state: "CA",
      zip: "95816",
      country: "US",
    },
  },
  drug: {
    description: "Atorvastatin 20 MG Oral Tablet",
    codes: [
      { system: "ndc", code: "70999010130" },
      { system: "rxnorm", code: "617310" },
    ],
    strength: "20 mg",
    schedule: "0",
  },
  quantity: { value: 90, unit: "tablet" },
  days_supply: 90,
  refills: 3,
  daw: false,
  sig_text: "Take 1 tablet by mouth every evening.",
  note: "Patient prefers morning delivery.",
  diagnoses: [{ code: "E785", system: "icd10cm", description: "Hyperlipidemia" }],
  allergies: [
    { text: "Penicillin V", codes: [{ system: "rxnorm", code: "7984" }], reaction: "Hives", severity: "Moderate" },
  ],
  written_date: "2026-11-10",
  effective_date: "2026-11-12",
  expiration_date: "2027-11-10",
  signature_evidence: true,
  prior_authorization: "PA-7741",
  fill_indicator: "All Fill Statuses",
  order_group: { number: "OG-31", item: 1, total: 2 },
};

export function envelope(version: ScriptVersion | null): Envelope {
  return {
    format: "script",
    version,
    from: "6120042",
    from_qualifier: "D",
    to: "9900017",
    to_qualifier: "P",
    message_id: "TF-0001",
    relates_to_message_id: null,
    sent_time: "2026-11-10T17:20:00.000Z",
    prescriber_order_number: "ORD-5512",
    test_message: false,
    return_receipt: false,
  };
}

export const newRx: Content = { kind: "new", prescription };

export const cancelRx: Content = {
  kind: "cancel",
  discontinue: true,
  target: {
    patient: prescription.patient,
    prescriber_npi: prescription.prescriber.npi,
    drug_description: prescription.drug.description,
    drug_codes: prescription.drug.codes,
    written_date: prescription.written_date,
  },
};

export const renewal: Content = {
  kind: "renewal",
  response: "approved",
  reason_codes: [],
  note: "As before.",
  prescription,
};

export const change: Content = {
  kind: "change",
  response: "denied",
  reason_codes: ["AL", "AM"],
  note: "Please keep the brand.",
  prescription: null,
};

/** The sample of 2017071 as text, to be damaged in one place. */
export const sample = writeScript(envelope("2017071"), newRx, "2017071");

export const bytes = (text: string) => new TextEncoder().encode(text);

/** Replaces one passage, and fails if it is missing. */
export function edit(text: string, ...edits: readonly (readonly [from: string | RegExp, to: string])[]): string {
  return edits.reduce((current, [from, to]) => {
    const next = current.replace(from, () => to);
    if (next === current) throw new Error(`the sample has no ${from}`);
    return next;
  }, text);
}

/** The sample without an element. */
export function without(name: string, text = sample): string {
  return edit(text, [new RegExp(`<${name}(\\s[^>]*)?>.*?</${name}>`, "s"), ""]);
}

/** A text that XML can carry: control characters and half surrogate pairs are replaced. */
export function writable(text: string, by: string): string {
  const carries = (point: number) =>
    (point >= 0x20 || point === 9 || point === 10 || point === 13) &&
    (point < 0xd800 || point > 0xdfff) &&
    point !== 0xfffe &&
    point !== 0xffff;
  return Array.from(text, (char) => (carries(char.codePointAt(0) as number) ? char : by)).join("");
}
