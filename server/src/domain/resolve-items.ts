import type { Formulary, FormularyProduct } from "./formulary.ts";
import type { ItemDraft } from "./order-draft.ts";
import type { PrescriptionFact, ResolvedItem } from "./order-facts.ts";

/** Which product each item means: the one it names, else the one its prescription is written for. */
export function resolveItems(
  drafts: readonly ItemDraft[],
  prescriptions: ReadonlyMap<number, PrescriptionFact>,
  formulary: Formulary,
): ResolvedItem[] {
  return drafts.map((draft) => {
    const prescription = draft.prescription_id === null ? null : (prescriptions.get(draft.prescription_id) ?? null);
    const written_product = prescription && writtenProduct(prescription, formulary);
    const product = namedProduct(draft, formulary, written_product) ?? (namesProduct(draft) ? null : written_product);
    const package_size = draft.package_size ?? wholeFill(draft, prescription, product);
    return {
      draft,
      prescription,
      product,
      written_product,
      needs_prescription: draft.sku === null || product?.rx_only !== false,
      package_size,
      units: exact(draft.quantity * package_size),
    };
  });
}

/** The prescription's medication in this formulary: the very product, else the cheapest of the same medication. */
export function writtenProduct(
  { ndc, gcn }: Pick<PrescriptionFact, "ndc" | "gcn">,
  formulary: Formulary,
): FormularyProduct | null {
  const own = ndc === null ? undefined : formulary.by_ndc.get(ndc);
  return own ?? (gcn === null ? undefined : formulary.by_gcn.get(gcn)?.[0]) ?? null;
}

export const bySelection = (selection: string, { by_sku, by_name }: Formulary): FormularyProduct | undefined =>
  by_sku.get(selection) ?? by_name.get(selection.toLowerCase());

export const byNdcs = (ndcs: readonly string[], { by_ndc }: Formulary): FormularyProduct | undefined =>
  ndcs.map((ndc) => by_ndc.get(ndc)).find((product) => product !== undefined);

const namesProduct = ({ sku, ndcs, gcn, product_selection, refused }: ItemDraft) =>
  [sku, ndcs, gcn, product_selection].some((name) => name !== null) ||
  ["sku", "ndc", "gcn", "product_selection"].some((name) => refused.has(name));

/** The most exact name first; a GCN means the written product where that is of it. */
function namedProduct(
  { sku, ndcs, gcn, product_selection }: ItemDraft,
  formulary: Formulary,
  written: FormularyProduct | null,
): FormularyProduct | null {
  if (sku !== null) return formulary.by_sku.get(sku) ?? null;
  if (product_selection !== null) return bySelection(product_selection, formulary) ?? null;
  if (ndcs !== null) return byNdcs(ndcs, formulary) ?? null;
  if (gcn === null) return null;
  return written?.gcn === gcn ? written : (formulary.by_gcn.get(gcn)?.[0] ?? null);
}

/** Without a package size an item is one fill as written; what needs no prescription comes in its smallest package. */
function wholeFill(draft: ItemDraft, prescription: PrescriptionFact | null, product: FormularyProduct | null): number {
  return draft.written_qty ?? (prescription?.written_qty || null) ?? Math.min(...(product?.package_sizes ?? [1]));
}

/** Quantities have three decimals at most; binary fractions would add others. */
export const exact = (units: number): number => Math.round(units * 1000) / 1000;
