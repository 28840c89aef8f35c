import type { Content, Envelope, ReadMessage, ResponseKind } from "../../domain/intake/incoming-message.ts";
import { type DescriptionCode, refusalFor } from "../../domain/intake/intake-refusals.ts";
import { calendarDate } from "./dates.ts";
import { readDrugCodes } from "./drug.ts";
import { readEnvelope } from "./envelope.ts";
import { medication as medicationPaths, transaction as paths, response as responsePaths } from "./paths.ts";
import { readPatient } from "./patient.ts";
import { readPrescriber } from "./prescriber.ts";
import { type Parts, readPrescription } from "./prescription.ts";
import { Reading } from "./reading.ts";
import { versionOf } from "./version.ts";
import { readWeight } from "./weight.ts";
import { child, children, type ParsedXml, parseXml, type XmlElement } from "./xml.ts";

/** Reads an NCPDP SCRIPT message of any version, or returns a refusal with every problem. Throws for no input. */
export function readScript(bytes: Uint8Array): ReadMessage {
  return readTraced(bytes, new Reading()).outcome;
}

/** Also returns the root element, for callers that trace where each field came from. */
export function readTraced(bytes: Uint8Array, reading: Reading): { outcome: ReadMessage; root: XmlElement | null } {
  const message = openMessage(bytes, reading);
  if (typeof message === "string") return { outcome: refused(reading, message), root: null };
  return { outcome: readOpened(reading, message), root: message };
}

/** The transactions we accept. A Status, Error or Verify contains no prescription. */
const TRANSACTIONS = new Map<string, Content["kind"]>([
  ["NewRx", "new"],
  ["CancelRx", "cancel"],
  ["RxRenewalResponse", "renewal"],
  ["RefillResponse", "renewal"],
  ["RxChangeResponse", "change"],
]);

const RESPONSES = new Map<string, ResponseKind>([
  ["Approved", "approved"],
  ["ApprovedWithChanges", "approved_with_changes"],
  ["Replace", "replace"],
  ["Validated", "validated"],
  ["Denied", "denied"],
  ["DeniedNewPrescriptionToFollow", "denied_new_prescription_to_follow"],
  ["Pending", "pending"],
]);
const FILLABLE: readonly ResponseKind[] = ["approved", "approved_with_changes", "replace", "validated"];

const WHY: Record<Extract<ParsedXml, { ok: false }>["why"], DescriptionCode> = {
  encoding: "024",
  malformed: "024",
  forbidden: "023",
  too_large: "019",
  too_deep: "019",
  too_many: "019",
};

/** The Message element. Unwraps the `<string>` that some web services add, escaped or not. */
export function openMessage(bytes: Uint8Array, reading: Reading): XmlElement | DescriptionCode {
  const parsed = parseXml(bytes);
  if (!parsed.ok) return WHY[parsed.why];
  if (parsed.root.name !== "string") return parsed.root.name === "Message" ? parsed.root : "020";
  reading.warn("wrapped_message", parsed.root);
  const within = child(parsed.root, "Message");
  if (within !== null) return within;
  if (!parsed.root.text.startsWith("<")) return "020";
  const inner = parseXml(parsed.root.text);
  if (!inner.ok) return WHY[inner.why];
  return inner.root.name === "Message" ? inner.root : "020";
}

function readOpened(reading: Reading, message: XmlElement): ReadMessage {
  const version = versionOf(message);
  const found = transactionsOf(message);
  const transaction = found.length === 1 ? (found[0] as XmlElement) : null;
  const envelope = readEnvelope(reading, message, transaction, version?.version ?? null);
  if (version === null) return refused(reading, "021", envelope);
  if (version.doubt !== null) reading.warn(version.doubt, message);
  if (transaction === null) return refused(reading, found.length === 0 ? "035" : "019", envelope);
  const content = readContent(reading, child(message, "Header"), transaction, envelope);
  if (content === null || reading.problems.length > 0) return refused(reading, null, envelope);
  return { ok: true, message: { envelope, content, warnings: reading.warnings } };
}

/** Includes an empty `<NewRx/>`, which is a transaction without content. */
function transactionsOf(message: XmlElement): XmlElement[] {
  const bodies = message.children.filter(({ name }) => name === "Body");
  return bodies.flatMap((body) => body.children.filter(({ name }) => TRANSACTIONS.has(name)));
}

function readContent(
  reading: Reading,
  header: XmlElement | null,
  transaction: XmlElement,
  envelope: Envelope,
): Content | null {
  const kind = TRANSACTIONS.get(transaction.name) as Content["kind"];
  const medication = medicationOf(reading, transaction);
  const parts = { header, transaction, medication, ...peopleOf(reading, transaction, kind === "new") };
  if (kind === "new") return readNew(reading, parts);
  return kind === "cancel" ? readCancel(reading, parts, envelope) : readResponse(reading, kind, parts);
}

