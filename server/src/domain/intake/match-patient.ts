import { type PatientRecord, plainName, searchKeys } from "../patients/patient-record.ts";
import type { IncomingPatient } from "./incoming-message.ts";

/**
 * Matches an incoming patient. Two independent facts must agree for a match. A merely likely match creates a new
 * patient, and a person reviews it. This code never merges patients.
 */
export type Candidate = {
  patient_id: string;
  record: PatientRecord;
  /** The prescriber's system gave this patient the ID in the message. */
  same_id: boolean;
};

export type PatientMatch = {
  /** The matched patient; null if there is none. */
  patient_id: string | null;
  score: number;
  /** The reasons, from the table below. */
  reasons: MatchReason[];
  /** Other candidates that a person should compare, best first. */
  doubtful: { patient_id: string; score: number; reasons: MatchReason[] }[];
};

/** The score of each agreement. 100 or more is a match. */
export const matchReasons = {
  same_id: [60, "The prescriber's system uses the same id for both."],
  same_last_name: [20, "The last names match."],
  same_first_name: [20, "The first names match."],
  same_dob: [30, "The dates of birth match."],
  same_zip: [30, "The ZIP codes match."],
  same_phone: [30, "The phone numbers match."],
  same_email: [30, "The email addresses match."],
  other_last_name: [-60, "The last names differ."],
  other_first_name: [-60, "The first names differ, as for twins."],
  other_gender: [-20, "The genders differ."],
  other_dob: [-120, "The dates of birth differ."],
} as const satisfies Record<string, readonly [number, string]>;
type MatchReason = keyof typeof matchReasons;

export const CERTAIN = 100;
/** Below this, two people only share a household or a name. */
const WORTH_A_LOOK = 50;
const MOST_DOUBTFUL = 5;

export function matchPatient(incoming: IncomingPatient, candidates: readonly Candidate[]): PatientMatch {
  const scored = candidates
    .map(({ patient_id, record, same_id }) => ({ patient_id, ...compare(incoming, record, same_id) }))
    .sort((a, b) => b.score - a.score || (a.patient_id < b.patient_id ? -1 : 1));
  const [best, second] = scored;
  const others = scored.filter(({ score, reasons }) => score >= WORTH_A_LOOK || reasons.includes("same_id"));
  if (best === undefined || best.score < CERTAIN) {
    return {
      patient_id: null,
      score: best?.score ?? 0,
      reasons: best?.reasons ?? [],
      doubtful: others.slice(0, MOST_DOUBTFUL),
    };
  }
  // Two candidates match equally well: uses one of them and reports the other to a person.
  const twins = second !== undefined && second.score >= CERTAIN;
  return {
    patient_id: best.patient_id,
    score: best.score,
    reasons: best.reasons,
    doubtful: twins ? others.filter(({ patient_id }) => patient_id !== best.patient_id).slice(0, MOST_DOUBTFUL) : [],
  };
}

function compare(incoming: IncomingPatient, record: PatientRecord, same_id: boolean) {
  const zips = new Set(record.addresses.map(({ zip }) => zip.slice(0, 5)));
  const zip = incoming.address?.zip?.slice(0, 5);
  const agree: Record<MatchReason, boolean> = {
    same_id,
    same_last_name: sameName(incoming.last_name, record.last_name),
    same_first_name: sameName(incoming.first_name, record.first_name),
    same_dob: incoming.dob === record.dob,
    same_zip: zip !== undefined && zips.has(zip),
    same_phone: same(incoming.phone, record.phone, searchKeys.phone),
    same_email: same(incoming.email, record.email, searchKeys.email),
    other_last_name: incoming.last_name !== null && !sameName(incoming.last_name, record.last_name),
    other_first_name: incoming.first_name !== null && !sameName(incoming.first_name, record.first_name),
    other_gender: isKnown(incoming.gender) && isKnown(record.gender) && incoming.gender !== record.gender,
    other_dob: incoming.dob !== null && incoming.dob !== record.dob,
  };
  const reasons = (Object.keys(matchReasons) as MatchReason[]).filter((reason) => agree[reason]);
  return { reasons, score: reasons.reduce((sum, reason) => sum + matchReasons[reason][0], 0) };
}

const isKnown = (gender: string | null) => gender !== null && gender !== "U";

const sameName = (a: string | null, b: string) => a !== null && plainName(a) !== "" && plainName(a) === plainName(b);

const same = (a: string | null, b: string | null, key: (text: string) => string) =>
  a !== null && b !== null && key(a) !== "" && key(a) === key(b);
