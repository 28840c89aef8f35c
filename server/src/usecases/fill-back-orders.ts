import { type BackOrdered, listBackOrdered, listBackOrderedAccounts } from "../db/back-orders.ts";
import { isConflict } from "../db/conflict.ts";
import type { Deps } from "../deps.ts";
import { isOpen, system } from "../domain/order.ts";
import type { Outcome } from "../domain/order-change.ts";
import { exact } from "../domain/resolve-items.ts";
import { withKeysOfNow } from "../vault/vault.ts";
import { changeOrder } from "./change-order.ts";
import { loadChangingOrder } from "./load-changing-order.ts";
import { accountNow } from "./move-clock.ts";
import { receiveStock } from "./move-stock.ts";

const MOST_AT_ONCE = 1_000;
/** In the sandbox the supplier delivers what is back ordered after this long, by the account's clock. */
export const SIMULATED_DELIVERY_MS = 7 * 24 * 3600 * 1000;

/** Gives items that wait for stock what has arrived, the oldest order first: exception 76 ends by itself. */
export async function fillBackOrders(deps: Deps, only_account?: string): Promise<void> {
  for (const { account_id, environment, clock_offset_s } of await listBackOrderedAccounts(deps.db)) {
    if (only_account !== undefined && only_account !== account_id) continue;
    const now = accountNow(deps.now(), clock_offset_s);
    const waiting = await listBackOrdered(deps.db, account_id, MOST_AT_ONCE);
    if (environment === "sandbox") await deliver(deps, account_id, waiting, now);
    const left = new Map(waiting.map(({ sku, available_units }) => [sku, available_units]));
    const served = new Map<string, BackOrdered[]>();
    for (const item of waiting) {
      const available = left.get(item.sku)!;
      if (available < item.units) continue;
      left.set(item.sku, exact(available - item.units));
      served.set(item.order_number, [...(served.get(item.order_number) ?? []), item]);
    }
    for (const [order_number, items] of served) await reserve(deps, account_id, order_number, items);
  }
}

async function deliver(deps: Deps, account_id: string, waiting: BackOrdered[], now: Date): Promise<void> {
  const due = waiting.filter(({ created_at }) => now.getTime() - created_at.getTime() >= SIMULATED_DELIVERY_MS);
  for (const { sku, units } of due) {
    const shelf = await receiveStock(deps.db, { account_id, sku, units, note: "simulated delivery" }, deps.now());
    const available_units = shelf.on_hand_units - shelf.reserved_units;
    for (const one of waiting) if (one.sku === sku) one.available_units = available_units;
  }
}

async function reserve(deps: Deps, account_id: string, order_number: string, items: BackOrdered[]): Promise<void> {
  try {
    await withKeysOfNow(deps, async () => {
      const loaded = await loadChangingOrder(deps, deps.db, account_id, order_number);
      const wanted = items.filter(({ item_id }) =>
        loaded.details.some((one) => one.item_id === item_id && !one.reserved),
      );
      if (!isOpen(loaded.standing) || wanted.length === 0) return;
      const ids = new Set(wanted.map(({ item_id }) => item_id));
      const total = new Map<string, number>();
      for (const { sku, units } of wanted) total.set(sku, exact((total.get(sku) ?? 0) + units));
      const outcome: Outcome = {
        after: { details: loaded.details.map((one) => (ids.has(one.item_id) ? { ...one, reserved: true } : one)) },
        items: wanted.map(({ item_id }) => ({ item_id, reserved: true })),
        stock: [...total].map(([sku, units]) => ({ sku, kind: "reserved", units })),
      };
      await changeOrder(deps, deps.db, loaded, outcome, { actor: system });
    });
  } catch (error) {
    // Somebody else took it, or changed the order: the next round sees what is left.
    if (!isConflict(error)) throw error;
  }
}
