import { type Queryable, sql } from "./db.ts";

/** One change of an order, in the words of the tables: what is null stays as it is. */
export type OrderChange = {
  account_id: string;
  order_number: string;
  /** As it was when the change was decided on; another one by now is a conflict. */
  revision: number;
  at: Date;
  order_status: string;
  stage: string | null;
  held_from: string | null;
  exception_ids: number[];
  sequence: number;
  address_sealed: string | null;
  ship_state: string | null;
  payment_status: string | null;
  payment_reference: string | null;
  /** It gives back what it took: units of prescriptions, and what was set aside on the shelf. */
  gives_back: boolean;
  raised: number[];
  resolved: { exception_id: number; resolved_by: string; confirmed: string | null }[];
  history: { actor: string; event: string; from: string; to: string; exception_id: number | null }[];
  events: { event_id: string; event_type: string; patient_id: string; body: string }[];
};

const change = sql<[change: string], { conflict_unless: true; restocked: string[] }>`
with given as (
  select $1::jsonb as j
), changed as (
  update orders o
  set revision = o.revision + 1, order_status = j->>'order_status', stage = j->>'stage', held_from = j->>'held_from',
    exception_ids = array(select jsonb_array_elements_text(j->'exception_ids')::integer),
    open_exceptions = jsonb_array_length(j->'exception_ids'), sequence = (j->>'sequence')::integer,
    address_sealed = coalesce((j->>'address_sealed')::bytea, o.address_sealed),
    ship_state = coalesce(j->>'ship_state', o.ship_state),
    payment_status = coalesce(j->>'payment_status', o.payment_status),
    payment_reference = coalesce(j->>'payment_reference', o.payment_reference),
    updated_at = greatest(o.updated_at, (j->>'at')::timestamptz)
  from given
  where o.account_id = j->>'account_id' and o.order_number = j->>'order_number'
    and o.revision = (j->>'revision')::integer
  returning o.account_id, o.order_number
), let_go as (
  select i.account_id, i.order_number, i.item_id, i.prescription_id, i.sku, i.units, i.reserved
  from changed c, given, order_item i
  where (j->>'gives_back')::boolean and i.account_id = c.account_id and i.order_number = c.order_number
), items as (
  update order_item i
  set pending = false, reserved = false
  from let_go l
  where i.account_id = l.account_id and i.order_number = l.order_number and i.item_id = l.item_id
), units_back as (
  update prescription r
  set units_ordered = r.units_ordered - l.units
  from (
    select account_id, prescription_id, sum(units) as units
    from let_go
    where prescription_id is not null
    group by account_id, prescription_id) l
  where r.account_id = l.account_id and r.prescription_id = l.prescription_id
), shelf as (
  update stock s
  set reserved_units = s.reserved_units - l.units
  from (
    select account_id, sku, sum(units) as units
    from let_go
    where reserved
    group by account_id, sku) l
  where s.account_id = l.account_id and s.sku = l.sku
  returning s.account_id, s.sku, l.units, s.on_hand_units - s.reserved_units as available_units
), entries as (
  insert into stock_entry (account_id, sku, kind, units, order_number, at)
  select f.account_id, f.sku, 'released', f.units, j->>'order_number', (j->>'at')::timestamptz
  from given, shelf f
), resolved as (
  update order_exception e
  set resolved_at = (j->>'at')::timestamptz, resolved_by = r.resolved_by, confirmed = r.confirmed
  from changed c, given,
    jsonb_to_recordset(j->'resolved') as r(exception_id integer, resolved_by text, confirmed text)
  where e.account_id = c.account_id and e.order_number = c.order_number and e.exception_id = r.exception_id
    and e.resolved_at is null
), raised as (
  insert into order_exception (account_id, order_number, exception_id, raised_at, occurrence)
  select c.account_id, c.order_number, x.exception_id::integer, (j->>'at')::timestamptz, 1 + (
      select count(*)
      from order_exception e
      where e.account_id = c.account_id and e.order_number = c.order_number
        and e.exception_id = x.exception_id::integer)
  from changed c, given, jsonb_array_elements_text(j->'raised') as x(exception_id)
), history as (
  insert into order_history (account_id, order_number, at, actor, event, "from", "to", exception_id)
  select c.account_id, c.order_number, (j->>'at')::timestamptz, h.actor, h.event, h."from", h."to", h.exception_id
  from changed c, given, jsonb_populate_recordset(null::order_history, j->'history') h
), events as (
  insert into webhook_event (account_id, event_id, event_type, patient_id, order_number, body, created_at)
  select c.account_id, e.event_id, e.event_type, e.patient_id, c.order_number, e.body, (j->>'at')::timestamptz
  from changed c, given, jsonb_populate_recordset(null::webhook_event, j->'events') e
)
select conflict_unless(exists (select from changed)),
  array(select sku from shelf where available_units > 0 and available_units <= units) as restocked
from given`;
/**
 * Saves a change of an order that nobody changed meanwhile, with its history and its events: one statement. Tells which
 * products are there again that were not.
 */
export const saveOrderChange = async (db: Queryable, changed: OrderChange) =>
  (await db.row(change, [JSON.stringify(changed)]))!;
