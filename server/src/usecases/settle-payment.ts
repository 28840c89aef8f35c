import { randomUUID } from "node:crypto";
import { compactAsciiJson, type ExceptionId, type Order, type OrderState } from "@pestle/contract";
import { saveOrderChange } from "../db/change-order.ts";
import { isConflict } from "../db/conflict.ts";
import { listUnpaid, listUnpaidAccounts } from "../db/orders.ts";
import type { Deps } from "../deps.ts";
import { changeHolds, holdEvents, standingRow } from "../domain/hold-change.ts";
import { CURRENCY, orderAnswer } from "../domain/order-answer.ts";
import { accountNow } from "./move-clock.ts";
import { loadStoredOrder } from "./read-orders.ts";

const PAYMENT_DECLINED: ExceptionId = 80;
const MOST_TRIES = 5;

/**
 * Asks for a patient's money right after the order is saved, outside every transaction; declined, the order is held
 * with exception 80. Asked again for the same order it happens once, since the order's number is the key.
 */
export async function settlePayment(deps: Deps, account_id: string, order_number: string): Promise<Order> {
  for (let tries = 1; ; tries++) {
    const stored = (await loadStoredOrder(deps, account_id, order_number))!;
    const { order, prescriptions, standing, revision, clock_offset_s } = stored;
    if (order.payment_status !== "pending") return orderAnswer(order, prescriptions);
    const asked = await deps.payments.authorise({
      key: order_number,
      amount_cents: order.amount_cents,
      currency: CURRENCY,
      token: stored.payment_token(),
    });
    const now = accountNow(deps.now(), clock_offset_s);
    const declined = asked.status === "declined";
    const change = declined ? changeHolds(standing, [...standing.open, PAYMENT_DECLINED], "system") : null;
    const settled = {
      ...order,
      payment_status: asked.status,
      order_status: change ? standingRow(change).order_status : order.order_status,
      exceptions: change ? [...order.exceptions, { id: PAYMENT_DECLINED, raised_at: now }] : order.exceptions,
      updated_at: now,
    };
    const events = change ? holdEvents(settled, prescriptions, change, standing.state, now, randomUUID) : [];
    try {
      await saveOrderChange(deps.db, {
        account_id,
        order_number,
        revision,
        at: now,
        ...standingRow(change ?? standing),
        address_sealed: null,
        ship_state: null,
        payment_status: asked.status,
        payment_reference: asked.status === "authorized" ? asked.reference : null,
        raised: change?.raised ?? [],
        resolved: [],
        history: (change?.history ?? []).map((row) => ({ ...row, from: statusText(row.from), to: statusText(row.to) })),
        events: events.map(({ body, ...event }) => ({
          ...event,
          patient_id: order.patient_id,
          body: compactAsciiJson(body),
        })),
      });
      return orderAnswer(settled, prescriptions);
    } catch (error) {
      if (!isConflict(error) || tries === MOST_TRIES) throw error;
    }
  }
}

/** Whoever saved an order is given this long to ask for the money itself. */
const GRACE_MS = 30_000;
const MOST_AT_ONCE = 100;

/** Orders whose payment was never asked for, because the process ended in between. */
export async function settleUnpaid(deps: Deps): Promise<void> {
  for (const { account_id, clock_offset_s } of await listUnpaidAccounts(deps.db)) {
    const before = new Date(accountNow(deps.now(), clock_offset_s).getTime() - GRACE_MS);
    for (const { order_number } of await listUnpaid(deps.db, account_id, before, MOST_AT_ONCE)) {
      await settlePayment(deps, account_id, order_number);
    }
  }
}

const statusText = (state: OrderState) => standingRow({ state, held_from: null, open: [], sequence: 0 }).order_status;
