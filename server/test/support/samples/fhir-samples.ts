import type {
  IncomingMessage,
  IncomingPrescription,
  ReadMessage,
} from "../../../src/domain/intake/incoming-message.ts";
import { readFhir } from "../../../src/formats/fhir/read.ts";
import { type FhirEnvelope, writeFhir } from "../../../src/formats/fhir/write.ts";

/** Invented people and drugs, and the Bundles that a prescriber's system would build from them. */

// biome-ignore lint/suspicious/noExplicitAny: a fixture is reached into wherever a test wants to spoil it.
export type Loose = any;

export const envelope: FhirEnvelope = {
  from: "https://ehr.fernhill-clinic.example",
  to: "9900017",
  message_id: "https://fernhill-clinic.example/messages|m-20261102-01",
  sent_time: "2026-11-02T15:04:05.000Z",
  prescriber_order_number: "FH-88121",
  test_message: false,
};

/** A sample with every element that R4 allows. */
export const prescription: IncomingPrescription = {
  patient: {
    ids: [
      { kind: "medical_record", value: "FH-004417" },
      { kind: "account", value: "A-99812" },
    ],
    last_name: "Brannigan",
    first_name: "Odalys",
    middle_name: "June",
    suffix: "Jr.",
    dob: "1984-03-09",
    gender: "F",
    address: {
      street1: "418 Alder Court",
      street2: "Apt 6",
      city: "Sacramento",
      state: "CA",
      zip: "95814-1204",
      country: "US",
    },
    phone: "9165550142",
    email: "odalys.brannigan@mail.example",
    medications: ["Finasteride 1 mg tablet"],
    health_conditions: ["Essential hypertension"],
  },
  prescriber: {
    last_name: "Lindqvist",
    first_name: "Teodora",
    practice: "Fernhill Clinic",
    npi: "1234567893",
    dea: "FL1234563",
    state_license: "CA-A77120",
    phone: "9165550199",
    fax: "9165550198",
    address: {
      street1: "12 Fernhill Road",
      street2: null,
      city: "Sacramento",
      state: "CA",
      zip: "95816",
      country: "US",
    },
  },
  drug: {
    description: "Zolpidem 5 mg tablet",
    codes: [
      { system: "ndc", code: "70999080130" },
      { system: "rxnorm", code: "854876" },
    ],
    strength: null,
    schedule: "4",
  },
  quantity: { value: 30, unit: "tablet" },
  days_supply: 30,
  refills: 2,
  daw: true,
  sig_text: "Take one tablet by mouth at bedtime.",
  note: "Call before the first shipment.",
  diagnoses: [{ code: "G47.00", system: "icd10cm", description: "Insomnia, unspecified" }],
  allergies: [
    { text: "Penicillin", codes: [{ system: "rxnorm", code: "70618" }], reaction: "Hives", severity: "moderate" },
  ],
  written_date: "2026-11-02",
  effective_date: "2026-11-03",
  expiration_date: "2027-05-02",
  signature_evidence: true,
  prior_authorization: "PA-5521",
  fill_indicator: null,
  order_group: { number: "visit-311", item: null, total: null },
};

export function bundle(): Loose {
  return writeFhir(prescription, envelope);
}

/** The one resource of that type in a Bundle. */
export function the(type: string, within: Loose): Loose {
  return within.entry.find((entry: Loose) => entry.resource.resourceType === type).resource;
}

/** The sample Bundle, damaged. */
export function bundleWith(spoil: (request: Loose, bundle: Loose) => void): Loose {
  const spoilt = structuredClone(bundle());
  spoil(the("MedicationRequest", spoilt), spoilt);
  return spoilt;
}

export function add(to: Loose, ...resources: Loose[]): void {
  for (const resource of resources) to.entry.push({ resource });
}

export function read(json: unknown, ncpdp_id: string | null = null): ReadMessage {
  return readFhir(bytesOf(json), ncpdp_id);
}

export function bytesOf(json: unknown): Uint8Array {
  return new TextEncoder().encode(typeof json === "string" ? json : JSON.stringify(json));
}

export function message(json: unknown, ncpdp_id: string | null = null): IncomingMessage {
  const result = read(json, ncpdp_id);
  if (!result.ok) throw new Error(`refused with ${result.refusal.description_code}`);
  return result.message;
}

export function prescriptionIn(json: unknown): IncomingPrescription {
  const { content } = message(json);
  if (content.kind !== "new") throw new Error(`a ${content.kind}`);
  return content.prescription;
}

