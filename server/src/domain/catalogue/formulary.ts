import type { Product, ShippingMethod } from "@pestle/contract";
import type { HeldPrice } from "./held-price.ts";
import type { ProductRow } from "./rows.ts";

/** A product that an account can order, as the decisions need it. */
export type FormularyProduct = ProductRow & Partial<Pick<Product, "in_stock"> & HeldPrice>;

/** An account's catalogue with its indexes, built once per cached copy. */
export type Formulary = {
  by_sku: ReadonlyMap<string, FormularyProduct>;
  by_ndc: ReadonlyMap<string, FormularyProduct>;
  /** Cheapest first: the default if an item names only the medication. */
  by_gcn: ReadonlyMap<string, readonly FormularyProduct[]>;
  by_name: ReadonlyMap<string, FormularyProduct>;
  methods: ReadonlyMap<number, ShippingMethod>;
  /** Includes retired methods, because shipped orders can still use them. */
  known_methods: ReadonlyMap<number, ShippingMethod>;
  brand_ids: ReadonlySet<number>;
  default_method_id: number | null;
  default_brand_id: number | null;
  /** States with an active license, with its validity. */
  licences: ReadonlyMap<string, { valid_from: string; valid_to: string }>;
};

export function makeFormulary(given: {
  products: readonly FormularyProduct[];
  methods: readonly (ShippingMethod & { default: boolean; retired: boolean })[];
  brands: readonly { id: number; default: boolean }[];
  licences: readonly { state: string; valid_from: string; valid_to: string }[];
}): Formulary {
  const by_gcn = new Map<string, FormularyProduct[]>();
  const cheapestFirst = [...given.products].sort((a, b) => a.price_cents - b.price_cents || (a.sku < b.sku ? -1 : 1));
  for (const product of cheapestFirst) {
    if (product.gcn === null) continue;
    const same = by_gcn.get(product.gcn);
    if (same === undefined) by_gcn.set(product.gcn, [product]);
    else same.push(product);
  }
  const methods = given.methods.filter(({ retired }) => !retired);
  return {
    by_sku: new Map(given.products.map((product) => [product.sku, product])),
    by_ndc: new Map(given.products.flatMap((product) => (product.ndc === null ? [] : [[product.ndc, product]]))),
    by_gcn,
    by_name: new Map(given.products.map((product) => [product.name.toLowerCase(), product])),
    methods: new Map(methods.map((method) => [method.id, method])),
    known_methods: new Map(given.methods.map((method) => [method.id, method])),
    brand_ids: new Set(given.brands.map(({ id }) => id)),
    default_method_id: methods.find((method) => method.default)?.id ?? null,
    default_brand_id: given.brands.find((brand) => brand.default)?.id ?? null,
    licences: new Map(given.licences.map((licence) => [licence.state, licence])),
  };
}
