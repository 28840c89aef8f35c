import { genders } from "@pestle/contract";
import { type PatientRecord, plainName, searchKeys } from "./patient-record.ts";

/** More facts would only add keys. */
const MOST_ZIPS = 10;

/**
 * The texts that make two patients one person: they are if they share one. This is the strict match of intake as a set of
 * keys. Name and date of birth must agree, and so must the ZIP code, the phone number or the email address. If the genders
 * differ, two of those must agree.
 */
export function personKeys(record: PatientRecord): string[] {
  const { first_name, last_name, dob, gender, phone, email, addresses } = record;
  if (plainName(first_name) === "" || plainName(last_name) === "" || dob === "") return [];
  const who = searchKeys.name_dob(record);
  const zips = [...new Set(addresses.map(({ zip }) => zip.slice(0, 5)))]
    .filter((zip) => zip !== "")
    .slice(0, MOST_ZIPS);
  const contacts = [
    ["phone", searchKeys.phone(phone ?? "")],
    ["email", searchKeys.email(email ?? "")],
  ].flatMap(([name, text]) => (text === "" ? [] : [`${name} ${text}`]));
  const facts = [...zips.map((zip) => `zip ${zip}`), ...contacts];
  // An unknown gender agrees with each.
  const agreeing = gender === null ? genders : [gender];
  return [
    ...facts.flatMap((fact) => agreeing.map((one) => `${who} ${one} ${fact}`)),
    // One patient's two ZIP codes are one fact of the match, so a pair needs different kinds.
    ...facts.flatMap((fact, index) =>
      facts
        .slice(index + 1)
        .filter((other) => !(fact.startsWith("zip ") && other.startsWith("zip ")))
        .map((other) => `${who} ${fact} ${other}`),
    ),
  ];
}
