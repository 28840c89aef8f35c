import type { ReadMessage } from "../../domain/incoming-message.ts";
import { type DescriptionCode, intakeRefusals } from "../../domain/intake-refusals.ts";
import { intakeWarnings, type WarningCode } from "../../domain/intake-warnings.ts";
import { readTraced } from "./read.ts";
import { type Found, Reading } from "./reading.ts";
import type { XmlElement } from "./xml.ts";

/** What was made of a message, field by field, for whoever has to find out why. It shows what the message says. */
export interface Explanation {
  outcome: ReadMessage;
  fields: { field: string; path: string; text: string }[];
  /** What a new prescription should have: where it was looked for, and what comes of its absence. */
  missing: { field: string; path: string; sentence: string }[];
  /** Elements with a text that nothing was made of. */
  unread: string[];
}

export function findFields(bytes: Uint8Array): Explanation {
  const reading = new Reading(true);
  const { outcome, root } = readTraced(bytes, reading);
  const found = reading.found ?? [];
  const content = !outcome.ok && reading.problems.some((code) => ENDS.includes(code)) ? null : root;
  return {
    outcome,
    fields: found.map((hit) => ({ field: hit.field, path: placeOf(hit), text: hit.text })),
    missing: content === null ? [] : missingFrom(content, found),
    unread: content === null ? [] : unreadIn(content, new Set(found.map(({ element }) => element))),
  };
}

/** After these nothing more was read, so nothing can be said to be missing. */
const ENDS: readonly DescriptionCode[] = ["019", "021", "035"];

/** Every field of a new prescription that its absence is worth a word about. */
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
  ["sig_text", "MedicationPrescribed/Sig/SigText", "138"],
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

function placeOf({ element, attribute }: Found): string {
  return attribute === null ? numberedPath(element) : `${numberedPath(element)}/@${attribute}`;
}

/** Names from the root down, with a number where there are several of a name. */
function numberedPath(element: XmlElement): string {
  if (element.parent === null) return element.name;
  const same = element.parent.children.filter(({ name }) => name === element.name);
  const number = same.length > 1 ? `[${same.indexOf(element) + 1}]` : "";
  return `${numberedPath(element.parent)}/${element.name}${number}`;
}

function unreadIn(element: XmlElement, read: ReadonlySet<XmlElement>): string[] {
  const own = element.text !== "" && !read.has(element) ? [numberedPath(element)] : [];
  return [...own, ...element.children.flatMap((next) => unreadIn(next, read))];
}
