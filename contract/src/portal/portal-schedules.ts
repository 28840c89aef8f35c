import type { RefillSchedule, ScheduleAction } from "../schedules/schedules.ts";

/** `GET …/refill_schedules` with the filters of the API's. The server audits the view. */
export type PortalSchedules = { refill_schedules: PortalScheduleRow[]; next_cursor: string | null };
/** Rows have no names or addresses. */
export type PortalScheduleRow = Pick<
  RefillSchedule,
  | "schedule_id"
  | "status"
  | "patient_id"
  | "prescription_id"
  | "interval_days"
  | "next_fill_on"
  | "next_fill_problems"
  | "paused_because"
  | "last_order_number"
> & { drug_name: string };

/** `GET …/refill_schedules/{schedule_id}`: the server audits the view. */
export type PortalSchedule = {
  schedule: RefillSchedule;
  drug_name: string;
  /** The actions that its status allows. */
  actions: ScheduleAction[];
};
// `POST …/refill_schedules/{schedule_id}/<action>` with `{}` returns 200 with a `PortalSchedule`.
