import type { Environment, Workflow } from "@pestle/contract";
import { type Queryable, sql, statementOf } from "../db.ts";
import type { Bytes } from "../values.ts";
import type { NewEvent } from "../webhooks/new-event.ts";
import { FACT_COLUMNS, type SealedFact } from "./prescriptions.ts";

type NoticeAccount = { account_id: string; workflow: Workflow; clock_offset_s: number };

const accounts = sql<[account_id: string | null, environment: Environment | null, now: Date], NoticeAccount>`
select a.account_id, a.workflow, a.clock_offset_s
from each_account a
where ($1::text is null or a.account_id = $1) and ($2::text is null or a.environment = $2) and exists (
  select
  from prescription r
  where r.account_id = a.account_id and r.active
    and r.expiry_notice_at <= $3::timestamptz + make_interval(secs => a.clock_offset_s))`;
/** Accounts with prescriptions whose partner needs a notice of expiry, by the accounts' clocks. */
export const listNoticeAccounts = (
  db: Queryable,
  account_id: string | null,
  environment: Environment | null,
  now: Date,
) => db.rows(accounts, [account_id, environment, now]);

export type DueNotice = SealedFact & { expiry_notice_at: Date };

const due = statementOf<[account_id: string, now: Date, most: number], DueNotice>(`
select ${FACT_COLUMNS}, r.expiry_notice_at
from prescription r
where r.account_id = $1 and r.active and r.expiry_notice_at <= $2
order by r.expiry_notice_at
limit $3`);
export const listDueNotices = (db: Queryable, account_id: string, now: Date, most: number) =>
  db.rows(due, [account_id, now, most]);

const save = sql<
  [
    account_id: string,
    prescription_id: number,
    now: Date,
    next_at: Date | null,
    event_id: string | null,
    event_type: string | null,
    body_sealed: Bytes | null,
  ]
>`
with noted as (
  update prescription
  set expiry_notice_at = $4
  where account_id = $1 and prescription_id = $2 and active and expiry_notice_at <= $3
  returning account_id
)
insert into webhook_event (account_id, event_id, event_type, body_sealed, created_at)
select n.account_id, $5, $6, $7, $3
from noted n
where $5::uuid is not null
returning account_id`;
/** Saves the next notice with the event of this one, unless another process did. */
export const saveNotice = (
  db: Queryable,
  {
    account_id,
    prescription_id,
    now,
    next_at,
    event,
  }: {
    account_id: string;
    prescription_id: number;
    now: Date;
    next_at: Date | null;
    event: (Pick<NewEvent, "event_id" | "event_type"> & { body_sealed: Bytes }) | null;
  },
) =>
  db.run(save, [
    account_id,
    prescription_id,
    now,
    next_at,
    event?.event_id ?? null,
    event?.event_type ?? null,
    event?.body_sealed ?? null,
  ]);
