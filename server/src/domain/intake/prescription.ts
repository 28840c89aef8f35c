import type { DrugSchedule, Product } from "@pestle/contract";
import { scheduleByName, strictest } from "../catalogue/controlled-drugs.ts";
import { addDays, addMonths, dateIn, startOfDay } from "../values/calendar.ts";
import { deaPasses, normaliseNdc } from "../values/identifiers.ts";
import type { IncomingPrescription } from "./incoming-message.ts";
import type { WarningCode } from "./intake-warnings.ts";
import { strengthsIn } from "./strengths.ts";

/** A stored prescription, after the rules were applied to the received data. */
export type Prescription = {
  prescriber_name: string;
  prescriber_phone: string | null;
  prescriber_fax: string | null;
  prescriber_npi: string | null;
  prescriber_dea: string | null;
  received_at: Date;
  /** The first instant at which it can no longer be filled. */
  expires_at: Date;
  written_date: string;
  effective_date: string;
  drug_name: string;
  ndc: string | null;
  gcn: string | null;
  sig_text: string;
  written_qty: number;
  unit: string | null;
  days_supply: number | null;
  refills: number;
  drug_schedule: DrugSchedule;
  daw: boolean;
  /** Why a pharmacist must accept it before it can be filled; empty if no acceptance is needed. */
  acceptance_reasons: AcceptanceReason[];
};

/** Why a prescription needs a pharmacist's acceptance. */
export const acceptanceReasons = {
  signature_missing: "The controlled prescription has no evidence of a signature.",
  dea_missing: "The controlled prescription has no DEA number.",
  dea_checksum: "The prescriber's DEA number fails its check digit.",
  written_date_missing: "The controlled prescription has no date of issue, so its time limits cannot be computed.",
  written_date_future: "The controlled prescription is dated after the day it arrived.",
  quantity_zero: "The quantity is zero.",
  do_not_fill: "The prescriber asks not to fill it yet.",
  compound: "It is a compound, and the formulary cannot check its ingredients.",
  schedule_one: "The message names a schedule that cannot be dispensed.",
  allergy_unreadable: "An allergy in the message has neither a text nor a code.",
  weight_unreadable: "The patient's body weight in the message is not possible, or its unit is unknown.",
  safety_facts_left_out:
    "An allergy, medication or condition in the message does not fit the patient's record. Read the message.",
  drug_differs_from_ndc:
    "The written drug or strength differs from the drug of the NDC. Ask the prescriber which is meant.",
} as const;
export type AcceptanceReason = keyof typeof acceptanceReasons;

const CONTROLLED_MONTHS = 6;
const MOST_REFILLS: Record<DrugSchedule, number> = { "0": 99, "2": 0, "3": 5, "4": 5, "5": 5 };
/** "As needed": the largest value of the field, until the prescription expires. */
const PRN_REFILLS = 99;
const LONGEST_SIG = 1_000;
/** Warnings that a pharmacist must decide on. */
const READER_DOUBTS = [
  "do_not_fill",
  "compound",
  "schedule_one",
  "allergy_unreadable",
  "weight_unreadable",
  "safety_facts_left_out",
] as const satisfies readonly WarningCode[];

export type PrescriptionRules = {
  time_zone: string;
  /** Months until a prescription for a drug that is not controlled expires. */
  expiry_months: number;
  /** The same, for states with their own rule. */
  expiry_months_by_state: Readonly<Record<string, number>>;
  /** Days until a schedule 2 prescription expires. Federal law sets no limit; most states do. */
  schedule_2_days: number;
  schedule_2_days_by_state: Readonly<Record<string, number>>;
};

/** The drug of the NDC, if the written drug is another one or has another strength; null proves nothing. */
export type OtherDrugOf = (written: string, ndc: string) => string | null;

