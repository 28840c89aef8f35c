import { order_number, order_status, patient_id } from "./fields.ts";
import { scheduleStatuses } from "./schedules/schedules.ts";
import { array, boolean, date, integer, named, nullable, object, oneOf, type Static, string } from "./schema.ts";

/** `GET /continuity` looks this many days ahead. */
export const CONTINUITY_DAYS = { default: 30, most: 180 } as const;

/** A medication that a patient runs out of. */
export const ContinuityEntry = named(
  "ContinuityEntry",
  object({
    patient_id,
    prescription_id: integer(
      "The prescription of the next fill: the newest one for the same medication that can be filled.",
    ),
    drug_name: string(),
    sku: string("The product of the last fill."),
    refills_left: integer("Fills that are left, besides those ordered so far."),
    runs_out_on: date("The first day without the medication, by the days of supply of all fills that were shipped."),
    days_left: integer("Days from today to `runs_out_on`. Negative if the patient has run out."),
    next_fill: object({
      on: date(
        "The day for which the answer was computed: the day of an active schedule, otherwise `runs_out_on`; today if that is past.",
      ),
      fillable: boolean(
        "Whether the next fill would be accepted on that day, with the stock and the catalogue of today.",
      ),
      not_fillable: array(
        object({
          code: integer("A code that `POST /orders` would answer, or the number of an exception that holds the order."),
          message: string(),
        }),
        "Why the next fill would fail.",
      ),
    }),
    schedule: nullable(
      object(
        {
          schedule_id: string({ format: "uuid" }),
          status: oneOf(scheduleStatuses),
          fill_on: date("The day on which it orders. A paused schedule does not."),
        },
        { description: "The refill schedule of the prescription. Null if there is none." },
      ),
    ),
    open_order: nullable(
      object(
        { order_number, order_status },
        { description: "The order with the next fill, until it ships. Null if there is none." },
      ),
    ),
  }),
);
export type ContinuityEntry = Static<typeof ContinuityEntry>;
