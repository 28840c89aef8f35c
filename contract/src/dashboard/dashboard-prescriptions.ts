import { CHANGE_REASON_MOST_CHARACTERS, type ChangeCode, changeCodeNames, type RenewalRequest } from "../renewals.ts";
import type { RefillSchedule } from "../schedules/schedules.ts";
import { closed, nullable, oneOf, type Static, string } from "../schema.ts";

/**
 * GET /dashboard/orders/{account_id}/{order_number}/prescriptions: what surrounds the prescriptions of an order. The
 * server audits the view.
 */
export type DashboardPrescriptions = { prescriptions: DashboardPrescription[] };
export type DashboardPrescription = {
  prescription_id: number;
  drug_name: string;
  /** The schedule that orders its refills; null if it never had one. */
  schedule: DashboardSchedule | null;
  /** What the pharmacy asked and told the prescriber, newest first, without what it only answered. */
  messages: DashboardPrescriberMessage[];
  /** Why the pharmacy cannot ask for a renewal now; empty if it can. */
  renewal_problems: string[];
  /** The same for a question about the prescription. */
  question_problems: string[];
};
export type DashboardSchedule = Pick<
  RefillSchedule,
  "schedule_id" | "status" | "interval_days" | "next_fill_on" | "next_fill_problems" | "paused_because"
> & { /** Whether the schedule made this order. */ made_order: boolean };
export type DashboardPrescriberMessage = Pick<
  RenewalRequest,
  "status" | "created_at" | "sent_at" | "answered_at" | "response" | "note" | "new_prescription_id"
> & {
  message_id: string;
  kind: "renewal" | "change" | "fill";
  /** What a question asks for; null for the other kinds. */
  code: ChangeCode | null;
  /** What the pharmacy wrote: the question, the note of a request, or what a notice says about a fill. */
  text: string | null;
  /** The staff member who asked; null if the partner or the service did. */
  asked_by: string | null;
  attempts: number;
};

/**
 * POST …/prescriptions/{prescription_id}/change_requests (pharmacist, lead) sends an RxChangeRequest and returns 201 with
 * the `DashboardPrescriptions`. POST …/renewal_requests does the same with a `RenewalRequestInput`.
 */
export const ChangeRequestInput = closed(
  {
    code: oneOf(changeCodeNames),
    reason: nullable(string({ code: 42200, kind: "message", minLength: 1, maxLength: CHANGE_REASON_MOST_CHARACTERS })),
    service_reason: nullable(string({ code: 42200, pattern: "^[A-Z]{2}$" })),
  },
  { optional: ["reason", "service_reason"] },
);
export type ChangeRequestInput = Static<typeof ChangeRequestInput>;
