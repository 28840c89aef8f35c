import type { DrugSchedule } from "@pestle/contract";

/** What can be imported and exported, each in the words of its table. */
export const catalogueKinds = ["products", "brands", "shipping_methods", "licences", "stock"] as const;
export type CatalogueKind = (typeof catalogueKinds)[number];

export type Value = string | number | boolean | null | readonly string[] | readonly number[];
/** A row of any kind, by the names of its columns. */
export type Row = Readonly<Record<string, Value>>;

export type ProductRow = {
  sku: string;
  ndc: string | null;
  gcn: string | null;
  name: string;
  ingredients: string[];
  rx_only: boolean;
  drug_schedule: DrugSchedule;
  package_sizes: number[];
  quantities: number[];
  written_quantities: number[];
  max_units: number;
  shipping_method_ids: number[];
  blocked_states: string[];
  cold_chain: boolean;
  price_cents: number;
  back_orders: boolean;
};

export type BrandRow = { id: number; name: string; default: boolean };

export type ShippingMethodRow = {
  id: number;
  name: string;
  carrier: string;
  service: string;
  signature_confirmation: boolean;
  po_box: boolean;
  cold_chain: boolean;
  price_cents: number;
  transit_days_min: number;
  transit_days_max: number;
  default: boolean;
};

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
