import { type Queryable, sql } from "../db.ts";

export type SandboxPrescription = {
  prescription_id: number;
  patient_key: number;
  id_sealed: Buffer;
  drug_name: string;
  drug_schedule: string;
  received_at: Date;
  active: boolean;
  order_numbers: string[];
};
const newest = sql<[account_id: string, most: number], SandboxPrescription>`
select r.prescription_id, r.patient_key, (
    select p.id_sealed
    from patient p
    where p.account_id = r.account_id and p.patient_key = r.patient_key) as id_sealed,
  r.drug_name, r.drug_schedule, r.received_at, r.active,
  array(
    select distinct i.order_number
    from order_item i
    where i.account_id = r.account_id and i.prescription_id = r.prescription_id and i.removed_at is null) as order_numbers
from prescription r
where r.account_id = $1
order by r.received_at desc, r.intake_message_id desc
limit $2`;
/** The newest prescriptions, with their orders. */
export const listNewestPrescriptions = (db: Queryable, account_id: string, most: number) =>
  db.rows(newest, [account_id, most]);

const orderOf = sql<[account_id: string, prescription_id: number], { order_number: string }>`
select order_number
from order_item
where account_id = $1 and prescription_id = $2
order by order_number
limit 1`;
export const findOrderOf = async (db: Queryable, account_id: string, prescription_id: number) =>
  (await db.row(orderOf, [account_id, prescription_id]))?.order_number ?? null;