export function decidePrescription(
  incoming: IncomingPrescription,
  formulary: readonly Pick<Product, "ndc" | "gcn" | "drug_schedule">[],
  rules: PrescriptionRules,
  now: Date,
  noticed: readonly WarningCode[] = [],
  otherDrugOf: OtherDrugOf = () => null,
): { prescription: Prescription; warnings: WarningCode[]; ndc_drug: string | null } {
  const warnings: WarningCode[] = [];
  const today = dateIn(rules.time_zone, now);
  const { drug, prescriber } = incoming;
  const { ndc, product, ambiguous } = identify(incoming, formulary);
  if (ambiguous) warnings.push("ndc_ambiguous");
  const drug_schedule = strictest([
    drug.schedule ?? "0",
    (product?.drug_schedule ?? "0") as DrugSchedule,
    scheduleByName(drug.description),
  ]);
  const controlled = drug_schedule !== "0";

  const written_date = incoming.written_date ?? today;
  if (written_date > today) warnings.push("written_date_future");
  const effective_date = later(incoming.effective_date ?? written_date, written_date);
  const lawful_day = earlier(
    addMonths(written_date, monthsOf(incoming, controlled, rules)),
    drug_schedule === "2" ? addDays(written_date, scheduleTwoDaysOf(incoming, rules)) : "9999-12-31",
  );
  const last_day = earlier(lawful_day, incoming.expiration_date ?? "9999-12-31");

  const asked = incoming.refills === "prn" ? PRN_REFILLS : (incoming.refills ?? 0);
  const refills = Math.min(asked, MOST_REFILLS[drug_schedule]);
  // "As needed" is always capped, so only an explicit number gets a warning.
  if (refills < asked && incoming.refills !== "prn") warnings.push("refills_capped");

  const acceptance_reasons: AcceptanceReason[] = [];
  const written_qty = incoming.quantity?.value ?? 0;
  if (written_qty === 0) acceptance_reasons.push("quantity_zero");
  if (controlled) {
    if (!incoming.signature_evidence) acceptance_reasons.push("signature_missing");
    if (prescriber.dea === null) acceptance_reasons.push("dea_missing");
    else if (!deaPasses(prescriber.dea)) acceptance_reasons.push("dea_checksum");
    if (incoming.written_date === null) acceptance_reasons.push("written_date_missing");
    else if (written_date > today) acceptance_reasons.push("written_date_future");
  }
  acceptance_reasons.push(...READER_DOUBTS.filter((doubt) => noticed.includes(doubt)));
  const ndc_drug = ndc === null ? null : otherDrugOf(writtenDrug(incoming), ndc);
  if (ndc_drug !== null) acceptance_reasons.push("drug_differs_from_ndc");
  const sig_text = incoming.sig_text ?? "";
  if (sig_text.length > LONGEST_SIG) warnings.push("sig_long");
  if (sig_text.trim() === "" && !noticed.includes("sig_missing")) warnings.push("sig_missing");
  // Skips the reader's own warnings, which are already in the list.
  for (const reason of acceptance_reasons) {
    if (!noticed.includes(reason) && !warnings.includes(reason)) warnings.push(reason);
  }
  const lawful_end = startOfDay(rules.time_zone, addDays(lawful_day, 1));

  return {
    prescription: {
      prescriber_name: nameOf(prescriber),
      prescriber_phone: prescriber.phone,
      prescriber_fax: prescriber.fax,
      prescriber_npi: prescriber.npi,
      prescriber_dea: prescriber.dea,
      received_at: now,
      expires_at: startOfDay(rules.time_zone, addDays(last_day, 1)),
      written_date,
      effective_date,
      drug_name: drug.description,
      ndc,
      gcn: product?.gcn ?? gcnOf(incoming),
      sig_text,
      written_qty,
      unit: incoming.quantity?.unit ?? null,
      days_supply: incoming.days_supply,
      refills,
      drug_schedule,
      daw: incoming.daw,
      acceptance_reasons,
      ...incoming.exactly,
      // A simulation can choose an earlier end of a controlled prescription, but not a later one than the law allows.
      ...(controlled &&
        incoming.exactly?.expires_at !== undefined &&
        incoming.exactly.expires_at > lawful_end && { expires_at: lawful_end }),
    },
    warnings,
    ndc_drug,
  };
}

/** The description, with the strength if only its own field has it. */
export function writtenDrug({ drug: { description, strength } }: IncomingPrescription): string {
  return strength === null || strengthsIn(description).length > 0 ? description : `${description} ${strength}`;
}

/** Ten bare digits can mean three NDCs. Uses the formulary's, if exactly one matches. */
function identify<Known extends Pick<Product, "ndc">>(incoming: IncomingPrescription, formulary: readonly Known[]) {
  for (const { system, code } of incoming.drug.codes) {
    if (system !== "ndc") continue;
    const meant = normaliseNdc(code);
    const known = formulary.filter(({ ndc }) => ndc !== null && meant.includes(ndc));
    if (known.length === 1) return { ndc: known[0]!.ndc, product: known[0], ambiguous: meant.length > 1 };
    if (meant.length === 1) return { ndc: meant[0]!, product: undefined, ambiguous: false };
    if (meant.length > 1) return { ndc: null, product: undefined, ambiguous: true };
  }
  return { ndc: null, product: undefined, ambiguous: false };
}

const gcnOf = (incoming: IncomingPrescription) =>
  incoming.drug.codes.find(({ system }) => system === "gcn")?.code ?? null;

function monthsOf(incoming: IncomingPrescription, controlled: boolean, rules: PrescriptionRules): number {
  const state = incoming.patient.address?.state ?? "";
  const months = rules.expiry_months_by_state[state] ?? rules.expiry_months;
  return controlled ? Math.min(CONTROLLED_MONTHS, months) : months;
}

const scheduleTwoDaysOf = (incoming: IncomingPrescription, rules: PrescriptionRules): number =>
  rules.schedule_2_days_by_state[incoming.patient.address?.state ?? ""] ?? rules.schedule_2_days;

function nameOf({ first_name, last_name, practice }: IncomingPrescription["prescriber"]): string {
  return [first_name, last_name].filter((part) => part !== null).join(" ") || (practice ?? "");
}

const later = (a: string, b: string) => (a > b ? a : b);
const earlier = (a: string, b: string) => (a < b ? a : b);

/** Whole fills left after the current one (contract, Records). */
export function refillsLeft(row: { written_qty: number; refills: number; units_ordered: number }): number {
  if (row.written_qty === 0) return 0;
  const units_left = row.written_qty * (1 + row.refills) - row.units_ordered;
  return Math.max(0, Math.min(row.refills, Math.floor(units_left / row.written_qty)));
}

/** Parses the settings `IL=15,IA=18` (months) and `NY=30,WI=60` (days). */
export const numbersByState = (text: string): Record<string, number> =>
  Object.fromEntries(
    text
      .split(",")
      .filter((pair) => pair !== "")
      .map((pair) => [pair.slice(0, 2), Number(pair.slice(3))]),
  );
