import { type PortalSchedule, type RefillSchedule, webAudit } from "@pestle/contract";
import { listSchedules, type ScheduleFilter } from "../../db/schedules/schedules.ts";
import type { Deps } from "../../deps.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { auditedPatients } from "../operations/audit-note.ts";
import type { PortalActor } from "../operations/audit-portal.ts";
import { writeLook } from "../operations/write-audit.ts";
import { patientIndex } from "../patients/patient-rows.ts";
import { findSchedule, openSchedule, portalAnswer, type ScheduleKey, scheduleAnswer } from "./schedule-rows.ts";

export const readSchedule = (deps: Deps, key: ScheduleKey): Promise<RefillSchedule> =>
  withKeysOfNow(deps, async () => scheduleAnswer(await findSchedule(deps, deps.db, key)));

/** A schedule with its address, for a person in the portal. The view is audited. */
export async function viewSchedule(deps: Deps, by: PortalActor, schedule_id: string): Promise<PortalSchedule> {
  const { account_id } = by;
  const shown = await withKeysOfNow(deps, async () =>
    portalAnswer(await findSchedule(deps, deps.db, { account_id, schedule_id })),
  );
  const patients = auditedPatients(deps, account_id, [shown.schedule.patient_id]);
  const { groups: field_groups } = webAudit["GET /portal/{environment}/refill_schedules/{schedule_id}"];
  const entry = { account_id, action: "schedules_read", subject: schedule_id, patients, field_groups } as const;
  await writeLook(deps, by, entry, by.request_id);
  return shown;
}

/** The schedules of an account, newest first, before a position. */
export const readSchedules = (
  deps: Deps,
  account_id: string,
  asked: { patient_id: string | null } & Omit<ScheduleFilter, "patient_index">,
  before: number,
  limit: number,
): Promise<{ schedule_position: number; drug_name: string; schedule: RefillSchedule }[]> => {
  const { patient_id, ...rest } = asked;
  const patient_index = patient_id === null ? null : patientIndex(deps, account_id, patient_id);
  return withKeysOfNow(deps, async () => {
    const rows = await listSchedules(deps.db, account_id, { patient_index, ...rest }, before, limit);
    return rows.map((row) => ({
      schedule_position: row.schedule_position,
      drug_name: row.drug_name,
      schedule: scheduleAnswer(openSchedule(deps, account_id, row)),
    }));
  });
};
