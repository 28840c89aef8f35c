import { wholeNumber } from "@pestle/cli/arguments";
import { WrongUsage } from "@pestle/cli/errors";
import type { FilledLine } from "@pestle/contract";

type Item = { item_id: number };

/**
 * `1=L77A:2028-05-31`, or `1=none` for a product without a lot. An item of several lots has one of these for each, with the
 * units: `1=L77A:2028-05-31:20`.
 */
export function lotsOf(typed: readonly string[], items: readonly Item[]): FilledLine[] {
  const lines = byItem(typed, items, "--lot").map(({ item_id, value }): FilledLine => {
    if (value === "none") return { item_id, lot: null, lot_expires_on: null };
    const [, lot, lot_expires_on, units] =
      /^([^:]+):(\d{4}-\d{2}-\d{2})(?::(\d{1,9}(?:\.\d{1,3})?))?$/.exec(value) ?? [];
    if (lot === undefined || lot_expires_on === undefined) {
      throw new WrongUsage(
        "--lot takes item=lot:expiry, such as 1=L77A:2028-05-31, or item=none for a product without a lot. For several lots of an item, add the units: 1=L77A:2028-05-31:20.",
      );
    }
    if (units === undefined) return { item_id, lot, lot_expires_on };
    return { item_id, lots: [{ lot, lot_expires_on, units: Number(units) }] };
  });
  const joined: FilledLine[] = [];
  for (const line of lines) {
    const at = joined.findIndex(({ item_id, lots }) => item_id === line.item_id && lots !== undefined);
    if (at === -1 || line.lots === undefined) joined.push(line);
    else joined[at] = { ...line, lots: [...joined[at]!.lots!, ...line.lots] };
  }
  return joined;
}

/** `1=70999-0101-30`, with the lot if the code has none and the item has several: `1=70999-0101-30@L77A`. */
export const scansOf = (typed: readonly string[], items: readonly Item[]) =>
  byItem(typed, items, "--scan").map(({ item_id, value }) => {
    const [, code, lot] = /^(.+)@([^@]{1,40})$/.exec(value) ?? [];
    return { item_id, code: code ?? value, lot: lot ?? null };
  });

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

export const centsOf = (text: string | undefined): number | null =>
  text === undefined ? null : wholeNumber(text, "--amount");
