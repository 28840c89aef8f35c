import { stageOfState, statusOfState } from "@pestle/contract";
import { type Queryable, sql } from "../../server/src/db/db.ts";
import { patientIndex } from "../../server/src/usecases/patients/patient-rows.ts";
import type { Vault } from "../../server/src/vault/vault.ts";
import { storedEvents } from "../../server/test/support/stored-events.ts";
import { brokenInvariants } from "../invariants/in-database.ts";
import { historyLine, isOpen, itemsOf, type Life, type Model, openIds } from "./lifecycle-model.ts";
import type { Scene } from "./lifecycle-world.ts";

/** Everything that the database holds about an order. */
type Written = {
  order_number: string;
  revision: number;
  order_status: string;
  stage: string | null;
  held_from: string | null;
  exception_ids: number[];
  open_ids: number[];
  sequence: number;
  payment_status: string;
  amount_cents: number;
  captured_cents: number;
  refunded_cents: number;
  claimed_by: string | null;
  filled_by: string | null;
  items: {
    item_id: number;
    sku: string;
    units: number;
    prescription_id: number | null;
    reserved: boolean;
    pending: boolean;
    removed: boolean;
  }[];
  history: Record<"actor" | "event" | "exception_id" | "from" | "to" | "stage", unknown>[];
  events: { sequence: number; event_type: string }[];
  entries: { kind: string; amount_cents: number }[];
  notes: number;
  parcel: { status: string; look_ms: number | null } | null;
  shelf_moves: { sku: string; kind: string; units: number }[];
};

const ofOrders = sql<[account_id: string, patient_index: Buffer], Omit<Written, "events">>`
select o.order_number, o.revision, o.order_status, o.stage, o.held_from, o.exception_ids, o.sequence, o.payment_status,
  o.amount_cents, o.captured_cents, o.refunded_cents, o.claimed_by, o.filled_by,
  array(
    select e.exception_id
    from order_exception e
    where e.account_id = $1 and e.order_number = o.order_number and e.resolved_at is null
    order by 1) as open_ids,
  (
    select json_agg(json_build_object('item_id', i.item_id, 'sku', i.sku, 'units', i.units, 'reserved', i.reserved,
      'prescription_id', i.prescription_id, 'pending', i.pending, 'removed', i.removed_at is not null) order by i.item_id)
    from order_item i
    where i.account_id = $1 and i.order_number = o.order_number) as items,
  (
    select json_agg(json_build_object('actor', h.actor, 'event', h.event, 'exception_id', h.exception_id,
      'from', h."from", 'to', h."to", 'stage', h.stage) order by h.history_position)
    from order_history h
    where h.account_id = $1 and h.order_number = o.order_number) as history,
  coalesce((
    select json_agg(json_build_object('kind', p.kind, 'amount_cents', p.amount_cents))
    from payment_entry p
    where p.account_id = $1 and p.order_number = o.order_number), '[]') as entries,
  (
    select count(*)::integer
    from order_note n
    where n.account_id = $1 and n.order_number = o.order_number) as notes,
  (
    select json_build_object('status', s.status,
      'look_ms', (extract(epoch from s.next_scan_at) * 1000)::bigint)
    from shipment s
    where s.account_id = $1 and s.order_number = o.order_number) as parcel,
  coalesce((
    select json_agg(json_build_object('sku', e.sku, 'kind', e.kind, 'units', e.units))
    from stock_entry e
    where e.account_id = $1 and e.order_number = o.order_number), '[]') as shelf_moves
from orders o
where o.account_id = $1 and o.patient_key = (
  select p.patient_key from patient p where p.account_id = $1 and p.id_index = $2)`;
const ofPrescriptions = sql<
  [account_id: string, patient_index: Buffer],
  { prescription_id: number; units_ordered: number; units_authorized: number }
>`
select prescription_id, units_ordered::float8 as units_ordered, units_authorized::float8 as units_authorized
from prescription
where account_id = $1 and patient_key = (
  select p.patient_key from patient p where p.account_id = $1 and p.id_index = $2)`;
