import type { ExceptionId, Order } from "@pestle/contract";
import { isConflict } from "../db/conflict.ts";
import { listUnpaid, listUnpaidAccounts } from "../db/orders.ts";
import type { Deps } from "../deps.ts";
import { CURRENCY, orderAnswer, type StoredOrder } from "../domain/order-answer.ts";
import { withKeysOfNow } from "../vault/vault.ts";
import { changeOrder } from "./change-order.ts";
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
    const loaded = (await withKeysOfNow(deps, () => loadStoredOrder(deps, account_id, order_number)))!;
    const { order, standing, prescriptions } = loaded;
    if (order.payment_status !== "pending") return orderAnswer(order, prescriptions);
    const asked = await ask(deps, order, loaded.payment_token());
    // The order is saved and stays so: it shows a payment that is pending, and the job asks again.
    if (asked === undefined || tries > MOST_TRIES) return orderAnswer(order, prescriptions);
    try {
      return await changeOrder(deps.db, account_id, loaded, {
        order: { payment_status: asked.status },
        open: asked.status === "declined" ? [...standing.open, PAYMENT_DECLINED] : standing.open,
        columns: {
          payment_status: asked.status,
          payment_reference: asked.status === "authorized" ? asked.reference : null,
        },
        actor: "system",
        now: accountNow(deps.now(), loaded.clock_offset_s),
      });
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

async function ask(
  deps: Deps,
  order: StoredOrder,
  token: string,
): Promise<Awaited<ReturnType<Deps["payments"]["authorise"]>> | undefined> {
  const { order_number, amount_cents } = order;
  try {
    return await deps.payments.authorise({ key: order_number, amount_cents, currency: CURRENCY, token });
  } catch (error) {
    deps.log.warn({ order_number, fault: (error as Error).name }, "a payment could not be asked for");
    return undefined;
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
