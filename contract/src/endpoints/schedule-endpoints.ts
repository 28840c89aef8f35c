import type { ErrorCode } from "../errors.ts";
import { errorCodes } from "../errors.ts";
import { PATIENT_ID_PATTERN } from "../fields.ts";
import { shipTo } from "../openapi/example-records.ts";
import {
  RefillSchedule,
  RefillScheduleInput,
  type ScheduleAction,
  ScheduleActionInput,
  scheduleActions,
  scheduleStatuses,
} from "../schedules/schedules.ts";
import { array, nullable, object, oneOf, string } from "../schema.ts";
import { answer, body, bodyCodes, type Endpoint, idempotencyCodes, paged } from "./endpoint.ts";

/** Errors of a schedule. */
export const scheduleCodes: readonly ErrorCode[] = [42271, 42272, 42273, 42274, 42275, 42276, 42471];

/** The errors of `POST /orders` that the fields of a schedule can have. */
const fillCodes = errorCodes.filter(
  (code) =>
    code === 42206 ||
    code === 42208 ||
    (code >= 42221 && code <= 42260 && ![42228, 42229, 42243, 42244, 42245].includes(code)) ||
    (code >= 42291 && code <= 42293),
);

const schedule: RefillSchedule = {
  schedule_id: "019a8c02-51d7-7f0a-8b6e-90c1d2e3f4a5",
  status: "active",
  patient_id: "ay87nt",
  prescription_id: 512344,
  shipping: { method_id: 1, signature_confirmation: false },
  address: shipTo,
  payment: { payer: "partner" },
  every_days: null,
  interval_days: 30,
  lead_days: 7,
  consent: { given_at: "2026-11-15T08:55:00.000Z", method: "electronic" },
  next_fill_on: "2026-12-15",
  next_fill_problems: [],
  paused_because: null,
  last_order_number: null,
  last_filled_on: null,
  created_at: "2026-11-15T09:00:00.000Z",
  updated_at: "2026-11-15T09:00:00.000Z",
};
const filled: RefillSchedule = {
  ...schedule,
  next_fill_on: "2027-01-14",
  last_order_number: "7K2M9XQ4TB",
  last_filled_on: "2026-12-15",
  updated_at: "2026-12-15T05:00:00.412Z",
};

const act = <const Action extends ScheduleAction>(action: Action, summary: string, example: RefillSchedule) =>
  ({
    operation_id: scheduleActions[action].operation_id,
    method: "POST",
    path: `/refill_schedules/{schedule_id}/${action}`,
    server: "partner",
    tags: ["Refill schedules"],
    auth: "bearer:partners",
    summary,
    body: body("application/json", ScheduleActionInput, {}),
    body_optional: true,
    responses: { 200: answer("The changed schedule.", RefillSchedule, example) },
    may_be_missing: true,
    idempotent: true,
  }) as const;
const actionCodes = [40003, ...bodyCodes, 42200, ...idempotencyCodes, 42471] as const;

export const scheduleEndpoints = [
  {
    operation_id: "createRefillSchedule",
    method: "POST",
    path: "/refill_schedules",
    server: "partner",
    tags: ["Refill schedules"],
    auth: "bearer:partners",
    summary: "Create a refill schedule",
    description:
      "From now on the service orders the fills of this prescription by itself, with the checks of `POST /orders`. The first fill is due one interval after the last order of the prescription or of the one that it renewed, or today. A schedule needs the patient's consent, is not possible for a schedule 2 drug, and never goes beyond the refills or the expiry of the prescription. A prescription has one schedule at a time.",
    body: body("application/json", RefillScheduleInput, {
      patient_id: schedule.patient_id,
      prescription_id: schedule.prescription_id,
      shipping: { method_id: 1 },
      address: shipTo,
      consent: schedule.consent,
    }),
    responses: { 201: answer("The schedule.", RefillSchedule, schedule) },
    codes: [40003, ...bodyCodes, 42200, ...fillCodes, 42271, 42272, 42273, 42274, 42275, ...idempotencyCodes],
    idempotent: true,
  },
  {
    operation_id: "listRefillSchedules",
    method: "GET",
    path: "/refill_schedules",
    server: "partner",
    tags: ["Refill schedules"],
    auth: "bearer:partners",
    summary: "List refill schedules",
    description: "Your refill schedules, newest first.",
    query: {
      ...paged,
      patient_id: string({ pattern: PATIENT_ID_PATTERN, description: "Only schedules of this patient." }),
      status: oneOf(scheduleStatuses, "Only schedules with this status."),
    },
    responses: {
      200: answer(
        "A page of schedules.",
        object({ refill_schedules: array(RefillSchedule), next_cursor: nullable(string()) }),
        { refill_schedules: [schedule], next_cursor: null },
      ),
    },
    codes: [40003],
  },
  {
    operation_id: "getRefillSchedule",
    method: "GET",
    path: "/refill_schedules/{schedule_id}",
    server: "partner",
    tags: ["Refill schedules"],
    auth: "bearer:partners",
    summary: "Get a refill schedule",
    description: "A refill schedule with the day of its next fill.",
    responses: { 200: answer("The schedule.", RefillSchedule, schedule) },
    codes: [40003],
    may_be_missing: true,
  },
  {
    ...act("skip", "Skip the next fill", { ...schedule, next_fill_on: "2027-01-14" }),
    description: scheduleActions.skip.does,
    codes: actionCodes,
  },
  {
    ...act("pause", "Pause a refill schedule", { ...schedule, status: "paused" }),
    description: scheduleActions.pause.does,
    codes: actionCodes,
  },
  {
    ...act("resume", "Resume a refill schedule", schedule),
    description: `${scheduleActions.resume.does} It also ends the pause of a schedule whose order was refused or held.`,
    codes: actionCodes,
  },
  {
    ...act("cancel", "Cancel a refill schedule", { ...schedule, status: "canceled", next_fill_on: null }),
    description: scheduleActions.cancel.does,
    codes: actionCodes,
  },
  {
    ...act("fill_now", "Order the next fill now", filled),
    description: `${scheduleActions.fill_now.does} A refused order answers 422 with the codes of \`POST /orders\`, and the schedule stays as it was. An order that an exception holds pauses the schedule.`,
    codes: [...actionCodes, ...fillCodes],
  },
] as const satisfies readonly Endpoint[];
