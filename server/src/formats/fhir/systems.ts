import type { DrugCode, PatientIdKind } from "../../domain/intake/incoming-message.ts";

/**
 * The names under which senders file identifiers and codes. One thing has several: the standard's, its OID, and what
 * guides and vendors made up. The first of each is the one we write ourselves.
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

/** HL7 table 0203, which types identifiers whose system is the sender's own. */
export const IDENTIFIER_TYPES = "http://terminology.hl7.org/CodeSystem/v2-0203";

export const identifierTypes = {
  npi: ["NPI"],
  dea: ["DEA"],
  /** State licence, licence, medical licence. */
  state_license: ["SL", "LN", "MD"],
  /** The prescriber's own number of an order. */
  placer: ["PLAC"],
} as const;

/** Best first. A type that is not listed is `other`. */
export const patientIdTypes: readonly { code: string; kind: PatientIdKind }[] = [
  { code: "MR", kind: "medical_record" },
  { code: "AN", kind: "account" },
  { code: "U", kind: "mutually_defined" },
];

/** `unknown` stays apart from `other`: nobody turns a missing answer into one. */
export const genders = [
  { code: "male", gender: "M" },
  { code: "female", gender: "F" },
  { code: "other", gender: "N" },
  { code: "unknown", gender: "U" },
] as const;

/** Numbers of the state and of payers: not the prescriber system's own, and not ours to keep as an id. */
export const foreignPatientIds = {
  types: ["SS", "SB", "DL", "PPN", "TAX", "MA", "MB", "MC", "NI", "PRC"],
  systems: ["http://hl7.org/fhir/sid/us-ssn", "urn:oid:2.16.840.1.113883.4.1", "http://hl7.org/fhir/sid/us-mbi"],
} as const;

export const drugCodeSystems: Record<Exclude<DrugCode["system"], "other">, readonly string[]> = {
  ndc: ["http://hl7.org/fhir/sid/ndc", "urn:oid:2.16.840.1.113883.6.69"],
  rxnorm: ["http://www.nlm.nih.gov/research/umls/rxnorm", "urn:oid:2.16.840.1.113883.6.88"],
  snomed: ["http://snomed.info/sct", "urn:oid:2.16.840.1.113883.6.96"],
  upc: ["urn:oid:2.16.840.1.113883.6.55"],
  // The owner of these codes has published no name for them.
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

/** Senders disagree about the case of these names. */
export function isSystem(name: string | null, names: readonly string[]): boolean {
  if (name === null) return false;
  const wanted = name.toLowerCase();
  return names.some((known) => known.toLowerCase() === wanted);
}

/** The NCI's thesaurus, whose codes SCRIPT uses too. */
export const NCI = "http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl";

/** Under which a DEA schedule may be coded: the NCI's codes, and HL7 table 0477. */
export const scheduleSystems = [
  NCI,
  "http://terminology.hl7.org/CodeSystem/v2-0477",
  "urn:oid:2.16.840.1.113883.3.26.1.1",
  "http://terminology.hl7.org/CodeSystem/DEADrugSchedule",
] as const;

/** Diagnoses, best first, under the names both readers use. */
export const reasonSystems = [
  { system: "icd10cm", names: ["http://hl7.org/fhir/sid/icd-10-cm", "urn:oid:2.16.840.1.113883.6.90"] },
  { system: "snomed", names: ["http://snomed.info/sct", "urn:oid:2.16.840.1.113883.6.96"] },
] as const;
