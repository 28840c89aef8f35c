import { type Queryable, sql } from "../db.ts";

export type Lag = {
  what: "messages" | "prescriptions" | "parcels" | "payments";
  waiting: number;
  /** Real time, not the account's clock. */
  oldest_at: Date | null;
};

const lags = sql<[now: Date], Lag>`
select w.what, coalesce(sum(l.waiting), 0)::integer as waiting, min(l.oldest_at) as oldest_at
from (values ('messages'), ('prescriptions'), ('parcels'), ('payments')) as w(what)
left join (
  select 'messages' as what, count(*) as waiting, min(m.received_at) as oldest_at
  from intake_message m
  join account a on a.account_id = m.account_id
  where m.state = 'received'
  union all
  select 'prescriptions', count(*), min(r.order_due_at - make_interval(secs => a.clock_offset_s))
  from prescription r
  join account a on a.account_id = r.account_id
  where r.order_due_at <= $1::timestamptz + make_interval(secs => a.clock_offset_s)
  union all
  select 'parcels', count(*), min(s.next_scan_at - make_interval(secs => a.clock_offset_s))
  from shipment s
  join account a on a.account_id = s.account_id
  where s.next_scan_at <= $1::timestamptz + make_interval(secs => a.clock_offset_s)
  union all
  select 'payments', count(*), min(e.at - make_interval(secs => a.clock_offset_s))
  from payment_entry e
  join account a on a.account_id = e.account_id
  where e.state = 'asked') l on l.what = w.what
group by w.what
order by w.what`;
/** Overdue work, by the job that does it. */
export const listLags = (db: Queryable, now: Date) => db.rows(lags, [now]);
