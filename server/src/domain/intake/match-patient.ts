import { type PatientRecord, plainName, searchKeys } from "../patients/patient-record.ts";
import type { IncomingPatient } from "./incoming-message.ts";

/**
 * Who an incoming patient is. A match is made only where two independent things agree; what is merely likely becomes a
 * new patient and a person looks at it. Patients are never merged here.
 */
export type Candidate = {
  patient_id: string;
  record: PatientRecord;
  /** The prescriber's system gave this patient the id that the message carries. */
  same_id: boolean;
};

export type PatientMatch = {
  /** Whom it is; null: nobody that is known. */
  patient_id: string | null;
  score: number;
  /** Why, in words of the table below. */
  reasons: MatchReason[];
  /** Others that a person should compare, best first. */
  doubtful: { patient_id: string; score: number; reasons: MatchReason[] }[];
};

/** What each agreement is worth. A hundred and more is a match. */
export const matchReasons = {
  same_id: [60, "The prescriber's system knows both by the same id."],
  same_last_name: [20, "The last names agree."],
  same_first_name: [20, "The first names agree."],
  same_dob: [30, "The dates of birth agree."],
  same_zip: [30, "The ZIP codes agree."],
  same_phone: [30, "The telephone numbers agree."],
  same_email: [30, "The e-mail addresses agree."],
  other_last_name: [-60, "The last names differ."],
  other_first_name: [-60, "The first names differ, as those of twins do."],
  other_gender: [-20, "The genders differ."],
  other_dob: [-120, "The dates of birth differ."],
} as const satisfies Record<string, readonly [number, string]>;
type MatchReason = keyof typeof matchReasons;

export const CERTAIN = 100;
/** Below this two people share a house or a name, no more. */
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
  // Two that fit equally well: it goes to one of them, and a person is told of the other.
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
