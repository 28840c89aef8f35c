import type { Address, PortalSchedule, payers, RefillSchedule } from "@pestle/contract";
import type { Queryable, Tx } from "../../db/db.ts";
import {
  loadSchedule,
  lockSchedule,
  type ScheduleRow,
  saveSchedule,
  schedulePlace,
} from "../../db/schedules/schedules.ts";
import type { Deps } from "../../deps.ts";
import {
  dueAt,
  intervalOf,
  possibleActions,
  type Schedule,
  type ScheduleFacts,
} from "../../domain/schedules/schedule.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { openPatientId } from "../patients/patient-rows.ts";

export type ScheduleKey = { account_id: string; schedule_id: string };

/** What each order of a schedule repeats. The address was checked when the schedule was created. */
export type ScheduleRequest = {
  shipping: { method_id: number; signature_confirmation: boolean };
  address: Address | null;
  payment: { payer: (typeof payers)[number]; token: string | null };
};

/** A schedule with all that its decisions and its orders need. */
export type OpenedSchedule = ScheduleKey & {
  row: ScheduleRow;
  schedule: Schedule;
  facts: ScheduleFacts;
  request: ScheduleRequest;
  patient_id: string;
  /** The account's time. */
  now: Date;
};

type Opening = Pick<Deps, "vault" | "now" | "config">;

export const sealRequest = (
  { vault }: Pick<Deps, "vault">,
  { account_id, schedule_id }: ScheduleKey,
  request: ScheduleRequest,
): Buffer => vault.seal(Buffer.from(JSON.stringify(request)), schedulePlace(account_id, schedule_id));

export function openSchedule(deps: Opening, account_id: string, row: ScheduleRow): OpenedSchedule {
  const { schedule_id } = row;
  const now = accountNow(deps.now(), row.clock_offset_s);
  const day = (at: Date | null) => at && dateIn(deps.config.TIME_ZONE, at);
  const opened = deps.vault.open(row.request_sealed, schedulePlace(account_id, schedule_id)).toString("utf8");
  return {
    account_id,
    schedule_id,
    row,
    schedule: {
      status: row.status,
      next_fill_on: row.next_fill_on,
      notified_for: row.notified_for,
      next_fill_problems: row.next_fill_problems,
      paused_because: row.paused_because,
      last_order_number: row.last_order_number,
      last_filled_on: row.last_filled_on,
      followed_on: row.followed_on,
    },
    facts: {
      today: dateIn(deps.config.TIME_ZONE, now),
      lead_days: row.lead_days,
      // A new schedule has an interval, and a stored prescription keeps its days' supply.
      interval_days: intervalOf(row.every_days, row.days_supply)!,
      last_ordered_on: day(row.last_ordered_at),
      automatic_due: row.workflow === "automatic" && row.order_due_at !== null,
      last_held_by: row.last_held_by,
      last_canceled: row.last_canceled,
    },
    request: JSON.parse(opened) as ScheduleRequest,
    patient_id: openPatientId(deps, account_id, row),
    now,
  };
}

/** 404 for an unknown schedule or another account's. */
const required = (deps: Opening, account_id: string, row: ScheduleRow | undefined): OpenedSchedule => {
  if (row === undefined) throw new StatusRefusal(404);
  return openSchedule(deps, account_id, row);
};

export const findSchedule = async (deps: Opening, db: Queryable, { account_id, schedule_id }: ScheduleKey) =>
  required(deps, account_id, await loadSchedule(db, account_id, schedule_id));

/** The same for a change, which no other change of the schedule overtakes. */
export const takeSchedule = async (deps: Opening, tx: Tx, { account_id, schedule_id }: ScheduleKey) =>
  required(deps, account_id, await lockSchedule(tx, account_id, schedule_id));

/** Saves a change and returns the schedule after it. */
export async function keepSchedule(
  deps: Pick<Deps, "config">,
  tx: Tx,
  opened: OpenedSchedule,
  schedule: Schedule,
): Promise<OpenedSchedule> {
  const { account_id, schedule_id, row, facts, now } = opened;
  const { revision } = row;
  const due_at = dueAt(schedule, facts, deps.config.TIME_ZONE);
  await saveSchedule(tx, { account_id, schedule_id, revision }, schedule, due_at, now);
  return { ...opened, schedule, row: { ...row, revision: revision + 1, updated_at: now } };
}

/** The body of the order that the schedule places. */
export const orderBody = ({ request, patient_id, row }: OpenedSchedule): SentFields => ({
  shipping: request.shipping,
  patient: { patient_id },
  items: [{ prescription_id: row.prescription_id }],
  payment: request.payment,
});

export const scheduleAnswer = ({ row, schedule, facts, request, patient_id }: OpenedSchedule): RefillSchedule => ({
  schedule_id: row.schedule_id,
  status: schedule.status,
  patient_id,
  prescription_id: row.prescription_id,
  shipping: request.shipping,
  address: request.address,
  payment: { payer: request.payment.payer },
  every_days: row.every_days,
  interval_days: facts.interval_days,
  lead_days: row.lead_days,
  consent: { given_at: row.consent_at.toISOString(), method: row.consent_method },
  next_fill_on: schedule.next_fill_on,
  next_fill_problems: [...schedule.next_fill_problems],
  paused_because: schedule.paused_because,
  last_order_number: schedule.last_order_number,
  last_filled_on: schedule.last_filled_on,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** The same for a person in the portal, with the name of the drug and what they can do. */
export const portalAnswer = (opened: OpenedSchedule): PortalSchedule => ({
  schedule: scheduleAnswer(opened),
  drug_name: opened.row.drug_name,
  actions: possibleActions(opened.schedule),
});
