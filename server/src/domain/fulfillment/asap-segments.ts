import type { documentTypes, genders, payers } from "@pestle/contract";
import type { PatientRecord, StoredDocument } from "../patients/patient-record.ts";
import type { QuantityUnit } from "../values/quantity-units.ts";
import type { PharmacyFacts } from "./documents.ts";

/** A field's number is its position: PAT07 is the seventh of PAT. `most` is its maximum length. */
export type Field<Row> = {
  id: string;
  name: string;
  most: number;
  /** State programs reject a record without it. */
  required?: true;
  value: (row: Row) => string | number | null;
};

/** ASAP qualifiers of identity documents, by our types. */
export const documentQualifiers: Record<(typeof documentTypes)[number], string> = {
  MI: "01",
  SI: "02",
  PR: "04",
  PP: "05",
  DL: "06",
  TI: "08",
  OT: "99",
};

const genderCodes: Record<(typeof genders)[number], string> = { M: "M", F: "F", N: "U" };
const statusCodes: Record<DispensedRecord["reporting_status"], string> = { new: "00", revised: "01", void: "02" };
/** Pestle does not bill insurance: the patient pays, or a third party. */
const paymentCodes: Record<(typeof payers)[number], string> = { patient: "01", partner: "99" };
const unitCodes: Partial<Record<QuantityUnit, string>> = { milliliter: "02", gram: "03" };
const EACH = "01";
const NDC = "01";
const ELECTRONIC = "05";
const HUMAN = "01";
const THE_PATIENT = "01";
const PICKING_UP = "02";
const LONGEST_LICENSE = 10;
/** Documents that no state issued: federal or foreign. */
const OTHER_JURISDICTION = "99";

const unused = <Row>(id: string, name: string): Field<Row> => ({ id, name, most: 0, value: () => null });

export const TH: readonly Field<AsapHeader>[] = [
  { id: "TH01", name: "Version", most: 4, required: true, value: () => "4.2B" },
  { id: "TH02", name: "Transaction control number", most: 40, required: true, value: (row) => row.control_number },
  { id: "TH03", name: "Transaction type: send", most: 2, required: true, value: () => "01" },
  unused("TH04", "Response id"),
  { id: "TH05", name: "Creation date", most: 8, required: true, value: (row) => date(row.created_date) },
  {
    id: "TH06",
    name: "Creation time",
    most: 6,
    required: true,
    value: (row) => row.created_time.replaceAll(":", "").slice(0, 6),
  },
  { id: "TH07", name: "File type", most: 1, required: true, value: (row) => (row.test ? "T" : "P") },
  unused("TH08", "Routing number"),
  // TH09 is the segment terminator. The writer of the segment adds it.
];

export const IS: readonly Field<AsapHeader>[] = [
  { id: "IS01", name: "Information source id", most: 10, required: true, value: ({ pharmacy }) => pharmacy.npi },
  { id: "IS02", name: "Information source", most: 60, required: true, value: ({ pharmacy }) => pharmacy.name },
  {
    id: "IS03",
    name: "Message: the days of a report of nothing",
    most: 60,
    value: ({ period }) => period && `#${date(period.from)}#-#${date(period.to)}#`,
  },
];

export const PHA: readonly Field<AsapHeader>[] = [
  { id: "PHA01", name: "NPI", most: 10, value: ({ pharmacy }) => pharmacy.npi },
  { id: "PHA02", name: "NCPDP id", most: 7, value: ({ pharmacy }) => pharmacy.ncpdp_id },
  { id: "PHA03", name: "DEA number", most: 9, required: true, value: ({ pharmacy }) => pharmacy.dea },
  { id: "PHA04", name: "Name", most: 60, value: ({ pharmacy }) => pharmacy.name },
  { id: "PHA05", name: "Address 1", most: 55, value: ({ pharmacy }) => pharmacy.street },
  unused("PHA06", "Address 2"),
  { id: "PHA07", name: "City", most: 35, value: ({ pharmacy }) => pharmacy.city },
  { id: "PHA08", name: "State", most: 10, value: ({ pharmacy }) => pharmacy.state },
  { id: "PHA09", name: "ZIP code", most: 9, value: ({ pharmacy }) => digits(pharmacy.zip) },
  { id: "PHA10", name: "Phone", most: 10, value: ({ pharmacy }) => phone(pharmacy.phone) },
];