type Found = Omit<Parts, "medication"> & { medication: XmlElement | null };

/** A new prescription must name the patient, the prescriber and the medication. */
function readNew(reading: Reading, parts: Found): Content | null {
  const { patient, prescriber, medication } = parts;
  if (prescriber === null || (prescriber.last_name === null && prescriber.npi === null)) reading.refuse("203");
  if (patient === null) reading.refuse("204");
  else if (patient.last_name === null) reading.refuse("081");
  if (medication === null) reading.refuse("206");
  const prescription = medication === null ? null : readPrescription(reading, { ...parts, medication }, true);
  if (prescription === null || patient === null || prescriber === null) return null;
  return { kind: "new", prescription: { ...prescription, patient, prescriber } };
}

/** One human patient and one prescriber who is not a veterinarian. With two of either, we would have to guess. */
function peopleOf(reading: Reading, transaction: XmlElement, whole: boolean): Pick<Parts, "patient" | "prescriber"> {
  const patients = children(transaction, "Patient");
  const prescribers = children(transaction, "Prescriber");
  if (patients.length > 1) reading.refuse("181");
  if (prescribers.length > 1) reading.refuse("182");
  const [patient] = patients;
  const [prescriber] = prescribers;
  const animal = patient !== undefined && child(patient, "NonHumanPatient") !== null;
  const veterinary = prescriber !== undefined && child(prescriber, "Veterinarian") !== null;
  if (animal) reading.refuse("204");
  if (veterinary) reading.refuse("054");
  return {
    patient:
      patient === undefined || animal
        ? null
        : { ...readPatient(reading, patient, whole), ...readWeight(reading, transaction) },
    prescriber: prescriber === undefined ? null : readPrescriber(reading, prescriber, whole),
  };
}

/** A response can use its own element name. The standard allows one drug per message. */
function medicationOf(reading: Reading, transaction: XmlElement): XmlElement | null {
  for (const name of ["MedicationResponse", "MedicationPrescribed"]) {
    const found = children(transaction, name);
    if (found.length > 1) reading.refuse("179");
    if (found[0] !== undefined) return found[0];
  }
  return null;
}

/** A cancellation names its message or order, or else the patient and the drug. */
function readCancel(
  reading: Reading,
  { transaction, patient, prescriber, medication }: Found,
  envelope: Envelope,
): Content {
  const written = reading.hit(medication, medicationPaths.written_date, "written_date");
  const target = {
    patient,
    prescriber_npi: prescriber?.npi ?? null,
    drug_description: reading.text(medication, medicationPaths.description, "drug.description"),
    drug_codes: medication === null ? [] : readDrugCodes(reading, medication),
    written_date: written === null ? null : calendarDate(written.text),
  };
  if (written !== null && target.written_date === null) reading.warn("date_unreadable", written.element);
  if (envelope.relates_to_message_id === null && envelope.prescriber_order_number === null) {
    if (patient === null || patient.last_name === null) reading.refuse("204");
    if (target.drug_description === null && target.drug_codes.length === 0) reading.refuse("206");
  }
  const flag = reading.text(transaction, paths.status_flag, "discontinue");
  return { kind: "cancel", discontinue: flag?.toUpperCase() === "D", target };
}

function readResponse(reading: Reading, kind: "renewal" | "change", parts: Found): Content | null {
  // An empty <Approved/> is an answer, so keep empty elements here.
  const answers = parts.transaction.children
    .filter(({ name }) => name === "Response")
    .flatMap((element) => element.children.filter(({ name }) => RESPONSES.has(name)));
  const [answer] = answers;
  if (answer === undefined || answers.length > 1) {
    reading.refuse("201");
    return null;
  }
  const response = RESPONSES.get(answer.name) as ResponseKind;
  const { medication } = parts;
  if (response === "replace" && medication === null) reading.refuse("206");
  const fillable = medication !== null && FILLABLE.includes(response);
  return {
    kind,
    response,
    reason_codes: responsePaths.reasons.flatMap((name) =>
      children(answer, name).flatMap((element) => reading.own(element, "reason_codes") ?? []),
    ),
    note: reading.text(answer, responsePaths.note, "response.note"),
    prescription: fillable ? readPrescription(reading, { ...parts, medication }, false) : null,
  };
}

/** Envelope problems first, then content problems, then the one that stopped the reader. */
function refused(reading: Reading, last: DescriptionCode | null, envelope: Envelope | null = null): ReadMessage {
  if (last !== null) reading.refuse(last);
  const [first, ...also] = reading.problems as [DescriptionCode, ...DescriptionCode[]];
  return { ok: false, refusal: refusalFor(first, ...also), envelope, warnings: reading.warnings };
}
