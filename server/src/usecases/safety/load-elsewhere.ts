import type { Queryable } from "../../db/db.ts";
import { listElsewhere } from "../../db/safety/person-links.ts";
import type { Deps } from "../../deps.ts";
import type { PersonElsewhere } from "../../domain/safety/elsewhere.ts";
import { fillOf, LONGEST_HISTORY_MS } from "../orders/patient-fills.ts";
import { openRecord } from "../patients/patient-rows.ts";

/** More partners than one person has, and a bound for one check. */
const MOST_PEOPLE = 20;

/**
 * What other partners of the environment know about the same person. Only the job and the pharmacy's steps may use it: in
 * an answer to a partner's request it would tell one partner about another.
 */
export async function loadElsewhere(
  deps: Pick<Deps, "vault">,
  db: Queryable,
  patient: { account_id: string; patient_key: number; clock_offset_s: number },
  real_now: Date,
): Promise<PersonElsewhere[]> {
  const since = new Date(real_now.getTime() - LONGEST_HISTORY_MS);
  const rows = await listElsewhere(db, patient.account_id, patient.patient_key, since, MOST_PEOPLE);
  return rows.map(({ account_id, patient_key, partner, record_sealed, clock_offset_s, fills }) => ({
    partner,
    patient_safety: openRecord(deps, account_id, patient_key, record_sealed).patient_safety,
    // Each sandbox account has its own clock.
    fills: fills.map(fillOf).map(({ shipped_at, ...fill }) => ({
      ...fill,
      shipped_at: shipped_at && new Date(shipped_at.getTime() + (patient.clock_offset_s - clock_offset_s) * 1000),
    })),
  }));
}
