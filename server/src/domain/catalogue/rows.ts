import {
  type CatalogueImportKind,
  catalogueImportKinds,
  type DashboardProduct,
  type DashboardShippingMethod,
} from "@pestle/contract";

/** The kinds that can be imported and exported, named like their tables. */
export const catalogueKinds = catalogueImportKinds;
export type CatalogueKind = CatalogueImportKind;

export type Value = string | number | boolean | null | readonly string[] | readonly number[];
/** A row of any kind, by column name. */
export type Row = Readonly<Record<string, Value>>;

export type ProductRow = DashboardProduct;

export type BrandRow = { id: number; name: string; default: boolean };

export type ShippingMethodRow = DashboardShippingMethod;

export type LicenceRow = {
  state: string;
  number: string;
  status: "active" | "suspended" | "expired";
  valid_from: string;
  valid_to: string;
};

/** Users count the units on hand. The reserved units follow from the orders and are not a file column. */
export type StockRow = { sku: string; on_hand_units: number; reserved_units: number };

/** All offered rows, and every shelf. */
export type Catalogue = {
  products: readonly ProductRow[];
  brands: readonly BrandRow[];
  shipping_methods: readonly ShippingMethodRow[];
  licences: readonly LicenceRow[];
  stock: readonly StockRow[];
};
