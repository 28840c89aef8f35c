import { expect } from "vitest";
import { storedEvents } from "./stored-events.ts";
import type { TestApp } from "./test-app.ts";

/** Rules that hold for an account after any order history. Each statement finds violations. */
const FAULTS = {
  "units of prescriptions that no order has, or orders' units that no prescription gave": `
    select r.prescription_id, r.units_ordered, coalesce(sum(i.units), 0) as units
    from prescription r
    left join (order_item i join orders o on o.account_id = i.account_id and o.order_number = i.order_number
      and o.order_status <> 'Canceled') on i.account_id = r.account_id and i.prescription_id = r.prescription_id
      and i.removed_at is null
    where r.account_id = $1
    group by r.prescription_id, r.units_ordered
    having r.units_ordered <> coalesce(sum(i.units), 0)`,
  "reserved units that differ from the open orders": `
    select s.sku, s.reserved_units, coalesce(sum(i.units), 0) as units
    from stock s
    left join order_item i on i.account_id = s.account_id and i.sku = s.sku and i.reserved
    where s.account_id = $1
    group by s.sku, s.reserved_units
    having s.reserved_units <> coalesce(sum(i.units), 0)`,
  "a shelf whose entries do not add up": `
    select s.sku
    from stock s
    left join stock_entry e on e.account_id = s.account_id and e.sku = s.sku
    where s.account_id = $1
    group by s.sku, s.reserved_units
    having s.reserved_units <> coalesce(sum(case e.kind when 'reserved' then e.units when 'released' then -e.units
      when 'dispensed' then -e.units else 0 end), 0)`,
  "a shelf whose lots, filled or returned units differ from its lots, items and entries": `
    select s.sku
    from stock s
    where s.account_id = $1 and (
      s.lot_units <> (
        select coalesce(sum(l.on_hand_units), 0)
        from stock_lot l
        where l.account_id = s.account_id and l.sku = s.sku)
      or s.loose_filled_units > s.on_hand_units - s.lot_units
      or s.loose_filled_units <> (
        select coalesce(sum(l.units - l.shelf_units), 0)
        from item_lot l
        join order_item i on i.account_id = l.account_id and i.order_number = l.order_number and i.item_id = l.item_id
        where l.account_id = s.account_id and l.sku = s.sku and i.pending)
      or s.returned_units <> (
        select coalesce(sum(case e.kind when 'returned' then e.units when 'returned_destroyed' then -e.units end), 0)
        from stock_entry e
        where e.account_id = s.account_id and e.sku = s.sku))`,
  "a lot whose units differ from its items and entries": `
    select l.sku, l.lot
    from stock_lot l
    where l.account_id = $1 and (
      l.filled_units <> (
        select coalesce(sum(t.shelf_units), 0)
        from item_lot t
        join order_item i on i.account_id = t.account_id and i.order_number = t.order_number and i.item_id = t.item_id
        where t.account_id = l.account_id and t.sku = l.sku and upper(t.lot) = l.lot and i.pending)
      or l.on_hand_units <> (
        select coalesce(sum(case when e.kind in ('received', 'counted') then e.lot_units else -e.lot_units end), 0)
        from stock_entry e
        where e.account_id = l.account_id and e.sku = l.sku and e.lot = l.lot)
      or l.returned_units <> (
        select coalesce(sum(case e.kind when 'returned' then e.units when 'returned_destroyed' then -e.units end), 0)
        from stock_entry e
        where e.account_id = l.account_id and e.sku = l.sku and e.lot = l.lot))`,
  "an item that is filled without lots, or whose lots do not add up": `
    select i.order_number, i.item_id
    from order_item i
    left join item_lot l on l.account_id = i.account_id and l.order_number = i.order_number and l.item_id = i.item_id
    where i.account_id = $1
    group by i.order_number, i.item_id, i.lot, i.units
    having (i.lot is null) <> (count(l.lot) = 0) or sum(l.units) <> i.units`,
  "an item that waits in an order that has ended, or does not in one that has not": `
    select o.order_number, o.order_status
    from orders o
    join order_item i on i.account_id = o.account_id and i.order_number = o.order_number
    where o.account_id = $1
      and i.pending <> (o.order_status not in ('Shipped', 'Delivered', 'Canceled') and i.removed_at is null)`,
  "a hold without an open exception, or an open exception without a hold": `
    select o.order_number
    from orders o
    left join order_exception e on e.account_id = o.account_id and e.order_number = o.order_number
      and e.resolved_at is null
    where o.account_id = $1
    group by o.order_number, o.order_status, o.exception_ids
    having (o.order_status = 'On Hold') <> (count(e.exception_id) > 0)
      or o.exception_ids <> array_remove(array_agg(e.exception_id order by e.exception_id), null)`,
  "a history with a gap": `
    select order_number
    from (
      select h.order_number, h."from", lag(h."to") over own as before, h."to", o.order_status,
        lead(h."to") over own is null as is_last
      from order_history h
      join orders o on o.account_id = h.account_id and o.order_number = h.order_number
      where h.account_id = $1
      window own as (partition by h.order_number order by h.history_position)) told
    where "from" is distinct from before or is_last and "to" <> order_status`,
  "amounts that differ from the payment entries": `
    select o.order_number, o.captured_cents, o.refunded_cents
    from orders o
    left join payment_entry p on p.account_id = o.account_id and p.order_number = o.order_number
    where o.account_id = $1
    group by o.order_number, o.order_status, o.payment_status, o.amount_cents, o.captured_cents, o.refunded_cents
    having o.captured_cents <> coalesce(sum(p.amount_cents) filter (where p.kind = 'capture'), 0)
      or o.refunded_cents <> coalesce(sum(p.amount_cents) filter (where p.kind = 'refund'), 0)
      or o.captured_cents <> case when o.order_status in ('Shipped', 'Delivered') then o.amount_cents else 0 end
      or (o.order_status = 'Canceled') <> (o.payment_status = 'voided')
      or (o.payment_status = 'refunded') <> (o.captured_cents > 0 and o.refunded_cents = o.captured_cents)`,
  "payments that differ from their lines in the ledger": `
    select p.order_number, p.kind, p.amount_cents
    from payment_entry p
    left join money_entry e on e.account_id = p.account_id and e.source_id = p.payment_entry_id and e.booked_at = p.at
    where p.account_id = $1 and p.kind in ('capture', 'refund')
    group by p.order_number, p.payment_entry_id, p.kind, p.amount_cents
    having coalesce(sum(e.amount_cents), 0) <> case p.kind when 'refund' then -p.amount_cents else p.amount_cents end`,
} as const;

