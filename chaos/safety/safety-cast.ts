import type { DrugSchedule, StaffRole } from "@pestle/contract";
import { products as cast } from "../../server/src/seed/cast.ts";

type Product = (typeof cast)[number];

const SIZES = [10, 21, 30, 60, 90];

const drug = (
  sku: string,
  name: string,
  ingredient: string,
  number: number,
  drug_schedule: DrugSchedule = "0",
): Product => ({
  ...cast[0]!,
  sku,
  name,
  ndc: `70999${number}30`,
  gcn: `9${number}`,
  ingredients: [ingredient],
  drug_schedule,
  package_sizes: SIZES,
  written_quantities: SIZES,
  max_units: 360,
});

/** Drugs that interact, that patients are allergic to, one of each schedule, and one that no table knows. */
export const products: readonly Product[] = [
  drug("sertraline-50", "Sertraline 50 mg tablet", "sertraline", 2001),
  drug("phenelzine-15", "Phenelzine 15 mg tablet", "phenelzine", 2002),
  drug("amoxicillin-500", "Amoxicillin 500 mg capsule", "amoxicillin", 2003),
  drug("sildenafil-50", "Sildenafil 50 mg tablet", "sildenafil", 2004),
  drug("zolpidem-5", "Zolpidem 5 mg tablet", "zolpidem", 2005, "4"),
  drug("dextroamphetamine-10", "Dextroamphetamine 10 mg tablet", "dextroamphetamine", 2006, "2"),
  drug("buprenorphine-8", "Buprenorphine 8 mg tablet", "buprenorphine", 2007, "3"),
  drug("pregabalin-75", "Pregabalin 75 mg capsule", "pregabalin", 2008, "5"),
  drug("warfarin-5", "Warfarin 5 mg tablet", "warfarin", 2009),
  drug("lisinopril-10", "Lisinopril 10 mg tablet", "lisinopril", 2010),
  drug("methotrexate-2-5", "Methotrexate 2.5 mg tablet", "methotrexate", 2011),
  drug("zorvexamide-10", "Zorvexamide 10 mg tablet", "zorvexamide", 2012),
];
export const productOf = (sku: string): Product => products.find((product) => product.sku === sku)!;

const ONCE = "Take 1 tablet by mouth once daily";

export type Written = {
  sku: string;
  written_qty: number;
  refills: number;
  days_supply: number;
  sig_text: string;
  /** Days between the date of issue and the start of the story. */
  days_old: number;
};

/** The prescriptions that every patient begins with. Two end soon, one contradicts itself, one is taken too often. */
export const written: readonly Written[] = [
  { sku: "sertraline-50", written_qty: 30, refills: 2, days_supply: 30, sig_text: ONCE, days_old: 0 },
  { sku: "phenelzine-15", written_qty: 30, refills: 0, days_supply: 30, sig_text: ONCE, days_old: 0 },
  {
    sku: "amoxicillin-500",
    written_qty: 21,
    refills: 1,
    days_supply: 7,
    sig_text: "Take 1 capsule by mouth three times daily",
    days_old: 0,
  },
  { sku: "sildenafil-50", written_qty: 10, refills: 2, days_supply: 10, sig_text: ONCE, days_old: 0 },
  { sku: "zolpidem-5", written_qty: 30, refills: 5, days_supply: 30, sig_text: ONCE, days_old: 150 },
  { sku: "dextroamphetamine-10", written_qty: 60, refills: 0, days_supply: 60, sig_text: ONCE, days_old: 10 },
  { sku: "buprenorphine-8", written_qty: 30, refills: 1, days_supply: 30, sig_text: ONCE, days_old: 0 },
  { sku: "pregabalin-75", written_qty: 30, refills: 5, days_supply: 30, sig_text: ONCE, days_old: 0 },
  { sku: "warfarin-5", written_qty: 30, refills: 11, days_supply: 30, sig_text: ONCE, days_old: 340 },
  {
    sku: "lisinopril-10",
    written_qty: 30,
    refills: 1,
    days_supply: 30,
    sig_text: "Take 2 tablets by mouth twice daily",
    days_old: 0,
  },
  { sku: "methotrexate-2-5", written_qty: 30, refills: 0, days_supply: 30, sig_text: ONCE, days_old: 0 },
  { sku: "zorvexamide-10", written_qty: 30, refills: 0, days_supply: 30, sig_text: ONCE, days_old: 0 },
];

/** The statements of patients, partners, prescribers and staff, with some that no table understands. */
export const texts = {
  allergy: ["penicillin", "Amoxicillin", "PCN", "NKDA", "peanuts", "zzqqx spray", "sulfa"],
  medication: [
    "nitroglycerin",
    "NTG prn",
    "phenelzine",
    "tramadol 50 mg",
    "ibuprofen",
    "St John's wort",
    "oxycodone",
    "none",
    "blorvitane",
    "potassium chloride",
  ],
  condition: ["pregnant", "asthma", "history of seizures", "none", "opioid use disorder", "qwxyz syndrome"],
} as const;

/** Birth date and sex decide some of the findings. */
export const persons = [
  { dob: "1987-02-28", gender: "F" },
  { dob: "1941-06-01", gender: "M" },
  { dob: "2018-03-05", gender: "F" },
] as const;

type StaffMember = { role: StaffRole; license: { number: string; days_left: number } | null };

/** Days are counted from the start of a story. */
export const staff = {
  tess: { role: "technician", license: null },
  phil: { role: "pharmacist", license: { number: "RPH-1", days_left: 9_000 } },
  paula: { role: "pharmacist", license: { number: "RPH-2", days_left: 9_000 } },
  lena: { role: "lead", license: { number: "RPH-3", days_left: 9_000 } },
  /** The license ends during many stories. */
  luke: { role: "pharmacist", license: { number: "RPH-4", days_left: 2 } },
  pete: { role: "pharmacist", license: { number: "RPH-5", days_left: -30 } },
  nora: { role: "pharmacist", license: null },
  /** An admin is not a pharmacist, with or without a license. */
  amos: { role: "admin", license: { number: "RPH-6", days_left: 9_000 } },
} as const satisfies Record<string, StaffMember>;
export type StaffName = keyof typeof staff;
export const staffNames = Object.keys(staff) as StaffName[];
export const emailOf = (name: StaffName) => `${name}@campaign.example`;
