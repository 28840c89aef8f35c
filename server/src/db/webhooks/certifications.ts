import { type Queryable, sql, type Tx } from "../db.ts";

export type CertificationRow = { started_at: Date; finished_at: Date | null; report: string | null };
const one = sql<[account_id: string, endpoint_id: string], CertificationRow>`
select started_at, finished_at, report
from webhook_certification
where account_id = $1 and endpoint_id = $2`;
export const findCertification = (db: Queryable, account_id: string, endpoint_id: string) =>
  db.row(one, [account_id, endpoint_id]);

const running = sql<[account_id: string, since: Date], { started_at: Date }>`
select started_at
from webhook_certification
where account_id = $1 and finished_at is null and started_at > $2
order by started_at desc
limit 1`;
/** The run of an account that began after a time and has not finished. */
export const runningCertification = (db: Queryable, account_id: string, since: Date) =>
  db.row(running, [account_id, since]);

const begin = sql<[account_id: string, endpoint_id: string, now: Date]>`
insert into webhook_certification (account_id, endpoint_id, started_at)
values ($1, $2, $3)
on conflict (account_id, endpoint_id) do update
set started_at = $3, finished_at = null`;
/** Keeps the report of the run before until this one finishes. */
export const beginCertification = (tx: Tx, account_id: string, endpoint_id: string, now: Date) =>
  tx.run(begin, [account_id, endpoint_id, now]);

const finish = sql<[account_id: string, endpoint_id: string, started_at: Date, report: string | null, now: Date]>`
update webhook_certification
set report = coalesce($4, report), finished_at = $5
where account_id = $1 and endpoint_id = $2 and started_at = $3`;
/** Changes nothing if a later run has begun. Null keeps the report of the run before. */
export const finishCertification = (
  db: Queryable,
  account_id: string,
  endpoint_id: string,
  run: { started_at: Date; report: string | null; now: Date },
) => db.run(finish, [account_id, endpoint_id, run.started_at, run.report, run.now]);
