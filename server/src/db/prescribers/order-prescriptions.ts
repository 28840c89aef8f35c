import type { ScheduleStatus } from "@pestle/contract";
import type { FillReport } from "../../domain/prescribers/fill-notice.ts";
import type { Why } from "../../domain/schedules/schedule.ts";
import { type Queryable, sql } from "../db.ts";
import type { RequestRow } from "./prescriber-messages.ts";

/** A prescription of an order, with its refill schedule if it has one. */
export type OrderPrescription = {
  prescription_id: number;
  drug_name: string;
  patient_key: number;
  days_supply: number | null;
  schedule_id: string | null;
  status: ScheduleStatus | null;
  every_days: number | null;
  next_fill_on: string | null;
  next_fill_problems: Why[] | null;
  paused_because: Why | null;
  made_order: boolean | null;
};
const prescriptions = sql<[account_id: string, order_number: string], OrderPrescription>`
select r.prescription_id, r.drug_name, r.patient_key, r.days_supply, s.schedule_id, s.status, s.every_days, s.next_fill_on,
  s.next_fill_problems, s.paused_because, s.last_order_number = $2 as made_order
from prescription r
left join lateral (
  select l.schedule_id, l.status, l.every_days, l.next_fill_on, l.next_fill_problems, l.paused_because, l.last_order_number
  from refill_schedule l
  where l.account_id = r.account_id and l.patient_key = r.patient_key and l.prescription_id = r.prescription_id
  order by (l.status = 'canceled'), l.schedule_position desc
  limit 1) s on true
where r.account_id = $1 and r.prescription_id in (
  select i.prescription_id
  from order_item i
  where i.account_id = $1 and i.order_number = $2 and i.prescription_id is not null)
order by r.prescription_id`;
/** Of several schedules, the live one, or else the newest. */
export const listOrderPrescriptions = (db: Queryable, account_id: string, order_number: string) =>
  db.rows(prescriptions, [account_id, order_number]);

/** A message to a prescriber, with what was asked. */
export type ShownMessage = RequestRow & {
  fill: FillReport | null;
  person_id: string | null;
  attempts: number;
  asked_sealed: Buffer | null;
};
const messages = sql<[account_id: string, prescription_id: number, most: number], ShownMessage>`
select m.message_id, m.kind, m.state, m.prescription_id, m.created_at, m.sent_at, m.answered_at, m.response,
  m.new_prescription_id, m.answer_sealed, m.fill, m.person_id, m.attempts, m.asked_sealed
from prescriber_message m
where m.account_id = $1 and m.prescription_id = $2 and m.kind <> 'cancel'
order by m.message_id desc
limit $3`;
/** Newest first: an id begins with the time. */
export const listMessagesAbout = (db: Queryable, account_id: string, prescription_id: number, most: number) =>
  db.rows(messages, [account_id, prescription_id, most]);
