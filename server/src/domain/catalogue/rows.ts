import {
  type CatalogueImportKind,
  catalogueImportKinds,
  type DashboardProduct,
  type DashboardShippingMethod,
} from "@pestle/contract";

/** What can be imported and exported, each in the words of its table. */
export const catalogueKinds = catalogueImportKinds;
export type CatalogueKind = CatalogueImportKind;

export type Value = string | number | boolean | null | readonly string[] | readonly number[];
/** A row of any kind, by the names of its columns. */
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

/** What is on hand is counted; what of it is reserved follows from the orders and is no column of a file. */
export type StockRow = { sku: string; on_hand_units: number; reserved_units: number };

/** All that is offered, and every shelf. */
export type Catalogue = {
  products: readonly ProductRow[];
  brands: readonly BrandRow[];
  shipping_methods: readonly ShippingMethodRow[];
  licences: readonly LicenceRow[];
  stock: readonly StockRow[];
};
