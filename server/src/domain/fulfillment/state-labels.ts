/** What a label can say; `label-elements.ts` has the words. */
export type LabelElement =
  | "pharmacy_name"
  | "pharmacy_address"
  | "pharmacy_phone"
  | "pharmacy_license"
  | "pharmacy_dea"
  | "patient"
  | "drug"
  | "directions"
  | "purpose"
  | "rx_number"
  | "fill_date"
  | "first_fill_date"
  | "quantity"
  | "days_supply"
  | "refills"
  | "prescriber"
  | "pharmacist"
  | "discard_after"
  | "in_use_limit"
  | "generic_for"
  | "manufacturer"
  | "description"
  | "ndc"
  | "lot"
  | "lot_expiry"
  | "fill_number"
  | "prescribed_as"
  | "transfer_caution";

/**
 * What each state asks of a prescription label. `elements` are required if there is something to say, for instance a
 * manufacturer that we know. The table is a draft. We have not checked it
 * against each rule's text. Review it with your counsel before you print for patients.
 */
export type LabelRule = {
  /** Where the rule is written. */
  source: string;
  elements: readonly LabelElement[];
  /** Patient, drug, directions and purpose in this size or larger, together in this share of the label. */
  patient_centered?: { points: number; share: number };
};

/** 21 U.S.C. 353(b)(2), and what state boards ask for in common (NABP Model Rules). */
const COMMON: readonly LabelElement[] = [
  "pharmacy_name",
  "pharmacy_address",
  "pharmacy_phone",
  "rx_number",
  "fill_date",
  "prescriber",
  "patient",
  "drug",
  "quantity",
  "refills",
  "directions",
];

/** 21 CFR 1306.14 and 1306.24 for controlled substances, and the warning of 21 CFR 290.5. */
export const controlledElements: readonly LabelElement[] = [
  "pharmacy_name",
  "pharmacy_address",
  "rx_number",
  "fill_date",
  "first_fill_date",
  "patient",
  "prescriber",
  "directions",
  "transfer_caution",
];

const COMMON_RULE: LabelRule = { source: "21 U.S.C. 353(b)(2); NABP Model Rules", elements: COMMON };
const rule = (source: string, ...more: LabelElement[]): LabelRule => ({ source, elements: [...COMMON, ...more] });

const rules: Readonly<Record<string, LabelRule>> = {
  CA: {
    ...rule(
      "Cal. Bus. & Prof. Code 4076; 16 CCR 1707.5",
      ...(["manufacturer", "generic_for", "description", "discard_after", "purpose"] as const),
    ),
    patient_centered: { points: 12, share: 0.5 },
  },
  FL: rule("Fla. Admin. Code 64B16-28.108", "discard_after"),
  MA: rule("M.G.L. c. 94C s. 21", "pharmacist"),
  OR: rule("OAR 855-041-1130", "manufacturer", "description", "discard_after"),
  TX: rule("22 TAC 291.33(c)(7)", "pharmacist", "manufacturer", "generic_for", "discard_after"),
};

/** The rule of a state. Others than the listed ones ask for nothing more that we know of. */
export const labelRuleOf = (state: string | null): LabelRule =>
  (state === null ? COMMON_RULE : rules[state]) ?? COMMON_RULE;
