import {
  type AuditedOperation,
  type PortalSchedule,
  type ScheduleAction,
  ScheduleActionInput,
  scheduleActions,
} from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { acted } from "../../domain/schedules/schedule.ts";
import { readBody } from "../../domain/values/read-body.ts";
import { refuse, refuseAll } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { partnerEntry } from "../operations/audit-partner.ts";
import { audited, type PortalActor } from "../operations/audit-portal.ts";
import { type FinishedAnswer, type PartnerCall, writeAnswer } from "../write.ts";
import {
  keepSchedule,
  type OpenedSchedule,
  portalAnswer,
  type ScheduleKey,
  scheduleAnswer,
  takeSchedule,
} from "./schedule-rows.ts";

type Action = Exclude<ScheduleAction, "fill_now">;

/** POST /refill_schedules/{schedule_id}/skip, pause, resume and cancel. */
export const actOnSchedule = (
  deps: Deps,
  call: PartnerCall,
  schedule_id: string,
  action: Action,
  sent: SentFields,
): Promise<FinishedAnswer> =>
  writeAnswer(deps, call.key, 200, {
    attempt: (tx) => act(deps, tx, { account_id: call.grant.account_id, schedule_id }, action, sent),
    answer: scheduleAnswer,
    audit: ({ patient_id }) =>
      partnerEntry(scheduleActions[action].operation_id satisfies AuditedOperation, call, {
        patients: [patient_id],
        subject: schedule_id,
      }),
  });

/** The same by a person in the portal, audited in the same transaction. */
export const actOnScheduleInPortal = (
  deps: Deps,
  by: PortalActor,
  schedule_id: string,
  action: Action,
  sent: SentFields,
): Promise<PortalSchedule> =>
  audited(deps, by, async (tx) => {
    const changed = await act(deps, tx, { account_id: by.account_id, schedule_id }, action, sent);
    return { action: "schedule_changed", subject: schedule_id, done: portalAnswer(changed) };
  });

async function act(deps: Deps, tx: Tx, key: ScheduleKey, action: Action, sent: SentFields): Promise<OpenedSchedule> {
  const { problems } = readBody(ScheduleActionInput, sent);
  const opened = await takeSchedule(deps, tx, key);
  refuseAll(problems);
  const changed = acted(opened.schedule, action, opened.facts) ?? refuse(42471, "schedule_id");
  return keepSchedule(deps, tx, opened, changed);
}
