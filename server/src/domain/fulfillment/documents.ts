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
  /** Empty: not printed. */
  license: string;
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
  license: settings.PHARMACY_LICENSE,
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
  /** When the prescription was first filled; null on the first fill. */
  first_filled_date: string | null;
  /** Of the person who checked the product; null before that. */
  pharmacist_name: string | null;
  /** What the prescription says it is for. */
  purpose: string | null;
  /** Where the parcel goes: its state can ask for more on the label. */
  state: string | null;
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

/** A text of a document that others wrote, and what a person calls it. */
export type PrintedText = { field: string; text: string };

const named = (texts: Readonly<Record<string, string | null>>): PrintedText[] =>
  Object.entries(texts).flatMap(([field, text]) => (text === null ? [] : [{ field, text }]));

export const textsOfPharmacy = ({ name, street, city }: PharmacyFacts): PrintedText[] =>
  named({
    "the setting PHARMACY_NAME": name,
    "the setting PHARMACY_STREET": street,
    "the setting PHARMACY_CITY": city,
  });

export const textsOfItem = (item: DispensedItem): PrintedText[] =>
  named({
    "the patient's first name": item.patient.first_name,
    "the patient's last name": item.patient.last_name,
    "the directions": item.sig_text,
    "the product's name": item.drug_name,
    "the name of the prescribed drug": item.prescribed_as,
    "the prescriber's name": item.prescriber_name,
    "the lot": item.lot,
    "the unit": item.unit,
    "the purpose on the prescription": item.purpose,
    "the pharmacist's name": item.pharmacist_name,
  });

const textsOfAddress = ({ first_name, last_name, street1, street2, city }: Address): PrintedText[] =>
  named({
    "the recipient's first name": first_name,
    "the recipient's last name": last_name,
    "the street of the address": street1,
    "the second line of the address": street2,
    "the city of the address": city,
  });

export const textsOfParcel = ({
  to,
  reference,
  carrier,
  service,
}: Omit<ShippingLabel, "tracking_no">): PrintedText[] => [
  ...textsOfAddress(to),
  ...named({ "the order's reference": reference, "the carrier's name": carrier, "the carrier's service": service }),
];

export const textsOfSlip = ({ brand_name, items, ...slip }: PackingSlip): PrintedText[] => [
  ...named({ "the brand's name": brand_name }),
  ...textsOfAddress(slip.to),
  ...named({ "the order's reference": slip.reference, "the carrier's name": slip.carrier }),
  ...named({ "the carrier's service": slip.service }),
  ...items.flatMap(({ name, lot }) => named({ "an item's name": name, "an item's lot": lot })),
];

/** Says which character of which text no font has, so that a person can correct it. */
export const unprintableSentence = ({ field }: PrintedText, char: string): string =>
  `Pestle has no font for the character "${char}" (U+${codeOf(char)}) in ${field}, so it cannot print this document. Correct the text first.`;

const codeOf = (char: string) => char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
