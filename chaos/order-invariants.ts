import type { Queryable } from "../server/src/db/db.ts";

const LEDGER = `
select s.sku
from stock s
left join (
  select sku,
    sum(case when kind in ('received', 'counted') then units when kind in ('dispensed', 'destroyed') then -units
      else 0 end) as on_hand,
    sum(case when kind = 'reserved' then units when kind in ('released', 'dispensed') then -units else 0 end) as reserved
  from stock_entry
  where account_id = $1
  group by 1) told using (sku)
where s.account_id = $1
  and (s.on_hand_units <> coalesce(told.on_hand, 0) or s.reserved_units <> coalesce(told.reserved, 0))`;
/** Shelves of an account whose ledger differs from their stock. Empty if all agree. */
export const brokenShelves = async (db: Queryable, account_id: string) => (await db.raw(LEDGER, [account_id])).count;

/** Rules that hold for an account's orders at any time. Each statement finds violations. */
const INVARIANTS: Record<string, string> = {
  "a prescription's ordered units equal those of its orders and never exceed its authorized units": `
    select r.prescription_id
    from prescription r
    left join (
      select i.prescription_id, sum(i.units) as units
      from order_item i
      join orders o using (account_id, order_number)
      where i.account_id = $1 and o.order_status <> 'Canceled'
      group by 1) taken using (prescription_id)
    where r.account_id = $1
      and (r.units_ordered <> coalesce(taken.units, 0) or r.units_ordered > r.units_authorized)`,
  "reserved units equal those of open orders and never exceed the stock": `
    select s.sku
    from stock s
    left join (
      select sku, sum(units) as units
      from order_item
      where account_id = $1 and reserved and pending
      group by 1) taken using (sku)
    where s.account_id = $1
      and (s.reserved_units <> coalesce(taken.units, 0) or s.reserved_units > s.on_hand_units or s.reserved_units < 0)`,
  "the stock ledger adds up to the stock": LEDGER,
  "each order's reservation appears once in the ledger": `
    select order_number, sku, sum(units)
    from (
      select order_number, sku, units
      from order_item
      where account_id = $1 and reserved
      union all
      select order_number, sku, -units
      from stock_entry
      where account_id = $1 and kind = 'reserved') as both_sides
    group by 1, 2
    having sum(units) <> 0`,
  "each order has one create entry in its history": `
    select o.order_number
    from orders o
    left join order_history h
      on h.account_id = o.account_id and h.order_number = o.order_number and h.event = 'create'
    where o.account_id = $1
    group by 1
    having count(h.*) <> 1`,
  "each order sent one event for its creation, one for its prescriptions, and one for each exception": `
    select o.order_number
    from orders o
    left join webhook_event e on e.account_id = o.account_id and e.order_number = o.order_number
    where o.account_id = $1
    group by o.account_id, o.order_number, o.exception_ids
    having count(*) filter (where e.event_type = 'ORDER_UPDATED') <> 1
      or count(*) filter (where e.event_type = 'ORDER_EXCEPTION') <> cardinality(o.exception_ids)
      or count(*) filter (where e.event_type = 'RX_UPDATED') <> (
        select count(*)
        from (
          select
          from order_item i
          where i.account_id = o.account_id and i.order_number = o.order_number and i.prescription_id is not null
          limit 1) as prescribed)`,
  "an order's exception ids equal its open exceptions": `
    select o.order_number
    from orders o
    where o.account_id = $1 and o.exception_ids <> array(
      select e.exception_id
      from order_exception e
      where e.account_id = o.account_id and e.order_number = o.order_number and e.resolved_at is null
      order by 1)`,
  "every history entry, event and item belongs to an existing order": `
    select told.order_number
    from (
      select order_number from order_history where account_id = $1
      union
      select order_number from webhook_event where account_id = $1 and order_number is not null
      union
      select order_number from stock_entry where account_id = $1 and order_number is not null
      union
      select order_number from order_fingerprint where account_id = $1) as told
    where not exists (
      select
      from orders o
      where o.account_id = $1 and o.order_number = told.order_number)`,
  "of a patient's open orders for the same medication, at most one is not held by 68": `
    select i.patient_key, i.gcn
    from order_item i
    join orders o using (account_id, order_number)
    where i.account_id = $1 and i.pending and i.gcn is not null
    group by 1, 2
    having count(distinct o.order_number) filter (where not 68 = any(o.exception_ids)) > 1`,
};

/** The violated rules with their counts. Empty if all hold. */
export async function brokenInvariants(db: Queryable, account_id: string): Promise<string[]> {
  const broken: string[] = [];
  for (const [promise, text] of Object.entries(INVARIANTS)) {
    const { count } = await db.raw(text, [account_id]);
    if (count > 0) broken.push(`${count} violations: ${promise}`);
  }
  return broken;
}
