import type { Address, DrugSchedule } from "@pestle/contract";
import { addMonths } from "../values/calendar.ts";

/** The contents of parcel documents and labels, as plain data. Dates are in the pharmacy's time zone. */

/** The pharmacy's details that labels and reports must show. */
export type PharmacyFacts = {
  name: string;
  street: string;
  city: string;
  state: string;
  zip: string;
  phone: string;
  npi: string;
  dea: string;
  ncpdp_id: string;
};

type PharmacySettings = Readonly<Record<`PHARMACY_${Uppercase<keyof PharmacyFacts>}`, string>>;

export const pharmacyFacts = (settings: PharmacySettings): PharmacyFacts => ({
  name: settings.PHARMACY_NAME,
  street: settings.PHARMACY_STREET,
  city: settings.PHARMACY_CITY,
  state: settings.PHARMACY_STATE,
  zip: settings.PHARMACY_ZIP,
  phone: settings.PHARMACY_PHONE,
  npi: settings.PHARMACY_NPI,
  dea: settings.PHARMACY_DEA,
  ncpdp_id: settings.PHARMACY_NCPDP_ID,
});

/** Documents of the sandbox name drugs and addresses like real ones, so each of their pages carries a large VOID. */
type Marked = { sandbox: boolean };

/** One filled prescription, for its label and leaflet. */
export type DispensedItem = Marked & {
  prescription_id: number;
  dispense_id: number;
  order_number: string;
  filled_date: string;
  patient: { first_name: string; last_name: string };
  drug_name: string;
  ndc: string;
  /** How the prescription names the drug or its package, if it differs from the dispensed one. */
  prescribed_as: string | null;
  ingredients: readonly string[];
  drug_schedule: DrugSchedule;
  cold_chain: boolean;
  lot: string;
  lot_expires_on: string;
  sig_text: string;
  /** Packages, and the units in one. */
  quantity: number;
  package_size: number;
  unit: string | null;
  days_supply: number | null;
  refills_left: number;
  prescriber_name: string;
};

export type ShippingLabel = Marked & {
  tracking_no: string;
  carrier: string;
  service: string;
  signature_confirmation: boolean;
  from: PharmacyFacts;
  to: Address;
  /** The partner's reference of the order. It never reveals the contents. */
  reference: string | null;
  ship_date: string;
  weight_oz?: number;
};

export type PackingSlip = Marked & {
  order_number: string;
  reference: string | null;
  /** The brand it ships under; null means the pharmacy's own name. */
  brand_name: string | null;
  ship_date: string;
  carrier: string;
  service: string;
  tracking_no: string;
  to: Address;
  items: readonly PackedItem[];
};

/** A table of rows for an inspector. Days are dates; `made_at` is a time as people read it. */
export type PrintedReport = Marked & {
  title: string;
  from: string;
  to: string;
  made_at: string;
  date: string;
  /** `width`: the share of the page. */
  columns: readonly { title: string; width: number }[];
  rows: readonly (readonly string[])[];
};

type PackedItem = {
  name: string;
  ndc: string | null;
  quantity: number;
  package_size: number | null;
  lot: string | null;
  lot_expires_on: string | null;
};

/** USPS sorts by a ZIP code in the parcel barcode. Null: the barcode has only the tracking number. */
export function sortedByZip({ carrier, tracking_no, to }: Pick<ShippingLabel, "carrier" | "tracking_no" | "to">) {
  const zip5 = /^\d{5}/.exec(to.zip)?.[0];
  return carrier.toUpperCase() === "USPS" && /^9\d{21}$/.test(tracking_no) ? (zip5 ?? null) : null;
}

/** The barcode of a prescription label: the fill and its NDC. */
export const dispenseCode = ({ dispense_id, ndc }: Pick<DispensedItem, "dispense_id" | "ndc">) =>
  `${dispense_id}-${ndc}`;

/** A drug outside its package keeps for a year, and never longer than its lot. */
export function discardAfter({ filled_date, lot_expires_on }: Pick<DispensedItem, "filled_date" | "lot_expires_on">) {
  const year_later = addMonths(filled_date, 12);
  return lot_expires_on < year_later ? lot_expires_on : year_later;
}

/** 30 x 3 is 90. Rounds, so that 0.1 x 3 is not 0.30000000000000004. */
export const unitsOf = ({ quantity, package_size }: Pick<DispensedItem, "quantity" | "package_size">) =>
  Math.round(quantity * package_size * 1000) / 1000;

/** 11 digits with dashes, as people compare them: 70999-0101-30. */
export const dashedNdc = (ndc: string) => ndc.replace(/^(\d{5})(\d{4})(\d{2})$/, "$1-$2-$3");

/** Ten digits as people dial them. Leaves other values unchanged. */
export const dialled = (phone: string) => phone.replace(/^(\d{3})(\d{3})(\d{4})$/, "($1) $2-$3");

/** Month first, as American readers expect. */
export const americanDate = (date: string) => date.replace(/^(\d{4})-(\d{2})-(\d{2})$/, "$2/$3/$1");

/** The lines of an address without the name. Skips empty lines. */
export const addressLines = ({ street1, street2, city, state, zip }: Omit<Address, "first_name" | "last_name">) => [
  street1,
  ...(street2 === null || street2.trim() === "" ? [] : [street2]),
  `${city}, ${state} ${zip}`,
];
