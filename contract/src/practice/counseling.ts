import type { Environment } from "../endpoints/oauth.ts";

/**
 * What a state asks of a pharmacy that mails a prescription into it. `fills`: the fills that need an offer of counseling.
 * `by_mail`: whether an offer in the parcel, with a phone number, is enough, or the pharmacist has to call. A state without a
 * row follows the federal rule. The table is a draft and no legal advice. We have not checked
 * each row against the rule's present text. Review it with your counsel.
 */
export type CounselingRule = {
  readonly fills: "new" | "every";
  readonly by_mail: "written" | "call";
  readonly says: string;
  readonly source: string;
};

export const federalCounseling: CounselingRule = {
  fills: "new",
  by_mail: "written",
  says: "The pharmacist offers to discuss a new prescription. A patient who refuses needs no counseling.",
  source:
    "OBRA '90, 42 USC 1396r-8(g)(2)(A)(ii); 42 CFR 456.705(c). Written for Medicaid; most states ask it for everyone.",
};

export const counselingRules: Readonly<Record<string, CounselingRule>> = {
  CA: {
    fills: "new",
    by_mail: "written",
    says: "A mailed prescription carries a notice of the right to a consultation, with the phone number and its hours. A pharmacist answers six days and 40 hours a week.",
    source: "16 CCR 1707.2(a) and (b)(1)",
  },
  FL: {
    fills: "new",
    by_mail: "written",
    says: "An offer for a prescription that is not handed over at the pharmacy is written, and names a toll-free number of a pharmacist.",
    source: "Fla. Admin. Code 64B16-27.820",
  },
  ID: {
    fills: "new",
    by_mail: "call",
    says: "A new medication needs counseling itself, not only the offer, unless the patient refuses it.",
    source: "Idaho Code 54-1731A(5)",
  },
  MA: {
    fills: "new",
    by_mail: "written",
    says: "For a prescription that is delivered elsewhere, a toll-free number of a pharmacist on the container is enough.",
    source: "M.G.L. c. 94C s. 21A",
  },
  NC: {
    fills: "new",
    by_mail: "call",
    says: "For a prescription that is delivered outside of the pharmacy, the pharmacy makes the offer in person or by phone.",
    source: "21 NCAC 46 .2504",
  },
  OH: {
    fills: "every",
    by_mail: "written",
    says: "New prescriptions and refills need an offer. If the patient is not present, the offer is made by phone, or in writing with the number and hours of a pharmacist.",
    source: "Ohio Adm. Code 4729:5-5-09 (before: 4729-5-22)",
  },
  SD: {
    fills: "new",
    by_mail: "written",
    says: "A nonresident pharmacy sends a written offer to consult, and has a toll-free number six days and 40 hours a week.",
    source: "SDCL 36-11-19.8",
  },
  TX: {
    fills: "new",
    by_mail: "written",
    says: "A delivered prescription carries written information and the phone number of a pharmacist, in English and Spanish.",
    source: "22 TAC 291.33(c)(1)",
  },
};

/** The rule of the state that an order ships to. */
export const counselingRuleOf = (state: string | null): CounselingRule =>
  (state !== null && Object.hasOwn(counselingRules, state) ? counselingRules[state] : undefined) ?? federalCounseling;

const statesWith = (test: (rule: CounselingRule) => boolean): string[] =>
  Object.keys(counselingRules).filter((state) => test(counselingRules[state]!));
/** The states where an offer in the parcel is not enough. */
export const callStates = statesWith(({ by_mail }) => by_mail === "call");
/** The states that ask for an offer with refills too. */
export const everyFillStates = statesWith(({ fills }) => fills === "every");

export const counselingWays = {
  phone: "By phone",
  video: "By video",
  in_person: "In person",
  written: "In writing",
} as const;
export type CounselingWay = keyof typeof counselingWays;
export const counselingWayNames = Object.keys(counselingWays) as [CounselingWay, ...CounselingWay[]];

/** What a pharmacist records about a fill, and the ways in which it can happen. Counseling itself is spoken. */
export const counselingOutcomes = {
  no_answer: { name: "No answer", ways: ["phone", "video"] },
  offered: { name: "Offered, not decided", ways: ["phone", "video", "in_person", "written"] },
  given: { name: "Accepted and given", ways: ["phone", "video", "in_person"] },
  refused: { name: "Refused", ways: ["phone", "video", "in_person", "written"] },
} as const satisfies Record<string, { name: string; ways: readonly CounselingWay[] }>;
export type CounselingOutcome = keyof typeof counselingOutcomes;
export const counselingOutcomeNames = Object.keys(counselingOutcomes) as [CounselingOutcome, ...CounselingOutcome[]];
/** After one of these, the fill needs nothing more. */
export const finalOutcomes = ["given", "refused"] as const satisfies readonly CounselingOutcome[];

/** Where a fill is. `offered`: in the parcel, or by a pharmacist; the patient can still accept. */
export const counselingStates = { to_call: "To call", offered: "Offered", done: "Recorded" } as const;
export type CounselingState = keyof typeof counselingStates;
export const counselingStateNames = Object.keys(counselingStates) as [CounselingState, ...CounselingState[]];

/** Where a fill is, by the outcomes that are recorded for it. A written offer counts from the shipment on. */
export function counselingStateOf(rule: CounselingRule, outcomes: readonly CounselingOutcome[]): CounselingState {
  if (outcomes.some((one) => (finalOutcomes as readonly string[]).includes(one))) return "done";
  return rule.by_mail === "written" || outcomes.includes("offered") ? "offered" : "to_call";
}

/** The call list looks back this far. Older fills are in the counseling report. */
export const COUNSELING_DAYS = 30;
/** Entries for one fill. */
export const MOST_COUNSELING_ENTRIES = 20;

export type CounselingEntry = {
  entry_number: number;
  at: string;
  outcome: CounselingOutcome;
  how: CounselingWay;
  who: string;
  /** The reveal shows it. */
  has_note: boolean;
};

/** A shipped fill that a state's rule asks an offer for. */
export type CounselingFill = {
  account_id: string;
  partner: string;
  environment: Environment;
  order_number: string;
  item_id: number;
  prescription_id: number;
  patient_initials: string;
  drug_name: string;
  ship_state: string | null;
  shipped_at: string;
  state: CounselingState;
  rule: Pick<CounselingRule, "by_mail" | "says" | "source">;
  /** Newest first. */
  entries: CounselingEntry[];
};

/** GET /dashboard/counseling?show=&environment=&cursor=&limit=. `to_call` and `offered` oldest first, `done` newest first. */
export type DashboardCounseling = { fills: CounselingFill[]; next: string | null };

/** POST …/reveal, without a body. The server audits who asked. */
export type RevealedCounseling = {
  first_name: string;
  last_name: string;
  dob: string;
  phone: string | null;
  /** Of the entries that have one. */
  notes: { entry_number: number; note: string }[];
};

/**
 * POST /dashboard/counseling/{account_id}/{order_number}/{item_id}, by a licensed pharmacist. `entries`: how many the pharmacist
 * saw; if there are more, the server returns 409 with key `stale`. Returns the fill.
 */
export type CounselingRequest = {
  outcome: CounselingOutcome;
  how: CounselingWay;
  note?: string;
  entries: number;
};
