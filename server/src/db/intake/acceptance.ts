import type { DoubtfulPrescription, Verdict } from "../../domain/intake/decide-acceptance.ts";
import { sql, type Tx } from "../db.ts";
import type { Bytes } from "../values.ts";
import type { NewEvent } from "../webhooks/new-event.ts";

const load = sql<
  [account_id: string, prescription_id: number],
  DoubtfulPrescription & { patient_key: number; id_sealed: Buffer; clock_offset_s: number }
>`
select r.acceptance, r.active, r.effective_date, r.drug_schedule, r.patient_key, p.id_sealed, a.workflow, a.clock_offset_s
from prescription r
join account a on a.account_id = r.account_id
join patient p on p.account_id = r.account_id and p.patient_key = r.patient_key
where r.account_id = $1 and r.prescription_id = $2
for update of r`;
/** Locks the row, so that the second of two concurrent verdicts sees the first. */
export const loadForVerdict = (tx: Tx, account_id: string, prescription_id: number) =>
  tx.row(load, [account_id, prescription_id]);

const save = sql<
  [
    account_id: string,
    prescription_id: number,
    verdict: Verdict,
    order_due_at: Date | null,
    resolved_at: Date,
    resolved_by: string,
    outcome: string,
    event_id: string,
    event_type: string,
    body_sealed: Bytes,
  ]
>`
with decided as (
  update prescription
  set acceptance = $3, order_due_at = $4
  where account_id = $1 and prescription_id = $2 and acceptance = 'pending'
  returning account_id
), told as (
  insert into webhook_event (account_id, event_id, event_type, body_sealed, created_at)
  select d.account_id, $8, $9, $10, $5
  from decided d
  returning account_id
)
update review
set resolved_at = $5, resolved_by = $6, outcome = $7
where account_id = $1 and prescription_id = $2 and kind = 'prescription_acceptance' and resolved_at is null`;
/** Saves the verdict with its event, and closes the review entry. */
export const saveVerdict = (
  tx: Tx,
  row: {
    account_id: string;
    prescription_id: number;
    verdict: Verdict;
    order_due_at: Date | null;
    resolved_at: Date;
    resolved_by: string;
    outcome: string;
  },
  event: Pick<NewEvent, "event_id" | "event_type"> & { body_sealed: Bytes },
) =>
  tx.run(save, [
    row.account_id,
    row.prescription_id,
    row.verdict,
    row.order_due_at,
    row.resolved_at,
    row.resolved_by,
    row.outcome,
    event.event_id,
    event.event_type,
    event.body_sealed,
  ]);
