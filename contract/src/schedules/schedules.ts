import { order_number, PATIENT_ID_PATTERN, patient_id, payers } from "../fields.ts";
import { AddressInput, PaymentInput } from "../requests.ts";
import { Address } from "../resources.ts";
import {
  array,
  boolean,
  closed,
  date,
  integer,
  named,
  nullable,
  object,
  oneOf,
  partial,
  type Static,
  string,
  time,
} from "../schema.ts";

/* Refill schedules: the service orders the fills of one prescription when they are due. */

export const scheduleStatuses = ["active", "paused", "canceled"] as const;
export type ScheduleStatus = (typeof scheduleStatuses)[number];

/** How the patient agreed to receive refills without asking for each one. */
export const consentMethods = ["written", "electronic", "verbal"] as const;
export type ConsentMethod = (typeof consentMethods)[number];

export const EVERY_DAYS = { minimum: 7, maximum: 365 } as const;
export const LEAD_DAYS = { minimum: 1, maximum: 30 } as const;
export const DEFAULT_LEAD_DAYS = 7;

type ScheduleActionRow = {
  readonly operation_id: string;
  /** The statuses in which the action is possible. */
  readonly from: readonly ScheduleStatus[];
  readonly does: string;
};

/** What a partner can do with a schedule: `POST /refill_schedules/{schedule_id}/<action>`. */
export const scheduleActions = {
  skip: {
    operation_id: "skipRefill",
    from: ["active", "paused"],
    does: "Leaves the next fill out. The fill after it becomes the next one.",
  },
  pause: { operation_id: "pauseRefillSchedule", from: ["active"], does: "Makes no orders until you resume it." },
  resume: {
    operation_id: "resumeRefillSchedule",
    from: ["paused"],
    does: "Makes orders again. A fill that became due in the meantime is due today.",
  },
  cancel: {
    operation_id: "cancelRefillSchedule",
    from: ["active", "paused"],
    does: "Ends the schedule. The orders that it made stay as they are.",
  },
  fill_now: {
    operation_id: "fillRefillNow",
    from: ["active", "paused"],
    does: "Orders the next fill today instead of on its day. The dates of the later fills follow from today.",
  },
} as const satisfies Record<string, ScheduleActionRow>;
export type ScheduleAction = keyof typeof scheduleActions;
export const scheduleActionNames = Object.keys(scheduleActions) as [ScheduleAction, ...ScheduleAction[]];

const schedule_id = string({ format: "uuid", examples: ["019a8c02-51d7-7f0a-8b6e-90c1d2e3f4a5"] });
const prescription_id = integer({ minimum: 1, examples: [512344] });
const whys = (description: string) =>
  array(object({ code: integer("The code that `POST /orders` would answer."), message: string() }), description);

/** `POST /refill_schedules`. Address, payment and shipping are those of each order. */
export const RefillScheduleInput = named(
  "RefillScheduleInput",
  closed(
    {
      patient_id: string({ code: 42206, pattern: PATIENT_ID_PATTERN, description: "From the `RX_RECEIVED` webhook." }),
      prescription_id: integer({ code: 42249, minimum: 1, description: "An active prescription of this patient." }),
      shipping: closed(
        {
          method_id: integer({ code: 42291, minimum: 1, description: "From `GET /shipping_methods`." }),
          signature_confirmation: boolean({ code: 42292 }),
        },
        { optional: ["signature_confirmation"] },
      ),
      address: AddressInput,
      payment: PaymentInput,
      every_days: integer({
        code: 42272,
        ...EVERY_DAYS,
        description: "Days between two fills. Without it, the days' supply of a fill.",
      }),
      lead_days: integer({
        code: 42273,
        ...LEAD_DAYS,
        default: DEFAULT_LEAD_DAYS,
        description: "How many days before a fill the `REFILL_UPCOMING` event is sent.",
      }),
      consent: closed(
        {
          given_at: time({ code: 42271, description: "When the patient agreed. Not in the future." }),
          method: oneOf(consentMethods, { code: 42271 }),
        },
        { code: 42271, description: "The patient's consent to refills without a request for each one." },
      ),
    },
    { optional: ["address", "payment", "every_days", "lead_days"] },
  ),
);
export type RefillScheduleInput = Static<typeof RefillScheduleInput>;

/** The body of an action: it takes no fields. */
export const ScheduleActionInput = named("ScheduleActionInput", partial({}));

export const RefillSchedule = named(
  "RefillSchedule",
  object({
    schedule_id,
    status: oneOf(scheduleStatuses),
    patient_id,
    prescription_id,
    shipping: object({ method_id: integer(), signature_confirmation: boolean() }),
    address: nullable(Address),
    payment: object({ payer: oneOf(payers) }, { description: "Who pays for the fills." }),
    every_days: nullable(integer("Null: the schedule follows the days' supply.")),
    interval_days: integer("The days between two fills, by `every_days` or by the days' supply."),
    lead_days: integer(),
    consent: object({ given_at: time(), method: oneOf(consentMethods) }),
    next_fill_on: nullable(date("The day of the next fill. Null after the schedule was canceled.")),
    next_fill_problems: whys(
      "Why the next fill would be refused, checked when `REFILL_UPCOMING` is due. Empty before that, and if nothing is wrong.",
    ),
    paused_because: nullable(
      object({
        code: integer("A code of `POST /orders`, or the `id` of the exception that holds the order."),
        message: string(),
      }),
    ),
    last_order_number: nullable(order_number),
    last_filled_on: nullable(date("The day on which the schedule made its last order.")),
    created_at: time(),
    updated_at: time(),
  }),
);
export type RefillSchedule = Static<typeof RefillSchedule>;