export const PAT: readonly Field<DispensedRecord>[] = [
  { id: "PAT01", name: "Id: issued by", most: 2, value: ({ document }) => document && jurisdiction(document) },
  {
    id: "PAT02",
    name: "Id qualifier",
    most: 2,
    value: ({ document }) => document && documentQualifiers[document.type],
  },
  { id: "PAT03", name: "Id", most: 20, value: ({ document }) => document?.number ?? null },
  unused("PAT04", "Additional id: issued by"),
  unused("PAT05", "Additional id qualifier"),
  unused("PAT06", "Additional id"),
  { id: "PAT07", name: "Last name", most: 50, required: true, value: ({ patient }) => patient.last_name },
  { id: "PAT08", name: "First name", most: 50, required: true, value: ({ patient }) => patient.first_name },
  { id: "PAT09", name: "Middle name", most: 50, value: ({ patient }) => patient.middle_name },
  unused("PAT10", "Name prefix"),
  { id: "PAT11", name: "Name suffix", most: 10, value: ({ patient }) => patient.suffix },
  { id: "PAT12", name: "Address 1", most: 55, required: true, value: ({ address }) => address.street1 },
  { id: "PAT13", name: "Address 2", most: 55, value: ({ address }) => address.street2 },
  { id: "PAT14", name: "City", most: 35, required: true, value: ({ address }) => address.city },
  { id: "PAT15", name: "State", most: 10, required: true, value: ({ address }) => address.state },
  { id: "PAT16", name: "ZIP code", most: 9, required: true, value: ({ address }) => digits(address.zip) },
  { id: "PAT17", name: "Phone", most: 10, value: ({ patient }) => patient.phone && phone(patient.phone) },
  { id: "PAT18", name: "Date of birth", most: 8, required: true, value: ({ patient }) => date(patient.dob) },
  {
    id: "PAT19",
    name: "Gender",
    most: 1,
    required: true,
    value: ({ patient: { gender } }) => (gender === null ? "U" : genderCodes[gender]),
  },
  { id: "PAT20", name: "Species", most: 2, value: () => HUMAN },
];

export const DSP: readonly Field<DispensedRecord>[] = [
  { id: "DSP01", name: "Reporting status", most: 2, required: true, value: (row) => statusCodes[row.reporting_status] },
  { id: "DSP02", name: "Prescription number", most: 25, required: true, value: (row) => row.prescription_id },
  { id: "DSP03", name: "Date written", most: 8, required: true, value: (row) => date(row.written_date) },
  { id: "DSP04", name: "Refills authorized", most: 2, required: true, value: (row) => Math.min(row.refills, 99) },
  { id: "DSP05", name: "Date filled", most: 8, required: true, value: (row) => date(row.filled_date) },
  { id: "DSP06", name: "Refill number", most: 2, required: true, value: (row) => Math.min(row.refill_number, 99) },
  { id: "DSP07", name: "Product id qualifier", most: 2, required: true, value: () => NDC },
  { id: "DSP08", name: "Product id", most: 15, required: true, value: (row) => digits(row.ndc) },
  { id: "DSP09", name: "Quantity dispensed", most: 11, required: true, value: (row) => decimal(row.units) },
  { id: "DSP10", name: "Days supply", most: 3, required: true, value: (row) => row.days_supply },
  {
    id: "DSP11",
    name: "Dosage unit",
    most: 2,
    required: true,
    value: (row) => unitCodes[row.unit as QuantityUnit] ?? EACH,
  },
  { id: "DSP12", name: "How the prescription came", most: 2, value: () => ELECTRONIC },
  // 00: a whole fill; 01: the first part; 02: the second.
  {
    id: "DSP13",
    name: "Partial fill",
    most: 2,
    value: (row) => String(Math.min(row.partial, 99)).padStart(2, "0"),
  },
  { id: "DSP14", name: "Pharmacist NPI", most: 10, value: (row) => row.pharmacist_npi },
  {
    id: "DSP15",
    name: "Pharmacist state license",
    most: LONGEST_LICENSE,
    // The first characters of a longer number are another number.
    value: ({ pharmacist_license: number }) => (number !== null && number.length <= LONGEST_LICENSE ? number : null),
  },
  { id: "DSP16", name: "Payment type", most: 2, required: true, value: (row) => paymentCodes[row.payer] },
  { id: "DSP17", name: "Date sold", most: 8, value: (row) => row.sold_date && date(row.sold_date) },
  unused("DSP18", "RxNorm qualifier"),
  unused("DSP19", "RxNorm code"),
  unused("DSP20", "Electronic prescription reference number"),
  unused("DSP21", "Electronic prescription order number"),
  { id: "DSP22", name: "Quantity prescribed", most: 11, value: (row) => decimal(row.written_qty) },
  { id: "DSP23", name: "Directions", most: 200, value: (row) => row.sig_text },
];

