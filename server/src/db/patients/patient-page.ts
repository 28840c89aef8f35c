import type { Environment, ExceptionId, OrderStatus, Stage, Workflow } from "@pestle/contract";
import { type Queryable, sql, statementOf } from "../db.ts";
import { FACT_COLUMNS, type SealedFact } from "../intake/prescriptions.ts";
import type { MessageRow } from "../orders/order-messages.ts";
import type { PatientRow } from "./patients.ts";

export type PatientPageRow = PatientRow & {
  id_index: Buffer;
  partner: string;
  environment: Environment;
  workflow: Workflow;
  clock_offset_s: number;
};
const page = sql<[account_id: string, patient_key: number], PatientPageRow>`
select w.account_id, w.patient_key, w.id_sealed, w.id_index, w.revision, w.record_sealed, w.created_at, w.updated_at,
  p.name as partner, a.environment, a.workflow, a.clock_offset_s
from patient w
join account a on a.account_id = w.account_id
join partner p on p.partner_id = a.partner_id
where w.account_id = $1 and w.patient_key = $2`;
/** A patient by the surrogate key, with the partner and the account's clock. */
export const loadPatientPage = (db: Queryable, account_id: string, patient_key: number) =>
  db.row(page, [account_id, patient_key]);

// Materialized: without statistics, the planner would rather walk all prescriptions of the account by their time.
const prescriptions = statementOf<[account_id: string, patient_key: number, most: number], SealedFact>(`
with r as materialized (
  select p.*
  from prescription p
  where p.account_id = $1 and p.patient_key = $2
)
select ${FACT_COLUMNS}
from r
order by r.received_at desc, r.intake_message_id desc
limit $3`);
/** Newest first. */
export const listPatientPrescriptions = (db: Queryable, account_id: string, patient_key: number, most: number) =>
  db.rows(prescriptions, [account_id, patient_key, most]);

type PatientOrderRow = {
  order_number: string;
  order_status: OrderStatus;
  stage: Stage | null;
  exception_ids: ExceptionId[];
  drug_names: string[];
  created_at: Date;
};
const orders = sql<[account_id: string, patient_key: number, most: number], PatientOrderRow>`
select o.order_number, o.order_status, o.stage, o.exception_ids, o.created_at,
  array(
    select d.name
    from order_item i
    join product d on d.account_id = i.account_id and d.sku = i.sku
    where i.account_id = o.account_id and i.order_number = o.order_number and i.removed_at is null
    order by i.item_id) as drug_names
from orders o
where o.account_id = $1 and o.patient_key = $2
order by o.order_position desc
limit $3`;
/** Newest first. */
export const listPatientOrders = (db: Queryable, account_id: string, patient_key: number, most: number) =>
  db.rows(orders, [account_id, patient_key, most]);

export type PatientMessageRow = Pick<
  MessageRow,
  "message_number" | "message_id" | "author" | "created_at" | "text_sealed"
> & { order_number: string };
const messages = sql<[account_id: string, order_numbers: readonly string[], most: number], PatientMessageRow>`
select m.order_number, m.message_number, m.message_id, m.author, m.created_at, m.text_sealed
from order_message m
where m.account_id = $1 and m.order_number = any($2)
order by m.created_at desc, m.message_number desc
limit $3`;
/** The messages about some orders, newest first. */
export const listOrdersMessages = (db: Queryable, account_id: string, order_numbers: readonly string[], most: number) =>
  db.rows(messages, [account_id, order_numbers, most]);