const ofShelves = sql<[account_id: string], { sku: string; on_hand: number; reserved: number }>`
select sku, on_hand_units::float8 as on_hand, reserved_units::float8 as reserved
from stock
where account_id = $1`;

/** Lists differences between the database and the model, and broken rules that hold regardless of the model. */
export async function faultsOf(
  { db, vault }: { db: Queryable; vault: Vault },
  { account_id, patient_id, model }: Scene,
): Promise<string[]> {
  const index = patientIndex({ vault }, account_id, patient_id);
  const rows = await db.rows(ofOrders, [account_id, index]);
  const events = await storedEvents({ db, vault }, "where account_id = $1 and order_number = any($2)", [
    account_id,
    rows.map(({ order_number }) => order_number),
  ]);
  const written = rows.map((row) => ({
    ...row,
    events: events
      .filter(({ order_number }) => order_number === row.order_number)
      .map(({ event_type, body }) => ({ event_type, ...(JSON.parse(body) as { sequence?: number }) }))
      // Payments are not changes of the order.
      .flatMap(({ event_type, sequence }) => (sequence === undefined ? [] : [{ event_type, sequence }])),
  }));
  const faults = written.flatMap(brokenRules);
  const differs = (what: string, is: unknown, should: unknown) => {
    const [one, other] = [JSON.stringify(is), JSON.stringify(should)];
    if (one !== other) faults.push(`${what} is ${one}, expected ${other}`);
  };
  const known = new Set(model.orders.map(({ order_number }) => order_number));
  for (const { order_number } of written) if (!known.has(order_number)) faults.push("an order without a request");
  for (const [index, life] of model.orders.entries()) {
    const row = written.find(({ order_number }) => order_number === life.order_number);
    if (row === undefined) faults.push(`order ${index} is missing`);
    else {
      const [is, should] = [writtenParts(row), modelParts(life)];
      for (const [name, part] of Object.entries(should)) differs(`order ${index}: ${name}`, is[name], part);
    }
  }
  for (const { prescription_id, units_ordered, units_authorized } of await db.rows(ofPrescriptions, [
    account_id,
    index,
  ])) {
    const wanted = written
      .filter(({ order_status }) => order_status !== "Canceled")
      .flatMap(({ items }) => items)
      .filter((item) => !item.removed && item.prescription_id === prescription_id);
    const units = wanted.reduce((sum, item) => sum + item.units, 0);
    if (units_ordered !== units || units_ordered > units_authorized) {
      faults.push("a prescription whose ordered units differ from its orders");
    }
    differs("units ordered", units_ordered, model.prescriptions.get(prescription_id)!.units_ordered);
  }
  for (const { sku, on_hand, reserved } of await db.rows(ofShelves, [account_id])) {
    if (reserved < 0 || reserved > on_hand) faults.push("a shelf with negative stock");
    differs(`shelf ${sku}`, { on_hand, reserved }, model.shelves.get(sku));
  }
  return faults;
}

function writtenParts(row: Written): Record<string, unknown> {
  return {
    stands: [row.order_status, row.stage, row.held_from, row.exception_ids, row.sequence, row.revision],
    money: [row.payment_status, row.amount_cents, row.captured_cents, row.refunded_cents],
    entries: row.entries.map(({ kind, amount_cents }) => `${kind} ${amount_cents}`).sort(),
    people: [row.claimed_by, row.filled_by, row.notes],
    items: row.items.map(({ pending: _, ...item }) => Object.values(sorted(item))),
    history: row.history.map(historyLine),
    events: row.events.map(({ sequence, event_type }) => `${sequence} ${event_type}`).sort(),
    parcel: row.parcel && [row.parcel.status, row.parcel.look_ms],
  };
}

