import { type DashboardOrder, isProduct, type ProductMiss, scannedCode } from "@pestle/contract";
import { api } from "../../../app/api.ts";

type Line = Pick<DashboardOrder["lines"][number], "ndc" | "sku" | "lots">;

/** What is wrong with a package that the page refused; null if the code is damaged or was scanned before. */
export function missOf(text: string, lines: readonly Line[]): ProductMiss | null {
  const { code, lot, expires_on, fault } = scannedCode(text);
  if (fault !== null) return null;
  const fits = lines.filter((line) => isProduct(code, line));
  if (fits.length === 0) return "wrong_product";
  const other = fits.every(
    ({ lots }) =>
      lots.length > 0 &&
      lots.every(
        (filled) =>
          (lot !== null && lot.toUpperCase() !== filled.lot.toUpperCase()) ||
          (expires_on !== null && expires_on !== filled.lot_expires_on),
      ),
  );
  return other ? "other_lot" : null;
}

/** Reports a refused package for the list of near misses. The work goes on if that fails. */
export function noteRefused({ account_id, order }: DashboardOrder, text: string, lines: readonly Line[]): void {
  const found = missOf(text, lines);
  if (found === null) return;
  const path = `/dashboard/orders/${account_id}/${order.order_number}/misses` as const;
  void api(path, { method: "POST", body: { found } }).catch(() => {});
}
