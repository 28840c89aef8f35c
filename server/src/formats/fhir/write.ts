import type {
  DrugCode,
  Envelope,
  IncomingAddress,
  IncomingAllergy,
  IncomingPatient,
  IncomingPrescriber,
  IncomingPrescription,
} from "../../domain/intake/incoming-message.ts";
import { deaSchedules, quantityUnits } from "../../domain/values/quantity-units.ts";
import {
  drugCodeSystems,
  genders,
  IDENTIFIER_TYPES,
  identifierSystems,
  NCI,
  patientIdTypes,
  reasonSystems,
} from "./systems.ts";

type Json = Record<string, unknown>;

/** The envelope fields that a Bundle can carry. */
export type FhirEnvelope = Pick<
  Envelope,
  "from" | "to" | "message_id" | "sent_time" | "prescriber_order_number" | "test_message"
>;

/**
 * A prescription as a FHIR R4 Bundle, as a prescriber's system would send it; with another status, its cancellation.
 * Omits what R4 cannot express: the strength, "as needed" refills, an item's position in its group, and requested fill
 * notices.
 */
export function writeFhir(
  prescription: IncomingPrescription,
  envelope: FhirEnvelope,
  status: "active" | "cancelled" | "stopped" | "entered-in-error" = "active",
): Json {
  const { patient, prescriber, allergies } = prescription;
  const resources = [
    medicationRequest(prescription, envelope, status),
    patientResource(patient),
    ...prescriberResources(prescriber),
    ...(envelope.to === null ? [] : [pharmacy(envelope.to)]),
    ...(allergies === "unknown" ? [] : allergies === "none" ? [noAllergy] : allergies).map(allergyIntolerance),
    ...patient.medications.map(medicationStatement),
    ...patient.health_conditions.map(condition),
    ...(prescription.prior_authorization === null ? [] : [claimResponse(prescription.prior_authorization)]),
    ...(prescription.signature_evidence ? [provenance(prescription.written_date)] : []),
  ];
  return pruned({
    resourceType: "Bundle",
    meta: { source: envelope.from, tag: envelope.test_message ? [{ code: "HTEST" }] : null },
    identifier: identifierOf(envelope.message_id),
    type: "collection",
    timestamp: envelope.sent_time,
    entry: resources.map((resource) => ({
      fullUrl: `${BASE}/${resource.resourceType}/${resource.id}`,
      resource,
    })),
  }) as Json;
}

const BASE = "https://prescriber.example/fhir";
const subject = { reference: "Patient/patient" };

type Resource = Json & { resourceType: string; id: string };

function medicationRequest(rx: IncomingPrescription, envelope: FhirEnvelope, status: string): Resource {
  return {
    resourceType: "MedicationRequest",
    id: "prescription",
    extension: rx.drug.schedule === null ? null : [scheduleExtension(rx.drug.schedule)],
    identifier:
      envelope.prescriber_order_number === null
        ? null
        : [{ type: identifierType("PLAC"), value: envelope.prescriber_order_number }],
    status,
    intent: "order",
    medicationCodeableConcept: { coding: rx.drug.codes.map(drugCoding), text: rx.drug.description },
    subject,
    authoredOn: rx.written_date,
    requester: { reference: "PractitionerRole/role" },
    reasonCode: rx.diagnoses.map(({ code, system, description }) => ({
      coding: [{ system: reasonSystems.find((known) => known.system === system)?.names[0] ?? system, code }],
      text: description,
    })),
    groupIdentifier: { value: rx.order_group?.number },
    insurance: rx.prior_authorization === null ? null : [{ reference: "ClaimResponse/authorization" }],
    note: [{ text: rx.note }],
    dosageInstruction: [{ text: rx.sig_text }],
    dispenseRequest: {
      validityPeriod: { start: rx.effective_date, end: rx.expiration_date },
      numberOfRepeatsAllowed: rx.refills === "prn" ? null : rx.refills,
      quantity: rx.quantity === null ? null : { value: rx.quantity.value, ...unit(rx.quantity.unit) },
      expectedSupplyDuration:
        rx.days_supply === null
          ? null
          : { value: rx.days_supply, unit: "days", system: "http://unitsofmeasure.org", code: "d" },
      performer: envelope.to === null ? null : { reference: "Organization/pharmacy" },
    },
    substitution: { allowedBoolean: !rx.daw },
  };
}

function patientResource(patient: IncomingPatient): Resource {
  return {
    resourceType: "Patient",
    id: "patient",
    identifier: patient.ids.map(({ kind, value }) => ({
      type: identifierType(patientIdTypes.find((known) => known.kind === kind)?.code),
      value,
    })),
    name: [
      {
        use: "official",
        family: patient.last_name,
        given: [patient.first_name, patient.middle_name],
        suffix: [patient.suffix],
      },
    ],
    telecom: [telecom("phone", patient.phone), telecom("email", patient.email)],
    gender: genders.find(({ gender }) => gender === patient.gender)?.code,
    birthDate: patient.dob,
    address: [address(patient.address, "home")],
  };
}