export const PRE: readonly Field<DispensedRecord>[] = [
  { id: "PRE01", name: "NPI", most: 10, value: (row) => row.prescriber_npi },
  {
    id: "PRE02",
    name: "DEA number",
    most: 9,
    required: true,
    value: (row) => row.prescriber_dea?.split("-")[0] ?? null,
  },
  { id: "PRE03", name: "DEA suffix", most: 7, value: (row) => row.prescriber_dea?.split("-")[1] ?? null },
  unused("PRE04", "State licence"),
  { id: "PRE05", name: "Last name", most: 50, required: true, value: (row) => nameParts(row.prescriber_name).last },
  { id: "PRE06", name: "First name", most: 50, value: (row) => nameParts(row.prescriber_name).first },
  unused("PRE07", "Middle name"),
  { id: "PRE08", name: "Phone", most: 10, value: (row) => row.prescriber_phone && phone(row.prescriber_phone) },
];

/** The person who showed a document to receive the drug. Omitted without a document. */
export const AIR: readonly Field<DispensedRecord>[] = [
  unused("AIR01", "State of the prescription form"),
  unused("AIR02", "Serial number of the prescription form"),
  { id: "AIR03", name: "Id: issued by", most: 2, value: ({ document }) => document && jurisdiction(document) },
  {
    id: "AIR04",
    name: "Id qualifier",
    most: 2,
    value: ({ document }) => document && documentQualifiers[document.type],
  },
  { id: "AIR05", name: "Id", most: 20, value: ({ document }) => document?.number ?? null },
  { id: "AIR06", name: "Relationship", most: 2, value: () => THE_PATIENT },
  { id: "AIR07", name: "Last name", most: 50, value: ({ patient }) => patient.last_name },
  { id: "AIR08", name: "First name", most: 50, value: ({ patient }) => patient.first_name },
  unused("AIR09", "Pharmacist's last name"),
  unused("AIR10", "Pharmacist's first name"),
  { id: "AIR11", name: "Dropping off or picking up", most: 2, value: () => PICKING_UP },
];

const date = (text: string) => text.replaceAll("-", "");
const digits = (text: string) => text.replaceAll(/\D/g, "");
const phone = (text: string) => digits(text).slice(-10);
const decimal = (value: number) => Math.round(value * 1000) / 1000;

function jurisdiction({ issuing_country, issuing_state }: NonNullable<DispensedRecord["document"]>): string {
  if (issuing_country !== "US") return OTHER_JURISDICTION;
  return issuing_state ?? "US";
}

/** Prescriber names are stored as one string. Treats the last word as the last name. */
function nameParts(name: string): { first: string; last: string } {
  const words = name.trim().split(/\s+/);
  return { first: words.slice(0, -1).join(" "), last: words.at(-1) ?? "" };
}

export type AsapHeader = {
  /** The sender's unique number of this report. */
  control_number: string;
  /** `YYYY-MM-DD` and `HH:MM:SS` in the pharmacy's time zone. */
  created_date: string;
  created_time: string;
  test: boolean;
  pharmacy: PharmacyFacts;
  /** First and last reported day. Sent in a zero report. */
  period: { from: string; to: string } | null;
};

/** One fill of a controlled substance. Dates are in the pharmacy's time zone. */
export type DispensedRecord = {
  reporting_status: "new" | "revised" | "void";
  patient: Pick<PatientRecord, "first_name" | "last_name" | "middle_name" | "suffix" | "dob" | "gender" | "phone">;
  address: { street1: string; street2: string | null; city: string; state: string; zip: string };
  document: Pick<StoredDocument, "type" | "issuing_country" | "issuing_state" | "number"> | null;
  prescription_id: number;
  written_date: string;
  /** Authorized refills, and the number of this one: 0 is the first fill. */
  refills: number;
  refill_number: number;
  /** The number of this part of a partial fill; 0 for a whole fill. */
  partial: number;
  filled_date: string;
  /** The day it shipped. */
  sold_date: string | null;
  ndc: string;
  units: number;
  unit: string | null;
  days_supply: number | null;
  written_qty: number;
  sig_text: string;
  payer: (typeof payers)[number];
  prescriber_name: string;
  prescriber_npi: string | null;
  prescriber_dea: string | null;
  prescriber_phone: string | null;
  /** Of the pharmacist who checked the product. */
  pharmacist_npi: string | null;
  pharmacist_license: string | null;
};
