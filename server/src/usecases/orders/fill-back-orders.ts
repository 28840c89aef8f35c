import { lockShelves } from "../../db/catalogue/stock.ts";
import { isConflict } from "../../db/conflict.ts";
import type { Database, Queryable } from "../../db/db.ts";
import { type BackOrdered, listBackOrdered, listBackOrderedAccounts } from "../../db/orders/back-orders.ts";
import type { Deps } from "../../deps.ts";
import type { StockEntry } from "../../domain/catalogue/stock.ts";
import { isOpen, system } from "../../domain/orders/order.ts";
import { type Outcome, sums } from "../../domain/orders/order-change.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { exact } from "../../domain/values/quantity-units.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { moveStock } from "../catalogue/move-stock.ts";
import { apart } from "../operations/apart.ts";
import { transact } from "../write.ts";
import { loadChangingOrder } from "./load-order.ts";
import { changeOrder } from "./save-change.ts";

const MOST_AT_ONCE = 1_000;
/** The simulated supplier delivers back orders after this long, by the account's clock. */
const SIMULATED_DELIVERY_MS = 7 * 24 * 3600 * 1000;

/** Reserves newly arrived stock for back-ordered items, oldest order first. This resolves exception 76. */
export async function fillBackOrders(deps: Deps, only_account?: string): Promise<void> {
  for (const { account_id, environment, clock_offset_s } of await listBackOrderedAccounts(
    deps.db,
    deps.serves ?? null,
  )) {
    if (only_account !== undefined && only_account !== account_id) continue;
    const now = accountNow(deps.now(), clock_offset_s);
    if (environment === "sandbox") await apart(deps, { account_id }, () => deliver(deps.db, account_id, now));
    const waiting = await listBackOrdered(deps.db, account_id, null, MOST_AT_ONCE);
    const left = new Map(waiting.map(({ sku, available_units }) => [sku, available_units]));
    const served = new Map<string, BackOrdered[]>();
    for (const item of waiting) {
      const available = left.get(item.sku)!;
      if (available < item.units) continue;
      left.set(item.sku, exact(available - item.units));
      served.set(item.order_number, [...(served.get(item.order_number) ?? []), item]);
    }
    for (const [order_number, items] of served) {
      await apart(deps, { account_id, order_number }, () => reserve(deps, account_id, order_number, items));
    }
  }
}

/** Delivers the missing units of due back orders. It counts again under the lock, so two runs deliver only once. */
async function deliver(db: Database, account_id: string, now: Date): Promise<void> {
  const since_before = new Date(now.getTime() - SIMULATED_DELIVERY_MS);
  const due = (at: Queryable) => listBackOrdered(at, account_id, since_before, MOST_AT_ONCE);
  const skus = new Set((await due(db)).map(({ sku }) => sku));
  if (skus.size === 0) return;
  await transact({ db }, async (tx) => {
    const shelves = await lockShelves(tx, account_id, [...skus]);
    const wanted = new Map(sums((await due(tx)).map(({ sku, units }) => [sku, units] as const)));
    const entries = shelves.flatMap(({ sku, on_hand_units, reserved_units }): StockEntry[] => {
      const units = exact((wanted.get(sku) ?? 0) - (on_hand_units - reserved_units));
      return units > 0 ? [{ sku, kind: "received", units, order_number: null, note: "simulated delivery" }] : [];
    });
    if (entries.length > 0) await moveStock(tx, account_id, shelves, entries, now);
  });
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
      const total = sums(wanted.map(({ sku, units }) => [sku, units] as const));
      const outcome: Outcome = {
        after: { details: loaded.details.map((one) => (ids.has(one.item_id) ? { ...one, reserved: true } : one)) },
        items: wanted.map(({ item_id }) => ({ item_id, reserved: true })),
        stock: total.map(([sku, units]) => ({ sku, kind: "reserved", units })),
      };
      await changeOrder(deps, deps.db, loaded, outcome, { actor: system });
    });
  } catch (error) {
    // Another request took the stock or changed the order; the next round starts from the new state.
    if (!isConflict(error)) throw error;
  }
}
