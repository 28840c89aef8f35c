import type { FilledItem } from "../../usecases/fulfillment/steps.ts";
import { WrongUsage } from "../errors.ts";

type Item = { item_id: number };

/** `1=L77A:2028-05-31`, or `1=none` for a product without a lot. */
export const lotsOf = (typed: readonly string[], items: readonly Item[]): FilledItem[] =>
  byItem(typed, items, "--lot").map(({ item_id, value }) => {
    if (value === "none") return { item_id, lot: null, lot_expires_on: null };
    const [, lot, lot_expires_on] = /^([^:]+):(\d{4}-\d{2}-\d{2})$/.exec(value) ?? [];
    if (lot === undefined || lot_expires_on === undefined) {
      throw new WrongUsage(
        "--lot takes item=lot:expiry, such as 1=L77A:2028-05-31, or item=none for a product without a lot.",
      );
    }
    return { item_id, lot, lot_expires_on };
  });

/** `1=70999-0101-30`. */
export const scansOf = (typed: readonly string[], items: readonly Item[]): { item_id: number; code: string }[] =>
  byItem(typed, items, "--scan").map(({ item_id, value }) => ({ item_id, code: value }));

/** The item each value belongs to. An order with one item can omit the item id. */
function byItem(
  typed: readonly string[],
  items: readonly Item[],
  option: string,
): { item_id: number; value: string }[] {
  return typed.map((text) => {
    const [, named, value] = /^(?:(\d{1,9})=)?(.+)$/.exec(text) ?? [];
    const [only, ...others] = items;
    if (value === undefined || (named === undefined && (only === undefined || others.length > 0))) {
      throw new WrongUsage(`The order has several items. Give ${option} item=value for each.`);
    }
    return { item_id: named === undefined ? only!.item_id : Number(named), value };
  });
}

export function wholeNumber(text: string, option: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new WrongUsage(`${option} takes a whole number.`);
  return Number(text);
}

export const centsOf = (text: string | undefined): number | null =>
  text === undefined ? null : wholeNumber(text, "--amount");
