import type { Call, CallOptions } from "../client.ts";
import type { Brand, OrderAction, OrderStatusReason, Product, ShippingMethod } from "../generated/records.ts";

export type ProductFilter = { ndc?: readonly string[]; sku?: readonly string[]; gcn?: readonly string[] };

/** The account's catalogue: short lists, always complete. */
export type Catalogue = {
  shippingMethods(options?: CallOptions): Promise<ShippingMethod[]>;
  brands(options?: CallOptions): Promise<Brand[]>;
  /** The whole formulary, or the products that match any of the values. */
  products(filter?: ProductFilter, options?: CallOptions): Promise<Product[]>;
  orderActions(options?: CallOptions): Promise<OrderAction[]>;
  orderStatusReasons(options?: CallOptions): Promise<OrderStatusReason[]>;
};

export const catalogueOf = (call: Call): Catalogue => ({
  shippingMethods: async (options) => (await call("listShippingMethods", {}, options)).shipping_methods,
  brands: async (options) => (await call("listBrands", {}, options)).brands,
  products: async ({ ndc, sku, gcn } = {}, options) => {
    const lists = [ndc, sku, gcn].filter((list) => list !== undefined);
    // Without this, an empty list would request the whole formulary.
    if (lists.length > 0 && lists.every((list) => list.length === 0)) return [];
    const of = (list: readonly string[] | undefined) => list && [...list];
    return call("listProducts", { query: { "ndc[]": of(ndc), "sku[]": of(sku), "gcn[]": of(gcn) } }, options);
  },
  orderActions: async (options) => (await call("listOrderActions", {}, options)).order_actions,
  orderStatusReasons: async (options) => (await call("listOrderStatusReasons", {}, options)).order_status_reasons,
});