function modelParts(life: Life): Record<string, unknown> {
  const { status, look_ms } = life.parcel ?? {};
  return {
    stands: [
      statusOfState(life.state),
      stageOfState(life.state),
      life.held_from,
      openIds(life),
      life.sequence,
      life.revision,
    ],
    money: [life.payment, life.amount, life.captured, life.refunded],
    entries: [...life.entries].sort(),
    people: [life.claim?.by ?? null, life.filled_by, life.notes],
    items: life.items.map(({ item_id, sku, units, prescription_id, reserved, removed }) =>
      Object.values(sorted({ item_id, sku, units, prescription_id, reserved, removed })),
    ),
    history: life.history,
    events: [...life.events].sort(),
    parcel: life.parcel && [status, look_ms],
  };
}

const sorted = (row: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Rules that hold for every order at any time. */
function brokenRules(row: Written): string[] {
  const faults: string[] = [];
  const must = (holds: boolean, what: string) => {
    if (!holds) faults.push(`${row.order_number}: ${what}`);
  };
  const held = row.order_status === "On Hold";
  must(held === row.open_ids.length > 0, "On Hold without an open exception, or the reverse");
  must(row.open_ids.join() === row.exception_ids.join(), "open exceptions differ from the order's list");
  const { history, events, items } = row;
  must(
    history[0]!["from"] === null && history.at(-1)!["to"] === row.order_status,
    "the last history entry differs from the order",
  );
  must(
    history.every((line, index) => index === 0 || line.from === history[index - 1]!["to"]),
    "a history with a gap",
  );
  const sequences = new Set(events.map(({ sequence }) => sequence));
  must(
    sequences.size === row.sequence && [...sequences].every((one) => one >= 1 && one <= row.sequence),
    "a sequence with a gap",
  );
  const changes = history.filter(({ from, to }) => from !== to).length;
  const count = (type: string) => events.filter(({ event_type }) => event_type === type).length;
  must(count("ORDER_UPDATED") === changes, "ORDER_UPDATED events and status changes differ in number");
  const lines = events
    .filter(({ event_type }) => event_type !== "ORDER_EXCEPTION")
    .map(({ sequence, event_type }) => `${sequence} ${event_type}`);
  must(new Set(lines).size === lines.length, "one change sent twice");
  const prescribed = count("RX_UPDATED");
  must(prescribed === changes || prescribed === 0, "RX_UPDATED events and status changes differ in number");
  const raised = history.filter(({ event }) => event === "raise_exception").length;
  must(count("ORDER_EXCEPTION") >= raised, "an exception without an event");
  const open = !["Shipped", "Delivered", "Canceled"].includes(row.order_status);
  must(
    items.every(({ pending, removed }) => pending === (open && !removed)),
    "an item whose pending flag differs from the order's state",
  );
  const sum = (kind: string) =>
    row.entries.filter((one) => one.kind === kind).reduce((all, one) => all + one.amount_cents, 0);
  must(
    sum("capture") === row.captured_cents && sum("refund") === row.refunded_cents,
    "an amount without a payment entry",
  );
  must(row.refunded_cents <= row.captured_cents, "more refunded than captured");
  must(
    row.captured_cents > 0 === (row.order_status === "Shipped" || row.order_status === "Delivered"),
    "captured before the order shipped",
  );
  for (const sku of new Set(items.map((item) => item.sku))) {
    const moved = (kind: string) =>
      row.shelf_moves.filter((one) => one.sku === sku && one.kind === kind).reduce((all, one) => all + one.units, 0);
    const reserved = items
      .filter((item) => item.sku === sku && item.reserved)
      .reduce((all, item) => all + item.units, 0);
    must(
      moved("reserved") - moved("released") - moved("dispensed") === reserved,
      "a stock ledger that does not add up",
    );
  }
  return faults;
}

/** Those orders that are still open. */
export const openLives = ({ orders }: Model): Life[] =>
  orders.filter((life) => isOpen(life) && itemsOf(life).length > 0);

/** Checks the whole ledger of an account after its last story. */
export const ledgerFaults = (db: Queryable, account_id: string) => brokenInvariants(db, "lifecycle", account_id);
