import type { PortalScheduleRow, ScheduleAction } from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import { isDate } from "../../domain/values/calendar.ts";
import { auditListing } from "../../usecases/operations/audit-portal.ts";
import { actOnScheduleInPortal } from "../../usecases/schedules/act-on-schedule.ts";
import { fillNowInPortal } from "../../usecases/schedules/fill-schedule.ts";
import { readSchedules, viewSchedule } from "../../usecases/schedules/read-schedules.ts";
import { json } from "../answer.ts";
import { pageAnswer, pageOf } from "../page.ts";
import { developers, everybody, ofAccount, type PortalCall, queryOf } from "../portal-route.ts";
import { textOf } from "../query-values.ts";
import type { WebRoute } from "../web-api.ts";
import { filterOf, scheduleId } from "./schedules.ts";

const SCHEDULES = "/portal/:environment/refill_schedules";
const SCHEDULE = `${SCHEDULES}/:schedule_id`;

/** Refill schedules as the partner's programs see them, with the same actions. */
export const scheduleRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: SCHEDULES,
    roles: everybody,
    handler: ofAccount(async (deps, call) => {
      const { account_id } = call.account;
      const query = queryOf(call, "patient_id", "status", "next_fill_from", "next_fill_to", "limit", "cursor");
      const list = { vault: deps.vault, account_id, list: "refill schedules" };
      const { before, limit } = pageOf(query, list);
      const days = {
        next_fill_from: textOf(query, "next_fill_from", isDate),
        next_fill_to: textOf(query, "next_fill_to", isDate),
      };
      const found = await readSchedules(deps, account_id, { ...filterOf(query), ...days }, before, limit + 1);
      const shown = found.slice(0, limit);
      const rows = shown.map(rowOf);
      await auditListing(deps, call.by, rows, "schedules_read");
      const next = found.length > limit ? shown.at(-1)!.schedule_position : null;
      return pageAnswer(call.request.url, { refill_schedules: rows }, next, list);
    }),
  },
  {
    method: "GET",
    path: SCHEDULE,
    roles: everybody,
    handler: ofAccount(async (deps, { by, params }) => json(200, await viewSchedule(deps, by, scheduleId(params)))),
  },
  { method: "POST", path: `${SCHEDULE}/skip`, roles: developers, handler: ofAccount(acting("skip")) },
  { method: "POST", path: `${SCHEDULE}/pause`, roles: developers, handler: ofAccount(acting("pause")) },
  { method: "POST", path: `${SCHEDULE}/resume`, roles: developers, handler: ofAccount(acting("resume")) },
  { method: "POST", path: `${SCHEDULE}/cancel`, roles: developers, handler: ofAccount(acting("cancel")) },
  {
    method: "POST",
    path: `${SCHEDULE}/fill_now`,
    roles: developers,
    handler: ofAccount(async (deps, { account, by, params, body }) =>
      json(200, await fillNowInPortal(deps, account, by, scheduleId(params), body)),
    ),
  },
];

type ActionCall = Pick<PortalCall, "by" | "body"> & { params: { readonly schedule_id: string } };

function acting(action: Exclude<ScheduleAction, "fill_now">) {
  return async (deps: Deps, { by, params, body }: ActionCall) =>
    json(200, await actOnScheduleInPortal(deps, by, scheduleId(params), action, body));
}

/** Omits the address, because a list does not need it. */
function rowOf({ drug_name, schedule }: Awaited<ReturnType<typeof readSchedules>>[number]): PortalScheduleRow {
  const { schedule_id, status, patient_id, prescription_id, interval_days } = schedule;
  const { next_fill_on, next_fill_problems, paused_because, last_order_number } = schedule;
  return {
    ...{ schedule_id, status, patient_id, prescription_id, drug_name, interval_days },
    ...{ next_fill_on, next_fill_problems, paused_because, last_order_number },
  };
}
