import type { DrugSchedule } from "@pestle/contract";
import { type Queryable, sql, type Tx } from "../db.ts";

const load = sql<
  [account_id: string, prescription_id: number],
  { drug_schedule: DrugSchedule; clock_offset_s: number; active: boolean }
>`
select r.drug_schedule, r.active, a.clock_offset_s
from prescription r
join account a on a.account_id = r.account_id
where r.account_id = $1 and r.prescription_id = $2`;
export const loadForPartialFill = (db: Queryable, account_id: string, prescription_id: number) =>
  db.row(load, [account_id, prescription_id]);

/** The vault's place for what the pharmacist noted. */
export const partialFillPlace = (account_id: string, prescription_id: number) =>
  `partial_fill_request.note_sealed ${account_id} ${prescription_id}`;

const record = sql<
  [
    account_id: string,
    prescription_id: number,
    requested_by: string,
    note_sealed: Buffer,
    recorded_by: string,
    recorded_at: Date,
  ]
>`
insert into partial_fill_request (account_id, prescription_id, requested_by, note_sealed, recorded_by, recorded_at)
values ($1, $2, $3, $4, $5, $6)
on conflict (account_id, prescription_id) do nothing`;
/** Returns 0 if a request is on record already. The first one stays. */
export const insertPartialFillRequest = (
  tx: Tx,
  row: {
    account_id: string;
    prescription_id: number;
    requested_by: string;
    note_sealed: Buffer;
    recorded_by: string;
    recorded_at: Date;
  },
) =>
  tx.run(record, [
    row.account_id,
    row.prescription_id,
    row.requested_by,
    row.note_sealed,
    row.recorded_by,
    row.recorded_at,
  ]);
