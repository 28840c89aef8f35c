import { isPatientId, type ScheduleAction, scheduleStatuses } from "@pestle/contract";
import { isUuid } from "../../domain/values/identifiers.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { actOnSchedule } from "../../usecases/schedules/act-on-schedule.ts";
import { createSchedule } from "../../usecases/schedules/create-schedule.ts";
import { fillNow } from "../../usecases/schedules/fill-schedule.ts";
import { readSchedule, readSchedules } from "../../usecases/schedules/read-schedules.ts";
import { json, showing } from "../answer.ts";
import { cursorOf, listAnswer, pageOf } from "../page.ts";
import type { ReadHandler, WriteHandler } from "../partner-api.ts";
import { choiceOf, type Query, textOf } from "../query-values.ts";

export const createRefillSchedule: WriteHandler = createSchedule;

export const listRefillSchedules: ReadHandler = async (deps, { grant, query, url }) => {
  const list = { vault: deps.vault, account_id: grant.account_id, list: "refill schedules" };
  const { before, limit } = pageOf(query, list);
  const found = await readSchedules(deps, grant.account_id, filterOf(query), before, limit + 1);
  const shown = found.slice(0, limit);
  const after = (index: number) => cursorOf(list, shown[index]!.schedule_position);
  const schedules = shown.map(({ schedule }) => schedule);
  return listAnswer(url, "refill_schedules", schedules, {
    cursorAfter: after,
    next_cursor: found.length > limit ? after(limit - 1) : null,
    patientOf: ({ patient_id }) => patient_id,
  });
};

export const getRefillSchedule: ReadHandler = async (deps, { grant, params }) => {
  const schedule = await readSchedule(deps, { account_id: grant.account_id, schedule_id: scheduleId(params) });
  return showing(json(200, schedule), { patients: [schedule.patient_id], subject: schedule.schedule_id });
};

const acting =
  (action: Exclude<ScheduleAction, "fill_now">): WriteHandler =>
  (deps, call, body) =>
    actOnSchedule(deps, call, scheduleId(call.params), action, body);
export const skipRefill = acting("skip");
export const pauseRefillSchedule = acting("pause");
export const resumeRefillSchedule = acting("resume");
export const cancelRefillSchedule = acting("cancel");

export const fillRefillNow: WriteHandler = (deps, call, body) => fillNow(deps, call, scheduleId(call.params), body);

export const filterOf = (query: Query) => ({
  patient_id: textOf(query, "patient_id", isPatientId),
  status: choiceOf(query, "status", scheduleStatuses),
});

/** Rejects malformed ids before querying, with the same 404 as for another account's schedule. */
export function scheduleId({ schedule_id = "" }: Parameters<ReadHandler>[1]["params"]): string {
  if (!isUuid(schedule_id)) throw new StatusRefusal(404);
  return schedule_id.toLowerCase();
}
