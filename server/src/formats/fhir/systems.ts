import type { DrugCode, PatientIdKind } from "../../domain/intake/incoming-message.ts";

/**
 * The system URIs senders use for identifiers and codes. Each has several: the standard's, its OID, and variants from
 * guides and vendors. We write the first of each list.
 */
export const identifierSystems = {
  npi: ["http://hl7.org/fhir/sid/us-npi", "urn:oid:2.16.840.1.113883.4.6"],
  dea: [
    "http://terminology.hl7.org/NamingSystem/USDEANumber",
    "urn:oid:2.16.840.1.113883.4.814",
    "http://hl7.org/fhir/sid/us-dea",
  ],
  ncpdp: [
    "http://terminology.hl7.org/NamingSystem/NCPDPProviderIdentificationNumber",
    "http://terminology.hl7.org/CodeSystem/NCPDPProviderIdentificationNumber",
    "http://hl7.org/fhir/us/carin-rtpbc/NamingSystem/rtpbc-NamingSystem-ncpdp-provider-id",
    "http://hl7.org/fhir/sid/ncpdp",
  ],
} as const;

/** HL7 table 0203: types of identifiers whose system is the sender's own. */
export const IDENTIFIER_TYPES = "http://terminology.hl7.org/CodeSystem/v2-0203";

export const identifierTypes = {
  npi: ["NPI"],
  dea: ["DEA"],
  /** State license, license, medical license. */
  state_license: ["SL", "LN", "MD"],
  /** The prescriber's own order number. */
  placer: ["PLAC"],
} as const;

/** In order of preference. An unlisted type is `other`. */
export const patientIdTypes: readonly { code: string; kind: PatientIdKind }[] = [
  { code: "MR", kind: "medical_record" },
  { code: "AN", kind: "account" },
  { code: "U", kind: "mutually_defined" },
];

/** `unknown` differs from `other`: a missing answer is not an answer. */
export const genders = [
  { code: "male", gender: "M" },
  { code: "female", gender: "F" },
  { code: "other", gender: "N" },
  { code: "unknown", gender: "U" },
] as const;

/** Government and payer numbers: not the prescriber system's own, so we do not store them as ids. */
export const foreignPatientIds = {
  types: ["SS", "SB", "DL", "PPN", "TAX", "MA", "MB", "MC", "NI", "PRC"],
  systems: ["http://hl7.org/fhir/sid/us-ssn", "urn:oid:2.16.840.1.113883.4.1", "http://hl7.org/fhir/sid/us-mbi"],
} as const;

export const drugCodeSystems: Record<Exclude<DrugCode["system"], "other">, readonly string[]> = {
  ndc: ["http://hl7.org/fhir/sid/ndc", "urn:oid:2.16.840.1.113883.6.69"],
  rxnorm: ["http://www.nlm.nih.gov/research/umls/rxnorm", "urn:oid:2.16.840.1.113883.6.88"],
  snomed: ["http://snomed.info/sct", "urn:oid:2.16.840.1.113883.6.96"],
  upc: ["urn:oid:2.16.840.1.113883.6.55"],
  // The owner of these codes has not published a system URI.
  gcn: ["urn:pestle:gcn"],
};

const drugSystemByName = new Map(
  Object.entries(drugCodeSystems).flatMap(([system, names]) =>
    names.map((name) => [name.toLowerCase(), system as DrugCode["system"]] as const),
  ),
);

export function drugSystem(name: string | null): DrugCode["system"] {
  return (name === null ? undefined : drugSystemByName.get(name.toLowerCase())) ?? "other";
}

/** Compares without case, because senders vary it. */
export function isSystem(name: string | null, names: readonly string[]): boolean {
  if (name === null) return false;
  const wanted = name.toLowerCase();
  return names.some((known) => known.toLowerCase() === wanted);
}

/** The NCI Thesaurus, whose codes SCRIPT also uses. */
export const NCI = "http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl";

/** Systems that can code a DEA schedule: the NCI Thesaurus and HL7 table 0477. */
export const scheduleSystems = [
  NCI,
  "http://terminology.hl7.org/CodeSystem/v2-0477",
  "urn:oid:2.16.840.1.113883.3.26.1.1",
  "http://terminology.hl7.org/CodeSystem/DEADrugSchedule",
] as const;

/** Diagnosis code systems in order of preference, under the names both readers use. */
export const reasonSystems = [
  { system: "icd10cm", names: ["http://hl7.org/fhir/sid/icd-10-cm", "urn:oid:2.16.840.1.113883.6.90"] },
  { system: "snomed", names: ["http://snomed.info/sct", "urn:oid:2.16.840.1.113883.6.96"] },
] as const;
