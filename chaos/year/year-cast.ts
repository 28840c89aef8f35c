import { products as cast } from "../../server/src/seed/cast.ts";

/** A drug that patients take all year, as prescribers write it. */
export type Drug = {
  sku: string;
  written_qty: number;
  days_supply: number;
  /** The most refills that a prescriber writes. */
  most_refills: number;
  unit: string;
  sig_text: string;
  shipping: { method_id: number; signature_confirmation: boolean };
  only_men?: true;
};

const DAILY = "Take 1 tablet by mouth once daily";
const STANDARD = { method_id: 1, signature_confirmation: false };
const tablets = (sku: string, days_supply: number, more: Partial<Drug> = {}): Drug => ({
  sku,
  written_qty: days_supply,
  days_supply,
  most_refills: 11,
  unit: "tablet",
  sig_text: DAILY,
  shipping: STANDARD,
  ...more,
});

/** Drugs with and without back orders, one with a cold chain, and one of schedule 4. Several are there twice: patients take them often. */
export const drugs: readonly Drug[] = [
  tablets("atorvastatin-20", 30),
  tablets("atorvastatin-20", 90, { most_refills: 3 }),
  tablets("sertraline-50", 30),
  tablets("sertraline-50", 60, { most_refills: 5 }),
  tablets("minoxidil-2-5", 30),
  tablets("minoxidil-2-5", 30),
  tablets("finasteride-1", 30, { only_men: true }),
  tablets("zolpidem-5", 30, { most_refills: 5, shipping: { method_id: 1, signature_confirmation: true } }),
  {
    ...tablets("semaglutide-pen", 28),
    written_qty: 3,
    unit: "milliliter",
    sig_text: "Inject 0.5 mg under the skin once weekly",
    shipping: { method_id: 4, signature_confirmation: false },
  },
];

/** No schedule may order it. */
export const scheduleTwo: Drug = tablets("dextroamphetamine-10", 30, { most_refills: 0 });

/** Shelves that run empty during the year. Only the first takes back orders. */
export const scarce = ["minoxidil-2-5", "atorvastatin-20", "sertraline-50"] as const;

export const productOf = (sku: string) => cast.find((product) => product.sku === sku)!;

/** How the street decides the end of a parcel in the sandbox. */
export const streets = { delivered: "2210 Mission St", lost: "102 Mission St", returned: "106 Mission St" } as const;

/** How patients pay. The simulated card processor declines the last two, at once and at the capture. */
export const payments = [
  { payer: "partner" },
  { payer: "partner" },
  { payer: "patient", token: "tok_visa" },
  { payer: "patient", token: "tok_visa" },
  { payer: "patient", token: "tok_declined" },
  { payer: "patient", token: "tok_declined_at_capture" },
] as const;
