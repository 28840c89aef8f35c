import type { Queryable } from "../../server/src/db/db.ts";
import type { Campaign } from "./campaigns.ts";

type DatabaseInvariant = {
  promise: string;
  /** The campaigns that run the statement at their end. */
  campaigns: readonly Campaign[];
  /** Finds violations of an account ($1). */
  statement: string;
};

/** Campaigns of journeys with webhooks to receivers. */
const JOURNEYS = ["kills", "restarts", "network", "webhooks", "failover", "versions"] as const;
/** Those that cancel nothing. */
const KEEPING = ["races", "sdk", ...JOURNEYS, "recovery"] as const;
const EVERYWHERE = ["soak", ...KEEPING] as const;

/** Rules that the rows of an account keep. */
export const databaseInvariants = {
  prescription_units: {
    promise: "A prescription's ordered units equal those of its orders and never exceed its authorized units.",
    campaigns: EVERYWHERE,
    statement: `
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
  },
  reserved_units: {
    promise: "Reserved units equal those of open orders and never exceed the stock.",
    campaigns: EVERYWHERE,
    statement: `
    select s.sku
    from stock s
    left join (
      select sku, sum(units) as units
      from order_item
      where account_id = $1 and reserved and pending
      group by 1) taken using (sku)
    where s.account_id = $1
      and (s.reserved_units <> coalesce(taken.units, 0) or s.reserved_units > s.on_hand_units or s.reserved_units < 0)`,
  },
  stock_ledger: {
    promise: "The stock ledger adds up to the stock.",
    campaigns: ["lifecycle", "distribute", ...EVERYWHERE],
    statement: `
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
      and (s.on_hand_units <> coalesce(told.on_hand, 0) or s.reserved_units <> coalesce(told.reserved, 0))`,
  },
  one_reservation: {
    promise: "Each order's reservation appears once in the stock ledger.",
    campaigns: KEEPING,
    statement: `
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
  },
  one_creation: {
    promise: "Each order has one create entry in its history.",
    campaigns: EVERYWHERE,
    statement: `
    select o.order_number
    from orders o
    left join order_history h
      on h.account_id = o.account_id and h.order_number = o.order_number and h.event = 'create'
    where o.account_id = $1
    group by 1
    having count(h.*) <> 1`,
  },
  events_of_new_orders: {
    promise: "Each new order has one event for its creation, one for its prescriptions, and one for each exception.",
    campaigns: ["races", "sdk"],
    statement: `
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
  },
  open_exceptions: {
    promise: "An order's exception ids equal its open exceptions.",
    campaigns: EVERYWHERE,
    statement: `
    select o.order_number
    from orders o
    where o.account_id = $1 and o.exception_ids <> array(
      select e.exception_id
      from order_exception e
      where e.account_id = o.account_id and e.order_number = o.order_number and e.resolved_at is null
      order by 1)`,
  },
  no_orphans: {
    promise: "Every history entry, event, stock entry and fingerprint belongs to an existing order.",
    campaigns: EVERYWHERE,
    statement: `
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
  },
  one_open_order_per_drug: {
    promise: "Exception 68 holds all but one of a patient's open orders for the same medication.",
    campaigns: EVERYWHERE,
    statement: `
    select i.patient_key, i.gcn
    from order_item i
    join orders o using (account_id, order_number)
    where i.account_id = $1 and i.pending and i.gcn is not null
    group by 1, 2
    having count(distinct o.order_number) filter (where not 68 = any(o.exception_ids)) > 1`,
  },
  status_by_history: {
    promise: "The last entry of an order's history has the order's status.",
    campaigns: EVERYWHERE,
    statement: `
    select o.order_number
    from orders o
    cross join lateral (
      select h."to"
      from order_history h
      where h.account_id = o.account_id and h.order_number = o.order_number
      order by h.history_position desc
      limit 1) last
    where o.account_id = $1 and last."to" <> o.order_status`,
  },
  one_prescription_per_message: {
    promise: "A message of a prescriber makes one prescription.",
    campaigns: [...JOURNEYS, "recovery"],
    statement: `
    select sender, sender_message_id
    from prescription
    where account_id = $1
    group by 1, 2
    having count(*) > 1`,
  },
  every_event_has_deliveries: {
    promise: "Each event is delivered to each endpoint that subscribed before, or is in its queue.",
    campaigns: JOURNEYS,
    statement: `
    select e.event_id, p.endpoint_id
    from webhook_event e
    join webhook_endpoint p on p.account_id = e.account_id and p.events = '{}' and p.created_at <= e.created_at
    where e.account_id = $1 and e.event_type in ('RX_RECEIVED', 'RX_UPDATED', 'ORDER_EXCEPTION')
      and not exists (
        select
        from webhook_delivery d
        where d.account_id = e.account_id and d.event_id = e.event_id and d.endpoint_id = p.endpoint_id)
      and not exists (
        select
        from webhook_attempt t
        where t.account_id = e.account_id and t.event_id = e.event_id and t.endpoint_id = p.endpoint_id)`,
  },
  deliveries_have_events: {
    promise: "Each queued delivery and each attempt belongs to a stored event.",
    campaigns: JOURNEYS,
    statement: `
    select told.event_id
    from (
      select event_id from webhook_delivery where account_id = $1
      union
      select event_id from webhook_attempt where account_id = $1) as told
    where not exists (
      select
      from webhook_event e
      where e.account_id = $1 and e.event_id = told.event_id)`,
  },
  delivered_once: {
    promise: "The attempts of a delivery are numbered without gaps, and at most one of them delivered the event.",
    campaigns: JOURNEYS,
    statement: `
    select event_id, endpoint_id
    from webhook_attempt
    where account_id = $1
    group by 1, 2
    having max(attempt) <> count(*) or count(*) filter (where delivery_status = 'delivered') > 1`,
  },
  positions_are_unique: {
    promise: "No two events of an account have the same position in the feed.",
    campaigns: EVERYWHERE,
    statement: `
    select feed_position, event_position
    from webhook_event
    where account_id = $1
    group by 1, 2
    having count(*) > 1`,
  },
  positions_below_next: {
    promise: "No stored event has a position above the next one that the database assigns.",
    campaigns: EVERYWHERE,
    statement: `
    select event_id
    from webhook_event
    where account_id = $1 and feed_position >= (select webhook_feed_position())`,
  },
} as const satisfies Record<string, DatabaseInvariant>;

/** The rules of a campaign that an account's rows violate, with their counts. Empty if all hold. */
export async function brokenInvariants(db: Queryable, campaign: Campaign, account_id: string): Promise<string[]> {
  const broken: string[] = [];
  for (const [name, { promise, campaigns, statement }] of Object.entries<DatabaseInvariant>(databaseInvariants)) {
    if (!campaigns.includes(campaign)) continue;
    const { count } = await db.raw(statement, [account_id]);
    if (count > 0) broken.push(`${count} violations of ${name}: ${promise}`);
  }
  return broken;
}
