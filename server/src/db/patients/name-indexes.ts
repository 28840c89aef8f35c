import type { Environment } from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";
import type { Bytes } from "../values.ts";

const without = sql<
  [most: number, environment: Environment | null],
  { account_id: string; patient_key: number; record_sealed: Buffer }
>`
select p.account_id, p.patient_key, p.record_sealed
from patient p
join account a on a.account_id = p.account_id
where p.surname_index is null and ($2::text is null or a.environment = $2)
limit $1`;
/** Patients from before these indexes existed, of one environment or of both. */
export const listWithoutNames = (db: Queryable, most: number, environment: Environment | null) =>
  db.rows(without, [most, environment]);

const save = sql<[rows: string]>`
update patient p
set surname_index = n.surname_index, dob_index = n.dob_index
from jsonb_populate_recordset(null::patient, $1::jsonb) n
where p.account_id = n.account_id and p.patient_key = n.patient_key and p.surname_index is null`;
/** Names and dates of birth never change, so the patient's revision does not matter. */
export const saveNameIndexes = (
  db: Queryable,
  rows: readonly { account_id: string; patient_key: number; surname_index: Bytes; dob_index: Bytes }[],
) => db.run(save, [JSON.stringify(rows)]);
