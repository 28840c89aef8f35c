import type { Address, MaskedAddress, MaskedPatient } from "@pestle/contract";
import type { PatientRecord } from "./patient-record.ts";

/** A patient before the reveal: enough to tell two orders apart, but not enough to identify the person. */
export const maskedPatient = (
  patient_id: string,
  record: Pick<PatientRecord, "first_name" | "last_name" | "dob" | "addresses">,
): MaskedPatient => ({
  patient_id,
  initials: initials(record),
  birth_year: record.dob.slice(0, 4),
  state: (record.addresses.find((address) => address.default) ?? record.addresses[0])?.state ?? null,
});

/** The first letter of each name, in any script. */
export const initials = ({ first_name, last_name }: Pick<PatientRecord, "first_name" | "last_name">): string =>
  [first_name, last_name].map(firstLetter).join("");

function firstLetter(name: string): string {
  const [letter = ""] = name.normalize("NFC").match(/\p{L}\p{M}*/u) ?? [];
  return letter.toUpperCase();
}

/** The first three digits of a ZIP code do not reveal where a patient lives. */
export const maskedAddress = ({ state, zip }: Address, has_suggestion: boolean): MaskedAddress => ({
  state,
  zip: `${zip.slice(0, 3)}…`,
  has_suggestion,
});
