import type { ReturnedParcel } from "@pestle/contract";
import { lockShelves } from "../../db/catalogue/stock.ts";
import { findShipped, markReturned } from "../../db/catalogue/stock-lots.ts";
import type { Database } from "../../db/db.ts";
import type { StockEntry } from "../../domain/catalogue/stock.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { requireAccount } from "../accounts/require-account.ts";
import { type Looker, writeAudit } from "../operations/write-audit.ts";
import { transact } from "../write.ts";
import { moveStock } from "./move-stock.ts";

/** Why a return is not accepted, as shown to the user. */
const returnRefusals = {
  unknown: "The account has no such order.",
  not_shipped: "The order has not shipped. Cancel it, or send it back to fill.",
  twice: "The return of this order is already booked.",
} as const;

/**
 * The parcel of a shipped order came back: its units become returned ones. They do not go back to the shelf, because
 * their storage is unknown.
 */
export const returnParcel = (
  { db, now }: { db: Database; now: () => Date },
  by: Looker,
  { account_id, order_number, note }: { account_id: string; order_number: string; note: string | null },
  request_id: string | null,
): Promise<ReturnedParcel> =>
  transact({ db }, async (tx) => {
    const { clock_offset_s } = await requireAccount(tx, account_id);
    const at = accountNow(now(), clock_offset_s);
    const back = await markReturned(tx, account_id, order_number, at);
    if (back.length === 0) {
      const order = await findShipped(tx, account_id, order_number);
      throw new AdminRefusal(returnRefusals[order === undefined ? "unknown" : order.shipped ? "twice" : "not_shipped"]);
    }
    const shelves = await lockShelves(tx, account_id, [...new Set(back.map(({ sku }) => sku))]);
    const { person_id } = by;
    const entries = back.map(
      ({ sku, units, lot, expires_on }): StockEntry => ({
        ...{ sku, kind: "returned", units, order_number, note, lot, expires_on, person_id },
      }),
    );
    await moveStock(tx, account_id, shelves, entries, at);
    const entry = { account_id, action: "stock_returned" as const, subject: order_number };
    await writeAudit({ db: tx, now }, by, entry, request_id);
    return { order_number, lines: back.map(({ sku, lot, units }) => ({ sku, lot, units })) };
  });