/** Checks that units, stock, holds, history, events and money of an account agree. */
export async function expectBalanced({ deps, demo }: Pick<TestApp, "deps" | "demo">, partner = 0): Promise<void> {
  const { account_id } = demo.partners[partner]!;
  for (const [what, text] of Object.entries(FAULTS)) {
    expect((await deps.db.raw(text, [account_id])).rows, what).toEqual([]);
  }
  expect(await gapsInSequences(deps, account_id), "a sequence with a gap").toEqual([]);
}

/** Orders whose events do not count from 1 to the order's sequence. The number is in the sealed body. */
async function gapsInSequences(deps: TestApp["deps"], account_id: string): Promise<unknown[]> {
  const read = async () =>
    (await deps.db.raw("select order_number, sequence from orders where account_id = $1", [account_id])).rows;
  const before = await read();
  const events = await storedEvents(deps, "where account_id = $1 and order_number is not null", [account_id]);
  // A job may place or change an order meanwhile. Only the others can be compared.
  const steady = new Set((await read()).map(({ order_number, sequence }) => `${order_number} ${sequence}`));
  const rows = before.filter(({ order_number, sequence }) => steady.has(`${order_number} ${sequence}`));
  return rows.filter(({ order_number, sequence }) => {
    const own = events.filter((event) => event.order_number === order_number);
    // Payments and messages have none.
    const numbers = new Set(own.flatMap(({ body }) => (JSON.parse(body) as { sequence?: number }).sequence ?? []));
    return numbers.size !== sequence || Math.max(0, ...numbers) !== sequence;
  });
}
