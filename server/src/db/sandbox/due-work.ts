import type { ClosedUntil } from "../../domain/statements/months.ts";
import { type Queryable, sql } from "../db.ts";

/** Which work an account may have by its clock. Each work itself decides what is due. */
export type DueWork = {
  parcels: boolean;
  rechecks: boolean;
  back_orders: boolean;
  prescriptions: boolean;
  schedules: boolean;
  fills: boolean;
  notices: boolean;
  requests: boolean;
  clock_offset_s: number;
  /** The ledger and its first line that is in no closed month; null if there is none. */
  ledger: (ClosedUntil & { first_open_at: Date }) | null;
};

type Row = Omit<DueWork, "ledger" | "rechecks"> & {
  /** Patients, or orders of prescriptions that ended. */
  patients: boolean;
  ended: boolean;
  closed_until: Date | null;
  closed_month: string | null;
  first_open_at: Date | null;
};

// The addition may leak what it reads, so a row-level policy keeps it from an index search. `offset 0` computes it first, as a plain value.
const due = sql<[account_id: string, now: Date], Row>`
select a.clock_offset_s, (
    select l.closed_until
    from ledger l
    where l.account_id = $1) as closed_until, (
    select l.closed_month
    from ledger l
    where l.account_id = $1) as closed_month, (
    select min(e.booked_at)
    from money_entry e
    where e.account_id = $1 and e.booked_at >= (
      select l.closed_until
      from ledger l
      where l.account_id = $1)) as first_open_at,
  exists (
    select
    from shipment s
    where s.account_id = $1 and s.next_scan_at <= c.now) as parcels,
  exists (
    select
    from patient p
    where p.account_id = $1 and p.recheck_due) as patients,
  exists (
    select
    from order_item i
    where i.account_id = $1 and i.pending and (
      select case when r.active and r.acceptance <> 'rejected' then r.expires_at <= c.now else true end
      from prescription r
      where r.account_id = $1 and r.prescription_id = i.prescription_id)) as ended,
  exists (
    select
    from order_item i
    where i.account_id = $1 and i.pending and not i.reserved) as back_orders,
  a.workflow = 'automatic' and exists (
    select
    from prescription r
    where r.account_id = $1 and r.order_due_at <= c.now) as prescriptions,
  exists (
    select
    from refill_schedule s
    where s.account_id = $1 and s.due_at <= c.now) as schedules,
  exists (
    select
    from refill_schedule s
    join orders o on o.account_id = s.account_id and o.order_number = s.last_order_number
    where s.account_id = $1 and o.order_status in ('Processing', 'Filling')) as fills,
  exists (
    select
    from prescription r
    where r.account_id = $1 and r.active and r.expiry_notice_at <= c.now) as notices,
  exists (
    select
    from prescriber_message m
    where m.account_id = $1 and m.kind in ('renewal', 'change') and m.state in ('queued', 'sent')) as requests
from account a
cross join lateral (select $2::timestamptz + make_interval(secs => a.clock_offset_s) as now offset 0) c
where a.account_id = $1`;
/** `now` is real time. */
export async function loadDueWork(db: Queryable, account_id: string, now: Date): Promise<DueWork | undefined> {
  const row = await db.row(due, [account_id, now]);
  if (row === undefined) return undefined;
  const { closed_until, closed_month, first_open_at, patients, ended, ...works } = row;
  const ledger = closed_until === null || first_open_at === null ? null : { closed_until, closed_month, first_open_at };
  return { ...works, rechecks: patients || ended, ledger };
}
