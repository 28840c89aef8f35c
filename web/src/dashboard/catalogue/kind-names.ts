import type { CatalogueImportKind } from "@pestle/contract";
import { say } from "../../ui/words/say.tsx";

export const kindNames: Record<CatalogueImportKind, string> = {
  products: say("Products"),
  brands: say("Brands"),
  shipping_methods: say("Shipping methods"),
  licences: say("Licenses"),
  stock: say("Stock counts"),
};

/** The source of rows that a person typed or pasted, in place of a file's name. */
export const PASTED = "pasted";
export const sourceText = (source: string): string => (source === PASTED ? say("pasted") : source);
