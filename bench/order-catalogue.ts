import { saveProducts } from "../server/src/db/catalogue/catalogue-rows.ts";
import { enterStock } from "../server/src/db/catalogue/stock.ts";
import type { Database } from "../server/src/db/db.ts";
import { products } from "../server/src/seed/cast.ts";

/** Products have three-digit numbers. A shelf is one row, and all orders of one product contend for it. */
const PRODUCTS = 100;
const FIRST_PRODUCT = 100;
const UNITS = 1_000_000_000;
/** Prefixes that distinguish products; the number follows. */
const PREFIXES = { sku: "bench-sku-", ndc: "99999000", gcn: "G", name: "Bench tablet " };

function productNumbered(number: number) {
  const { on_hand_units: _, ...like } = products[0]!;
  const own = Object.entries(PREFIXES).map(([field, prefix]) => [field, `${prefix}${number}`]);
  return { ...like, ...(Object.fromEntries(own) as typeof PREFIXES) };
}

/** The prescribed product of the patient with that number. */
export const productOf = (patient: number) => productNumbered((patient % PRODUCTS) + FIRST_PRODUCT);

/** The same for pgbench, whose variable `:number` is the patient's number: sample texts and their expressions. */
export function productTexts(patient: number): [text: string, expression: string][] {
  const product = productOf(patient);
  const number = `(:number % ${PRODUCTS} + ${FIRST_PRODUCT})`;
  return (Object.keys(PREFIXES) as (keyof typeof PREFIXES)[]).map((field) => [
    product[field],
    `'${PREFIXES[field]}' || ${number}::text`,
  ]);
}

/** Gives an account more products than the demo has, with more stock than the bench can order. */
export async function addProducts(db: Database, account_id: string): Promise<void> {
  const added = Array.from({ length: PRODUCTS }, (_, number) => productOf(number));
  await db.transaction(async (tx) => {
    await saveProducts(tx, account_id, added, new Date());
    const entries = added.map(({ sku }) => ({
      sku,
      kind: "received" as const,
      units: UNITS,
      order_number: null,
      note: null,
    }));
    await enterStock(tx, account_id, entries, new Date());
  });
}