function prescriberResources(prescriber: IncomingPrescriber): Resource[] {
  const practice: Resource = { resourceType: "Organization", id: "practice", name: prescriber.practice };
  return [
    {
      resourceType: "PractitionerRole",
      id: "role",
      practitioner: { reference: "Practitioner/prescriber" },
      organization: prescriber.practice === null ? null : { reference: "Organization/practice" },
    },
    ...(prescriber.practice === null ? [] : [practice]),
    {
      resourceType: "Practitioner",
      id: "prescriber",
      identifier: [
        prescriber.npi === null ? null : { system: identifierSystems.npi[0], value: prescriber.npi },
        prescriber.dea === null
          ? null
          : { type: identifierType("DEA"), system: identifierSystems.dea[0], value: prescriber.dea },
        prescriber.state_license === null ? null : { type: identifierType("SL"), value: prescriber.state_license },
      ],
      name: [{ family: prescriber.last_name, given: [prescriber.first_name] }],
      telecom: [telecom("phone", prescriber.phone), telecom("fax", prescriber.fax)],
      address: [address(prescriber.address, "work")],
    },
  ];
}

function pharmacy(ncpdp_id: string): Resource {
  const identifier = [{ system: identifierSystems.ncpdp[0], value: ncpdp_id }];
  return { resourceType: "Organization", id: "pharmacy", identifier };
}

const noAllergy: IncomingAllergy = {
  text: "No known allergy",
  codes: [{ system: "snomed", code: "716186003" }],
  reaction: null,
  severity: null,
};

function allergyIntolerance({ text, codes, reaction, severity }: IncomingAllergy, index: number): Resource {
  return {
    resourceType: "AllergyIntolerance",
    id: `allergy-${index + 1}`,
    clinicalStatus: { coding: [{ system: `${TERMINOLOGY}/allergyintolerance-clinical`, code: "active" }] },
    code: { coding: codes.map(drugCoding), text },
    patient: subject,
    reaction: [{ manifestation: [{ text: reaction }], severity }],
  };
}

function medicationStatement(text: string, index: number): Resource {
  const medicationCodeableConcept = { text };
  const id = `medication-${index + 1}`;
  return { resourceType: "MedicationStatement", id, status: "active", medicationCodeableConcept, subject };
}

function condition(text: string, index: number): Resource {
  const clinicalStatus = { coding: [{ system: `${TERMINOLOGY}/condition-clinical`, code: "active" }] };
  return { resourceType: "Condition", id: `condition-${index + 1}`, clinicalStatus, code: { text }, subject };
}

function claimResponse(preAuthRef: string): Resource {
  return {
    resourceType: "ClaimResponse",
    id: "authorization",
    status: "active",
    type: { coding: [{ system: `${TERMINOLOGY}/claim-type`, code: "pharmacy" }] },
    use: "preauthorization",
    patient: subject,
    outcome: "complete",
    preAuthRef,
  };
}

/** Placeholder bytes: the network verifies signatures before a message reaches us. */
function provenance(recorded: string | null): Resource {
  const who = { reference: "Practitioner/prescriber" };
  return {
    resourceType: "Provenance",
    id: "signature",
    target: [{ reference: "MedicationRequest/prescription" }],
    recorded: recorded === null ? null : `${recorded}T00:00:00Z`,
    agent: [{ who }],
    signature: [
      { type: [{ system: "urn:iso-astm:E1762-95:2013", code: "1.2.840.10065.1.12.1.1" }], who, data: "c2lnbmVk" },
    ],
  };
}

const TERMINOLOGY = "http://terminology.hl7.org/CodeSystem";

function identifierType(code: string | undefined) {
  return code === undefined ? null : { coding: [{ system: IDENTIFIER_TYPES, code }] };
}

/** Splits `system|value`, which the reader joins. */
function identifierOf(message_id: string | null) {
  if (message_id === null) return null;
  const bar = message_id.lastIndexOf("|");
  return bar === -1 ? { value: message_id } : { system: message_id.slice(0, bar), value: message_id.slice(bar + 1) };
}

function drugCoding({ system, code }: DrugCode) {
  return { system: system === "other" ? null : drugCodeSystems[system][0], code };
}

function scheduleExtension(schedule: string) {
  const code = Object.entries(deaSchedules).find(([, known]) => known === schedule)?.[0];
  return { url: "urn:pestle:dea-schedule", valueCodeableConcept: { coding: [{ system: NCI, code }] } };
}

function unit(name: string | null) {
  const code = Object.entries(quantityUnits).find(([, known]) => known === name)?.[0];
  return code === undefined ? {} : { unit: name, system: NCI, code };
}

function telecom(system: string, value: string | null) {
  return value === null ? null : { system, value };
}

function address(known: IncomingAddress | null, use: string) {
  if (known === null) return null;
  const { street1, street2, city, state, zip, country } = known;
  return { use, line: [street1, street2], city, state, postalCode: zip, country };
}

/** FHIR allows no nulls, empty lists or empty objects. */
function pruned(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(pruned).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (typeof value !== "object") return value;
  if (value === null) return undefined;
  const entries = Object.entries(value).flatMap(([name, part]) => {
    const kept = pruned(part);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
