import type { ErrorCode } from "@pestle/contract";
import { settleAddress } from "./address-input.ts";
import { startOfDay } from "./calendar.ts";
import { checkLabel } from "./custom-label.ts";
import type { OrderFacts, PrescriptionFact, ResolvedItem } from "./order-facts.ts";
import type { Problem } from "./refusals.ts";
import { byNdcs, bySelection, exact } from "./resolve-items.ts";

/** What each check looks at: the facts, and the items with their products. */
export type Judged = OrderFacts & { items: readonly ResolvedItem[]; time_zone: string };

type OrderCheck = { code: ErrorCode; about: "order"; wrong(order: Judged): Problem[] };
type ItemCheck = { code: ErrorCode; about: "item"; field: string; wrong(item: ResolvedItem, order: Judged): boolean };

/** Every reason to refuse an order, a row a code. Rows stay silent where another row speaks of the cause. */
export const orderChecks: readonly (OrderCheck | ItemCheck)[] = [
  order(42206, ({ draft, patient }) =>
    draft.patient.patient_id !== null && patient === null ? ["patient.patient_id"] : [],
  ),
  order(42208, (it) => (needsDocument(it) && !hasDocument(it) ? ["patient.identity_documents"] : [])),
  {
    code: 42230,
    about: "order",
    wrong: ({ draft: { address }, ship_to: { verdict } }) =>
      typeof address === "string" || verdict === null ? [] : settleAddress(address, verdict).problems,
  },
  order(42231, (it) =>
    it.account.workflow === "api_driven" && it.ship_to.address !== null && !isLicensed(it, it.ship_to.address.state)
      ? ["address.state"]
      : [],
  ),
  item(42241, "ndc", ({ draft: { ndcs } }, { formulary }) => ndcs !== null && byNdcs(ndcs, formulary) === undefined),
  item(
    42242,
    "quantity",
    ({ draft, product }) =>
      known(draft, "quantity") && product !== null && !product.quantities.includes(draft.quantity),
  ),
  item(
    42246,
    "gcn",
    ({ draft: { gcn }, product }, { formulary }) =>
      gcn !== null && (!formulary.by_gcn.has(gcn) || (product !== null && product.gcn !== gcn)),
  ),
  item(
    42247,
    "package_size",
    ({ draft: { package_size }, product }) =>
      package_size !== null && product !== null && !product.package_sizes.includes(package_size),
  ),
  item(
    42249,
    "prescription_id",
    (it, facts) => known(it.draft, "prescription_id") && !hasUsablePrescription(it, facts),
  ),
  item(42250, "prescription_id", (it, facts) => isUsable(it, facts) && unitsLeft(it.prescription!) <= 0),
  item(42253, "quantity", (it, facts) => it.product?.back_orders === false && isShort(it, facts)),
  item(42254, "sku", ({ draft: { sku } }, { formulary }) => sku !== null && !formulary.by_sku.has(sku)),
  item(42255, "quantity", (it, facts) => {
    if (!isUsable(it, facts)) return false;
    const left = unitsLeft(it.prescription!);
    return left > 0 && unitsBefore(it, facts) + it.units > left;
  }),
  {
    code: 42256,
    about: "order",
    wrong: ({ draft, items, formulary }) => {
      const { method_id } = draft.shipping;
      if (method_id === null || !formulary.methods.has(method_id)) return [];
      const barred = items.some(({ product }) => product !== null && !product.shipping_method_ids.includes(method_id));
      return barred ? [{ code: 42256, field: "shipping.method_id" }] : [];
    },
  },
  item(42257, "prescription_id", (it, facts) => isOwn(it, facts) && it.prescription!.expires_at <= facts.now),
  item(42258, "ndc", (it, facts) => isOwn(it, facts) && isOtherMedication(it)),
  item(42259, "written_qty", (it, facts) => {
    const { draft, product, prescription } = it;
    if (!known(draft, "written_qty") || product === null || !it.needs_prescription) return false;
    const written = draft.written_qty ?? (isOwn(it, facts) ? prescription!.written_qty : null);
    return written !== null && !product.written_quantities.includes(written);
  }),
  item(42260, "product_selection", (it, facts) => {
    const { product_selection } = it.draft;
    if (product_selection !== null && bySelection(product_selection, facts.formulary) === undefined) return true;
    return isOwn(it, facts) && it.written_product === null;
  }),
  order(42291, ({ draft: { shipping }, formulary }) =>
    shipping.method_id !== null && !formulary.methods.has(shipping.method_id) ? ["shipping.method_id"] : [],
  ),
  order(42292, (it) =>
    it.draft.shipping.signature_confirmation && methodOf(it)?.signature_confirmation === false
      ? ["shipping.signature_confirmation"]
      : [],
  ),
  order(42293, (it) => (methodOf(it)?.po_box === false && isBox(it) ? ["shipping.method_id"] : [])),
  ...([42294, 42295, 42296] as const).map(
    (code): OrderCheck => ({
      code,
      about: "order",
      wrong: ({ draft: { shipping }, account }) =>
        shipping.label === null
          ? []
          : checkLabel(shipping.label, account.custom_labels).filter((problem) => problem.code === code),
    }),
  ),
  order(42380, ({ draft: { brand_id }, formulary }) =>
    brand_id !== null && !formulary.brand_ids.has(brand_id) ? ["brand_id"] : [],
  ),
];

