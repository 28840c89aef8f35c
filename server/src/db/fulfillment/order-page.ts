import type {
  ActionKey,
  DrugSchedule,
  Environment,
  EventType,
  ExceptionId,
  OrderStatus,
  ShipmentStatus,
  Stage,
  TransitionEvent,
} from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";

/** Order data that only the pharmacy's people see. */
export type OrderFacts = {
  partner: string;
  environment: Environment;
  clock_offset_s: number;
  queue: string;
  stage_since: Date;
  brand: string | null;
  method: { id: number; name: string; carrier: string; service: string; cold_chain: boolean };
  items: {
    item_id: number;
    name: string;
    drug_schedule: DrugSchedule;
    cold_chain: boolean;
  }[];
};

const facts = sql<[account_id: string, order_number: string], OrderFacts>`
select p.name as partner, a.environment, a.clock_offset_s, o.queue, o.stage_since, b.name as brand,
  json_build_object('id', m.id, 'name', m.name, 'carrier', m.carrier, 'service', m.service, 'cold_chain', m.cold_chain)
    as method,
  (
    select json_agg(json_build_object('item_id', i.item_id, 'name', d.name, 'drug_schedule', d.drug_schedule,
      'cold_chain', d.cold_chain) order by i.item_id)
    from order_item i
    join product d on d.account_id = i.account_id and d.sku = i.sku
    where i.account_id = o.account_id and i.order_number = o.order_number and i.removed_at is null) as items
from orders o
join account a on a.account_id = o.account_id
join partner p on p.partner_id = a.partner_id
join shipping_method m on m.account_id = o.account_id and m.id = o.shipping_method_id
left join brand b on b.account_id = o.account_id and b.id = o.brand_id
where o.account_id = $1 and o.order_number = $2`;
export const loadOrderFacts = (db: Queryable, account_id: string, order_number: string) =>
  db.row(facts, [account_id, order_number]);

export type HistoryLine = {
  at: Date;
  actor: string;
  person_id: string | null;
  event: TransitionEvent;
  from: OrderStatus | null;
  to: OrderStatus;
  stage: Stage | null;
  exception_id: ExceptionId | null;
  note_id: string | null;
};
const history = sql<[account_id: string, order_number: string, most: number], HistoryLine>`
select at, actor, person_id, event, "from", "to", stage, exception_id, note_id
from order_history
where account_id = $1 and order_number = $2
order by history_position desc
limit $3`;
/** Newest first, with the person who acted. */
export const listHistoryLines = (db: Queryable, account_id: string, order_number: string, most: number) =>
  db.rows(history, [account_id, order_number, most]);

type LastChange = {
  revision: number;
  at: Date;
  actor: string;
  person_id: string | null;
  name: string | null;
  claimed_by: string | null;
};
const last_change = sql<[account_id: string, order_number: string, now: Date], LastChange>`
select o.revision, h.at, h.actor, h.person_id, p.name, c.name as claimed_by
from orders o
cross join lateral (
  select h.at, h.actor, h.person_id
  from order_history h
  where h.account_id = o.account_id and h.order_number = o.order_number
  order by h.history_position desc
  limit 1) h
left join person p on p.person_id = h.person_id
left join person c on c.person_id = o.claimed_by and o.claimed_until > $3
where o.account_id = $1 and o.order_number = $2`;
/** The order's revision, and the newest row of its history. */
export const findLastChange = (db: Queryable, account_id: string, order_number: string, now: Date) =>
  db.row(last_change, [account_id, order_number, now]);

export type ScanLine = {
  shipment_id: number;
  tracking_no: string;
  at: Date;
  status: ShipmentStatus;
  place: string | null;
  description: string;
};
const scans = sql<[account_id: string, order_number: string], ScanLine>`
select c.shipment_id, s.tracking_no, c.at, c.status, c.place, c.description
from shipment_scan c
join shipment s on s.account_id = c.account_id and s.order_number = c.order_number and s.shipment_id = c.shipment_id
where c.account_id = $1 and c.order_number = $2
order by c.at desc`;
export const listScanLines = (db: Queryable, account_id: string, order_number: string) =>
  db.rows(scans, [account_id, order_number]);

export type PaymentRow = {
  at: Date;
  kind: "authorisation" | "capture" | "void" | "refund" | "fee" | "dispute";
  state: "asked" | "done";
  amount_cents: number;
  reason_id: number | null;
  actor: string;
  problem: string | null;
};
const payments = sql<[account_id: string, order_number: string], PaymentRow>`
select at, kind, state, amount_cents, reason_id, actor, problem
from payment_entry
where account_id = $1 and order_number = $2
order by at desc`;
export const listPaymentRows = (db: Queryable, account_id: string, order_number: string) =>
  db.rows(payments, [account_id, order_number]);

export type ActionLine = { at: Date; event: ActionKey; exception_id: ExceptionId | null };
const asked = sql<[account_id: string, order_number: string], ActionLine>`
select created_at as at, event, exception_id
from order_action_request
where account_id = $1 and order_number = $2
order by created_at desc, id desc`;
export const listActionLines = (db: Queryable, account_id: string, order_number: string) =>
  db.rows(asked, [account_id, order_number]);

export type ViewLine = { at: Date; person_id: string | null; role: string | null; action: string };
const views = sql<[account_id: string, subject: string, actions: readonly string[], most: number], ViewLine>`
select at, person_id, role, action
from audit_entry
where account_id = $1 and subject = $2 and action = any($3)
order by at desc
limit $4`;
/** Who viewed the order, newest first. */
export const listViews = (
  db: Queryable,
  account_id: string,
  subject: string,
  actions: readonly string[],
  most: number,
) => db.rows(views, [account_id, subject, actions, most]);

export type WebhookLine = {
  at: Date;
  event_type: EventType;
  url: string | null;
  attempt: number;
  status: number | null;
  error: string | null;
  delivery_status: "pending" | "delivered" | "failed";
};
const webhooks = sql<[account_id: string, order_number: string, most: number], WebhookLine>`
select t.at, e.event_type, p.url, t.attempt, t.status, t.error, t.delivery_status
from webhook_event e
join webhook_attempt t on t.account_id = e.account_id and t.event_id = e.event_id
left join webhook_endpoint p on p.account_id = t.account_id and p.endpoint_id = t.endpoint_id
where e.account_id = $1 and e.order_number = $2
order by t.at desc
limit $3`;
/** Webhook deliveries about the order, newest first. The URL is null if the endpoint was deleted. */
export const listWebhookLines = (db: Queryable, account_id: string, order_number: string, most: number) =>
  db.rows(webhooks, [account_id, order_number, most]);

const names = sql<[person_ids: readonly string[]], { person_id: string; name: string }>`
select person_id, name
from person
where person_id = any($1)`;
export const listNames = (db: Queryable, person_ids: readonly string[]) => db.rows(names, [person_ids]);
