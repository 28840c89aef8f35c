import type { Address, MaskedAddress, MaskedPatient } from "@pestle/contract";
import type { PatientRecord } from "./patient-record.ts";

/** A patient as whoever has not asked for more sees it: enough to tell two orders apart, and nobody on the street. */
export const maskedPatient = (
  patient_id: string,
  record: Pick<PatientRecord, "first_name" | "last_name" | "dob" | "addresses">,
): MaskedPatient => ({
  patient_id,
  initials: initials(record),
  birth_year: record.dob.slice(0, 4),
  state: (record.addresses.find((address) => address.default) ?? record.addresses[0])?.state ?? null,
});

/** The first letter of each name, whatever the script. */
export const initials = ({ first_name, last_name }: Pick<PatientRecord, "first_name" | "last_name">): string =>
  [first_name, last_name].map(firstLetter).join("");

function firstLetter(name: string): string {
  const [letter = ""] = name.normalize("NFC").match(/\p{L}\p{M}*/u) ?? [];
  return letter.toUpperCase();
}

/** The first three digits of a ZIP code are as much as tells nobody where somebody lives. */
export const maskedAddress = ({ state, zip }: Address, has_suggestion: boolean): MaskedAddress => ({
  state,
  zip: `${zip.slice(0, 3)}…`,
  has_suggestion,
});