export function warningsIn(json: unknown): string[] {
  const result = read(json);
  return (result.ok ? result.message.warnings : result.warnings).map(({ code }) => code);
}

type Entry = { fullUrl?: string; resource: Loose };

/** The ways in which one resource can reference another. Each turns a Bundle into an equivalent one. */
export const referenceStyles: Record<string, (bundle: Loose) => Loose> = {
  "relative, entries at addresses": (bundle) => bundle,
  "relative, entries without addresses": (bundle) => restyled(bundle, { url: () => undefined }),
  "relative, entries at UUIDs, resources with ids": (bundle) => restyled(bundle, { url: uuid }),
  "relative, to a version": (bundle) =>
    restyled(bundle, { reference: ({ resource }) => `${path(resource)}/_history/3` }),
  "absolute addresses": (bundle) => restyled(bundle, { reference: ({ fullUrl }) => String(fullUrl) }),
  "absolute addresses of entries that have none": (bundle) =>
    restyled(bundle, { url: () => undefined, reference: ({ fullUrl }) => String(fullUrl) }),
  "urn:uuid": (bundle) => restyled(bundle, { url: uuid, reference: uuid, keepIds: false }),
  "urn:uuid in another case": (bundle) =>
    restyled(bundle, { url: uuid, reference: (entry) => uuid(entry).toUpperCase().replace("URN:UUID", "urn:uuid") }),
  "type and UUID of entries without ids": (bundle) =>
    restyled(bundle, {
      url: uuid,
      reference: (entry) => `${entry.resource.resourceType}/${uuid(entry).slice(9)}`,
      keepIds: false,
    }),
  "by a search for an identifier": (bundle) =>
    identified(bundle, ({ resource }) => ({
      reference: `${resource.resourceType}?identifier=${encodeURIComponent(`urn:fernhill|${resource.id}`)}`,
    })),
  "by an identifier alone": (bundle) =>
    identified(bundle, ({ resource }) => ({ identifier: { system: "urn:fernhill", value: resource.id } })),
};

/** One MedicationRequest that contains everything else, without what only a Bundle can hold. */
export function contained(from: Loose): Loose {
  const entries: Entry[] = structuredClone(from).entry;
  const byPath = new Map(entries.map((entry) => [path(entry.resource), entry]));
  for (const { resource } of entries) {
    repoint(resource, byPath, ({ resource: target }) => ({
      reference: target.resourceType === "MedicationRequest" ? "#" : `#${target.id}`,
    }));
  }
  const [request, ...others] = entries.map(({ resource }) => resource);
  return { ...request, contained: others };
}

function restyled(
  from: Loose,
  style: { url?: (entry: Entry) => string | undefined; reference?: (entry: Entry) => string; keepIds?: boolean },
): Loose {
  const to = structuredClone(from);
  const byPath = new Map<string, Entry>(from.entry.map((entry: Entry) => [path(entry.resource), entry]));
  for (const entry of to.entry) {
    if (style.reference) repoint(entry.resource, byPath, (target) => ({ reference: style.reference?.(target) }));
  }
  for (const [index, entry] of to.entry.entries()) {
    if (style.url) entry.fullUrl = style.url(from.entry[index]);
    if (style.keepIds === false) delete entry.resource.id;
  }
  return to;
}

/** Gives each resource a former identifier, which identifies nothing. */
function identified(from: Loose, reference: (entry: Entry) => Loose): Loose {
  const to = structuredClone(from);
  const byPath = new Map<string, Entry>(from.entry.map((entry: Entry) => [path(entry.resource), entry]));
  for (const { resource } of to.entry) {
    repoint(resource, byPath, reference);
    const mark = { use: "old", system: "urn:fernhill", value: resource.id };
    resource.identifier = [...(resource.identifier ?? []), mark];
  }
  return to;
}

function repoint(node: Loose, byPath: Map<string, Entry>, reference: (entry: Entry) => Loose): void {
  if (typeof node !== "object" || node === null) return;
  const target = byPath.get(node.reference);
  if (target !== undefined) {
    delete node.reference;
    Object.assign(node, reference(target));
  }
  for (const part of Object.values(node)) repoint(part, byPath, reference);
}

function path(resource: Loose): string {
  return `${resource.resourceType}/${resource.id}`;
}

/** The same for the same resource, another for another. */
function uuid({ resource }: Entry): string {
  const digits = Array.from(path(resource), (char) => char.charCodeAt(0).toString(16)).join("");
  const hex = digits.slice(-32).padStart(32, "0");
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return `urn:uuid:${parts.join("-")}`;
}
