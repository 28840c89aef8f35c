import type { Formulary, FormularyProduct } from "../catalogue/formulary.ts";
import { exact } from "../values/quantity-units.ts";
import type { ItemDraft } from "./item-draft.ts";
import type { NamedProduct, OrderFacts, PrescriptionFact, ResolvedItem } from "./order-facts.ts";

/** Finds the product of each item: the one it names, else the one its prescription names. */
export const resolveItems = ({ draft, ...known }: Known & Pick<OrderFacts, "draft">): ResolvedItem[] =>
  draft.items.map((item) => resolveItem(item, known));

type Known = Pick<OrderFacts, "patient" | "prescriptions" | "formulary">;

export function resolveItem(item: ItemDraft, { patient, prescriptions, formulary }: Known): ResolvedItem {
  const found = item.prescription_id === null ? undefined : prescriptions.get(item.prescription_id);
  // Ignores another patient's prescription. If the patient is unknown, that is the only error (42206).
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
    // Assumes no prescription for an unknown SKU.
    needs_prescription: sku === undefined || sku.product?.rx_only === true,
    package_size,
    units: exact(item.quantity * package_size),
  };
}

/** The prescription's medication in this formulary: the exact product, else the cheapest with the same GCN. */
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

/** A prescription determines the medication. Names only choose among its products. */
const meantProduct = (
  names: readonly NamedProduct[],
  written: Pick<ResolvedItem, "prescription" | "written_product">,
): FormularyProduct | null =>
  names.find(({ product }) => product !== null && !isOtherMedication(product, written))?.product ??
  written.written_product;

/** Whether it is another medication than prescribed. Compares GCNs, because brand and generic share one. */
export function isOtherMedication(
  product: FormularyProduct | null,
  { prescription, written_product }: Pick<ResolvedItem, "prescription" | "written_product">,
): boolean {
  if (product === null || written_product === null || prescription === null) return false;
  const gcn = written_product.gcn ?? prescription.gcn;
  return product.gcn === null || product.gcn !== gcn;
}

/** Every product name of an item, the most specific first. A GCN means the written product if that has the same GCN. */
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

/** Without a package size an item is one fill as prescribed. An OTC product uses its smallest package. */
function wholeFill(draft: ItemDraft, prescription: PrescriptionFact | null, product: FormularyProduct | null): number {
  return draft.written_qty ?? (prescription?.written_qty || null) ?? Math.min(...(product?.package_sizes ?? [1]));
}
