import type { ExceptionId, HoldableState, Order, OrderState, Role } from "@pestle/contract";
import type { Outcome } from "../../src/domain/orders/order-change.ts";
import { shipOrder } from "../../src/usecases/fulfillment/ship-order.ts";
import {
  approveReview,
  completeFill,
  raiseException,
  verifyProduct,
  type Work,
  type Worker,
} from "../../src/usecases/fulfillment/steps.ts";
import { trackByHand } from "../../src/usecases/fulfillment/track-shipments.ts";
import { loadChangingOrder } from "../../src/usecases/orders/load-order.ts";
import { type ChangeBy, changeOrder } from "../../src/usecases/orders/save-change.ts";
import { post } from "./orders.ts";
import { storedEvents } from "./stored-events.ts";
import type { TestApp } from "./test-app.ts";

/** The staff of the test pharmacy: one person per role, and a second pharmacist. */
export const staff = {
  technician: { person_id: "tess", role: "technician", license: null },
  pharmacist: { person_id: "phil", role: "pharmacist", license: "RPH-1001" },
  other_pharmacist: { person_id: "paula", role: "pharmacist", license: "RPH-1002" },
  lead: { person_id: "lena", role: "lead", license: "RPH-1003" },
  admin: { person_id: "amos", role: "admin", license: null },
} as const satisfies Record<string, Worker>;

/** Any order, by its number alone. */
export type Numbered = Pick<Order, "order_number">;
export type Start = { state: OrderState; held_from: HoldableState | null };

export const lotsOf = ({ items }: Pick<Order, "items">, lot = "L1") =>
  items.map(({ item_id }) => ({ item_id, lot, lot_expires_on: "2199-01-01" }));
export const scansOf = ({ items }: Pick<Order, "items">) =>
  items.map(({ item_id, ndc, sku }) => ({ item_id, code: ndc ?? sku! }));

/** The staff at work on the orders of one partner, and the resulting records. */
export function workplace(app: TestApp, partner = 0) {
  const { account_id } = app.demo.partners[partner]!;
  const work = ({ order_number }: Numbered, by: Worker, revision?: number): Work => ({
    account_id,
    order_number,
    by,
    ...(revision !== undefined && { revision }),
  });
  const rows = async (text: string, ...params: unknown[]) => (await app.deps.db.raw(text, params)).rows;
  const load = ({ order_number }: Numbered) => loadChangingOrder(app.deps, app.deps.db, account_id, order_number);

  /** The next step from each state, by a role that may take it. */
  const forward: Partial<Record<OrderState, (order: Order) => Promise<Order>>> = {
    "Processing/clinical_review": (order) => approveReview(app.deps, work(order, staff.pharmacist)),
    "Filling/fill": (order) => completeFill(app.deps, work(order, staff.technician), lotsOf(order)),
    "Filling/product_check": (order) => verifyProduct(app.deps, work(order, staff.pharmacist), scansOf(order)),
    "Filling/pack": (order) => shipOrder(app.deps, work(order, staff.technician)),
    Shipped: (order) => trackByHand(app.deps, work(order, staff.technician), "delivered", "Left at the door."),
  };

  /** Takes the order there as staff would; cancels as the partner would. */
  async function reach<Some extends Order>(order: Some, state: OrderState): Promise<Order> {
    if (state === "Canceled") return (await act(order, { event: "cancel" })).order;
    for (let now_is: Order = order; ; ) {
      const { standing } = await load(order);
      if (standing.state === state) return now_is;
      const step = forward[standing.state];
      if (step === undefined) throw new Error(`no way from ${standing.state} to ${state}`);
      now_is = await step(now_is);
    }
  }

  async function act({ order_number }: Numbered, body: Record<string, unknown>): Promise<{ order: Order }> {
    const path = `/orders/${order_number}/partner_order_action_requests`;
    const { status, text, body: made } = await post(app, body, { partner, path });
    if (status !== 201) throw new Error(`${status}: ${text}`);
    return made as { order: Order };
  }

  return {
    account_id,
    work,
    rows,
    load,
    reach,
    act,
    /** Takes the order to a state and, on request, has a person hold it there. */
    async start(order: Order, { state, held_from }: Start, held_by: readonly ExceptionId[] = [64]): Promise<Order> {
      let now_is = await reach(order, held_from ?? state);
      if (held_from === null) return now_is;
      for (const id of held_by) now_is = await raiseException(app.deps, work(order, staff.technician), id, "Held.");
      return now_is;
    },
    /** A change by any role, bypassing the use cases that only some roles have. */
    async directly(order: Numbered, outcome: Outcome, role: Role, by: Partial<ChangeBy> = {}): Promise<Order> {
      const actor = { roles: [role], person_id: null };
      return (await changeOrder(app.deps, app.deps.db, await load(order), outcome, { actor, ...by })).order;
    },
    history: ({ order_number }: Numbered) =>
      rows(
        `select actor, person_id, event, "from", "to", stage, exception_id
        from order_history where account_id = $1 and order_number = $2 order by history_position`,
        account_id,
        order_number,
      ),
    async events({ order_number }: Numbered): Promise<Record<string, unknown>[]> {
      const told = await storedEvents(
        app.deps,
        "where account_id = $1 and order_number = $2 order by feed_position, event_position",
        [account_id, order_number],
      );
      return told.map(({ body }) => JSON.parse(body));
    },
    /** Every row of an order and what it reserved: equal before and after if nothing was written. */
    async everything({ order_number }: Numbered): Promise<Record<string, unknown>> {
      const own = await Promise.all(
        ORDER_TABLES.map(async (table) => {
          const text = `select to_jsonb(t) as row from ${table} t where account_id = $1 and order_number = $2`;
          const found = await rows(text, account_id, order_number);
          return [table, found.map(({ row }) => JSON.stringify(row)).sort()] as const;
        }),
      );
      const units = await rows(
        `select prescription_id, units_ordered from prescription where account_id = $1 and prescription_id in (
          select prescription_id from order_item where account_id = $1 and order_number = $2) order by 1`,
        account_id,
        order_number,
      );
      return { ...Object.fromEntries(own), units };
    },
  };
}

const ORDER_TABLES = [
  "notification",
  "orders",
  "order_item",
  "item_lot",
  "order_exception",
  "order_history",
  "order_message",
  "order_note",
  "parcel_label",
  "shipment",
  "shipment_scan",
  "payment_entry",
  "order_action_request",
  "stock_entry",
  "webhook_event",
];
