/**
 * Wrong packages that a scan or a check stopped before they reached a patient. The keys are those of the refused step. A page
 * that refuses a scan by itself reports it with `POST /dashboard/orders/{account_id}/{order_number}/misses`.
 */
export const productMisses = {
  wrong_product: "A package of another product was scanned.",
  other_lot: "A package of another lot or with another expiration date was scanned.",
  lot_recalled: "A package of a recalled lot was used.",
  lot_expired: "An expired package was used.",
  lot_too_short: "A package was used that expires before the patient has used it up.",
  same_person: "The person who filled the order tried to check it.",
} as const;
export type ProductMiss = keyof typeof productMisses;
export const productMissNames = Object.keys(productMisses) as [ProductMiss, ...ProductMiss[]];
export const isProductMiss = (key: string): key is ProductMiss => Object.hasOwn(productMisses, key);

/** Rows for one order. More of them would say nothing new. */
export const MOST_MISSES = 50;

export type ProductMissRequest = { found: ProductMiss };
