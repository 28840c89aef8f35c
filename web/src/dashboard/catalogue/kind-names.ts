import type { CatalogueImportKind } from "@pestle/contract";
import { say } from "../../ui/words/say.tsx";

export const kindNames: Record<CatalogueImportKind, string> = {
  products: say("Products"),
  brands: say("Brands"),
  shipping_methods: say("Shipping methods"),
  licences: say("Licenses"),
  stock: say("Stock counts"),
};