/** All that is wrong with an order that could be read, in code order. */
export function checkOrder(judged: Judged): Problem[] {
  return orderChecks.flatMap((check) =>
    check.about === "order"
      ? check.wrong(judged)
      : judged.items
          .filter((one) => check.wrong(one, judged))
          .map(({ draft }) => ({ code: check.code, field: `items[${draft.index}].${check.field}` })),
  );
}

function order(code: ErrorCode, fields: (it: Judged) => string[]): OrderCheck {
  return { code, about: "order", wrong: (it) => fields(it).map((field) => ({ code, field })) };
}

function item(code: ErrorCode, field: string, wrong: ItemCheck["wrong"]): ItemCheck {
  return { code, about: "item", field, wrong };
}

const known = ({ refused }: ResolvedItem["draft"], field: string) => !refused.has(field);

export const isControlled = ({ product, prescription }: Pick<ResolvedItem, "product" | "prescription">): boolean =>
  [product?.drug_schedule, prescription?.drug_schedule].some((schedule) => schedule !== undefined && schedule !== "0");

const needsDocument = ({ items }: Judged) => items.some(isControlled);

/** Sent with this order, or on file; it must outlast today. */
function hasDocument({ draft, patient, today }: Judged): boolean {
  if (draft.patient.identity_documents.length > 0) return true;
  return (patient?.record.identity_documents ?? []).some(({ expiration_date }) => expiration_date > today);
}

export function isLicensed({ formulary, today }: Pick<Judged, "formulary" | "today">, state: string): boolean {
  const licence = formulary.licences.get(state);
  return licence !== undefined && licence.valid_from <= today && today <= licence.valid_to;
}

const methodOf = ({ draft, formulary }: Judged) =>
  draft.shipping.method_id === null ? undefined : formulary.methods.get(draft.shipping.method_id);

/** Where only the post delivers. */
const isBox = ({ ship_to: { verdict } }: Judged) =>
  verdict !== null && ["po_box", "general_delivery", "military"].includes(verdict.kind);

const isOwn = ({ prescription }: ResolvedItem, { patient }: OrderFacts): boolean =>
  prescription !== null && patient !== null && prescription.patient_id === patient.patient_id;

/** May be filled today, units aside. */
function isUsable(it: ResolvedItem, facts: Judged): boolean {
  if (!isOwn(it, facts)) return false;
  const { active, acceptance, effective_date } = it.prescription!;
  const accepted = acceptance === "not_needed" || acceptance === "accepted";
  return active && accepted && startOfDay(facts.time_zone, effective_date) <= facts.now;
}

function hasUsablePrescription(it: ResolvedItem, facts: Judged): boolean {
  const { draft } = it;
  if (draft.prescription_id !== null) return isUsable(it, facts);
  if (!it.needs_prescription) return true;
  // Automatic Processing takes prescriber fields instead, and waits for the prescription (exception 73).
  return facts.account.workflow === "automatic" && namesPrescriber(draft);
}

export const namesPrescriber = ({ prescriber_name, prescriber_phone, prescriber_fax }: ResolvedItem["draft"]) =>
  prescriber_name !== null && (prescriber_phone !== null || prescriber_fax !== null);

export const unitsLeft = ({ written_qty, refills, units_ordered }: PrescriptionFact): number =>
  exact(written_qty * (1 + refills) - units_ordered);

/** What earlier items of the same order take of the prescription. */
function unitsBefore({ draft, prescription }: ResolvedItem, { items }: Judged): number {
  return items
    .filter((one) => one.prescription === prescription && one.draft.index < draft.index)
    .reduce((sum, one) => sum + one.units, 0);
}

/** Not enough on the shelf for this item after those before it. */
export function isShort({ draft, product, units }: ResolvedItem, { items, stock }: Judged): boolean {
  if (product === null) return false;
  const before = items
    .filter((one) => one.product?.sku === product.sku && one.draft.index < draft.index)
    .reduce((sum, one) => sum + one.units, 0);
  return exact(before + units) > (stock.get(product.sku) ?? 0);
}

/** Another medication than the prescription's: the GCN decides, for brand and generic share it. */
function isOtherMedication({ product, prescription, written_product }: ResolvedItem): boolean {
  if (product === null || written_product === null || prescription === null) return false;
  const gcn = written_product.gcn ?? prescription.gcn;
  return product.gcn === null || product.gcn !== gcn;
}
