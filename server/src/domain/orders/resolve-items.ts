import type { Formulary, FormularyProduct } from "../catalogue/formulary.ts";
import type { ItemDraft } from "./item-draft.ts";
import type { NamedProduct, OrderFacts, PrescriptionFact, ResolvedItem } from "./order-facts.ts";

/** Which product each item means: the one it names, else the one that its prescription is written for. */
export function resolveItems({
  draft,
  patient,
  prescriptions,
  formulary,
}: Pick<OrderFacts, "draft" | "patient" | "prescriptions" | "formulary">): ResolvedItem[] {
  return draft.items.map((item) => {
    const found = item.prescription_id === null ? undefined : prescriptions.get(item.prescription_id);
    // Another patient's tells nothing here. Where the patient is not known, that alone is wrong (42206).
    const prescription = found && (patient === null || patient.patient_id === found.patient_id) ? found : null;
    const written_product = prescription && writtenProduct(prescription, formulary);
    const names = namesOf(item, formulary, written_product);
    const sku = names.find(({ field }) => field === "sku");
    const product = meantProduct(names, { prescription, written_product });
    const package_size = item.package_size ?? wholeFill(item, prescription, product);
    return {
      draft: item,
      prescription,
      names,
      product,
      written_product,
      // What an unknown SKU would need, nobody knows.
      needs_prescription: sku === undefined || sku.product?.rx_only === true,
      package_size,
      units: exact(item.quantity * package_size),
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

/** A prescription decides which medication it is; names only choose among the products of it. */
const meantProduct = (
  names: readonly NamedProduct[],
  written: Pick<ResolvedItem, "prescription" | "written_product">,
): FormularyProduct | null =>
  names.find(({ product }) => product !== null && !isOtherMedication(product, written))?.product ??
  written.written_product;

/** Another medication than the prescription's: the GCN decides, for brand and generic share it. */
export function isOtherMedication(
  product: FormularyProduct | null,
  { prescription, written_product }: Pick<ResolvedItem, "prescription" | "written_product">,
): boolean {
  if (product === null || written_product === null || prescription === null) return false;
  const gcn = written_product.gcn ?? prescription.gcn;
  return product.gcn === null || product.gcn !== gcn;
}

/** Every name of a product that an item has, the most exact first; a GCN means the written product where that is of it. */
function namesOf(
  { sku, product_selection, ndcs, gcn, refused }: ItemDraft,
  formulary: Formulary,
  written: FormularyProduct | null,
): NamedProduct[] {
  const found = {
    sku: sku !== null && formulary.by_sku.get(sku),
    product_selection: product_selection !== null && bySelection(product_selection, formulary),
    ndc: ndcs !== null && byNdcs(ndcs, formulary),
    gcn: gcn !== null && (written?.gcn === gcn ? written : formulary.by_gcn.get(gcn)?.[0]),
  };
  return (Object.keys(found) as (keyof typeof found)[])
    .filter((field) => found[field] !== false || refused.has(field))
    .map((field) => ({ field, product: found[field] || null }));
}

/** Without a package size an item is one fill as written; what needs no prescription comes in its smallest package. */
function wholeFill(draft: ItemDraft, prescription: PrescriptionFact | null, product: FormularyProduct | null): number {
  return draft.written_qty ?? (prescription?.written_qty || null) ?? Math.min(...(product?.package_sizes ?? [1]));
}

/** Quantities have three decimals at most; binary fractions would add others. */
export const exact = (units: number): number => Math.round(units * 1000) / 1000;
