import type { RefillSchedule, ScheduleStatus } from "@pestle/contract";
import { listSchedules } from "../../db/schedules/schedules.ts";
import type { Deps } from "../../deps.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { patientIndex } from "../patients/patient-rows.ts";
import { findSchedule, openSchedule, type ScheduleKey, scheduleAnswer } from "./schedule-rows.ts";

export const readSchedule = (deps: Deps, key: ScheduleKey): Promise<RefillSchedule> =>
  withKeysOfNow(deps, async () => scheduleAnswer(await findSchedule(deps, deps.db, key)));

/** The schedules of an account, newest first, before a position. */
export const readSchedules = (
  deps: Deps,
  account_id: string,
  asked: { patient_id: string | null; status: ScheduleStatus | null },
  before: number,
  limit: number,
): Promise<{ schedule_position: number; schedule: RefillSchedule }[]> => {
  const { patient_id, status } = asked;
  const patient_index = patient_id === null ? null : patientIndex(deps, account_id, patient_id);
  return withKeysOfNow(deps, async () => {
    const rows = await listSchedules(deps.db, account_id, { patient_index, status }, before, limit);
    return rows.map((row) => ({
      schedule_position: row.schedule_position,
      schedule: scheduleAnswer(openSchedule(deps, account_id, row)),
    }));
  });
};
