import type { ReadMessage } from "../../domain/intake/incoming-message.ts";
import { type DescriptionCode, intakeRefusals } from "../../domain/intake/intake-refusals.ts";
import { intakeWarnings, type WarningCode } from "../../domain/intake/intake-warnings.ts";
import { readTraced } from "./read.ts";
import { type Found, Reading } from "./reading.ts";
import type { XmlElement } from "./xml.ts";

/** How a message was read, field by field, for debugging. Contains patient data. */
export interface Explanation {
  outcome: ReadMessage;
  fields: { field: string; path: string; text: string }[];
  /** Fields a new prescription should have: the expected path, and what follows from the gap. */
  missing: { field: string; path: string; sentence: string }[];
  /** Elements with text that the reader did not use. */
  unread: string[];
}

export function findFields(bytes: Uint8Array): Explanation {
  const reading = new Reading(true);
  const { outcome, root } = readTraced(bytes, reading);
  if (root === null) return { outcome, fields: [], missing: [], unread: [] };
  const found = reading.found ?? [];
  const places = placesIn(root);
  const fields = found.map(({ field, text, element, attribute }) => {
    const place = places.get(element) ?? element.name;
    return { field, path: attribute === null ? place : `${place}/@${attribute}`, text };
  });
  if (reading.problems.some((code) => ENDS.includes(code))) return { outcome, fields, missing: [], unread: [] };
  const read = new Set(found.map(({ element }) => element));
  const unread = [...places].filter(([element]) => element.text !== "" && !read.has(element)).map(([, place]) => place);
  return { outcome, fields, missing: missingFrom(root, found), unread };
}

/** The reader stops after these, so the missing fields are unknown. */
const ENDS: readonly DescriptionCode[] = ["019", "021", "035"];

/** Every field of a new prescription whose absence has consequences. */
const WANTED: readonly [field: string, path: string, code: DescriptionCode | WarningCode][] = [
  ["envelope.to", "Header/To", "002"],
  ["envelope.from", "Header/From", "028"],
  ["envelope.message_id", "Header/MessageID", "025"],
  ["patient.last_name", "Patient/HumanPatient/Name/LastName", "081"],
  ["patient.first_name", "Patient/HumanPatient/Name/FirstName", "first_name_missing"],
  ["patient.dob", "Patient/HumanPatient/DateOfBirth/Date", "dob_missing"],
  ["patient.address.street1", "Patient/HumanPatient/Address/AddressLine1", "address_incomplete"],
  ["patient.address.city", "Patient/HumanPatient/Address/City", "address_incomplete"],
  ["patient.address.state", "Patient/HumanPatient/Address/StateProvince", "address_incomplete"],
  ["patient.address.zip", "Patient/HumanPatient/Address/PostalCode", "address_incomplete"],
  ["prescriber.last_name", "Prescriber/NonVeterinarian/Name/LastName", "203"],
  ["prescriber.npi", "Prescriber/NonVeterinarian/Identification/NPI", "npi_missing"],
  [
    "prescriber.phone",
    "Prescriber/NonVeterinarian/CommunicationNumbers/PrimaryTelephone/Number",
    "prescriber_phone_missing",
  ],
  ["drug.description", "MedicationPrescribed/DrugDescription", "206"],
  ["drug.codes", "MedicationPrescribed/DrugCoded/ProductCode/Code", "drug_code_missing"],
  ["quantity.value", "MedicationPrescribed/Quantity/Value", "135"],
  ["refills", "MedicationPrescribed/NumberOfRefills", "refills_missing"],
  ["written_date", "MedicationPrescribed/WrittenDate/Date", "written_date_missing"],
  ["sig_text", "MedicationPrescribed/Sig/SigText", "sig_missing"],
];

function missingFrom(root: XmlElement, found: readonly Found[]): Explanation["missing"] {
  const fields = new Set(found.map(({ field }) => field));
  const isNew = root.children.some((body) => body.children.some(({ name }) => name === "NewRx"));
  const wanted = isNew ? WANTED : WANTED.filter(([, path]) => path.startsWith("Header/"));
  return wanted
    .filter(([field]) => !fields.has(field))
    .map(([field, path, code]) => ({ field, path, sentence: sentenceOf(code) }));
}

function sentenceOf(code: DescriptionCode | WarningCode): string {
  return code in intakeRefusals ? intakeRefusals[code as DescriptionCode][1] : intakeWarnings[code as WarningCode];
}

/** Each element's path from the root, with an index if siblings share its name. */
function placesIn(root: XmlElement): Map<XmlElement, string> {
  const places = new Map([[root, root.name]]);
  // Iterating a map also visits entries added during the iteration.
  for (const [element, place] of places) {
    const totals = new Map<string, number>();
    for (const { name } of element.children) totals.set(name, (totals.get(name) ?? 0) + 1);
    const counts = new Map<string, number>();
    for (const next of element.children) {
      const count = (counts.get(next.name) ?? 0) + 1;
      counts.set(next.name, count);
      places.set(next, `${place}/${next.name}${totals.get(next.name) === 1 ? "" : `[${count}]`}`);
    }
  }
  return places;
}
