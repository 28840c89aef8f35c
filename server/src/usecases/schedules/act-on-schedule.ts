import { type AuditedOperation, type ScheduleAction, ScheduleActionInput, scheduleActions } from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import { acted } from "../../domain/schedules/schedule.ts";
import { readBody } from "../../domain/values/read-body.ts";
import { refuse, refuseAll } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { partnerEntry } from "../operations/audit-partner.ts";
import { type FinishedAnswer, type PartnerCall, writeAnswer } from "../write.ts";
import { keepSchedule, scheduleAnswer, takeSchedule } from "./schedule-rows.ts";

/** POST /refill_schedules/{schedule_id}/skip, pause, resume and cancel. */
export const actOnSchedule = (
  deps: Deps,
  call: PartnerCall,
  schedule_id: string,
  action: Exclude<ScheduleAction, "fill_now">,
  sent: SentFields,
): Promise<FinishedAnswer> => {
  const { problems } = readBody(ScheduleActionInput, sent);
  return writeAnswer(deps, call.key, 200, {
    attempt: async (tx) => {
      const opened = await takeSchedule(deps, tx, { account_id: call.grant.account_id, schedule_id });
      refuseAll(problems);
      const changed = acted(opened.schedule, action, opened.facts) ?? refuse(42471, "schedule_id");
      return keepSchedule(deps, tx, opened, changed);
    },
    answer: scheduleAnswer,
    audit: ({ patient_id }) =>
      partnerEntry(scheduleActions[action].operation_id satisfies AuditedOperation, call, {
        patients: [patient_id],
        subject: schedule_id,
      }),
  });
};
