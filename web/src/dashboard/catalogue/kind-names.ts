import type { CatalogueImportKind } from "@pestle/contract";

export const kindNames: Record<CatalogueImportKind, string> = {
  products: "Products",
  brands: "Brands",
  shipping_methods: "Shipping methods",
  licences: "Licenses",
  stock: "Stock counts",
};
