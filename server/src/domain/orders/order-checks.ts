import type { ErrorCode } from "@pestle/contract";
import { hasLapsed } from "../fulfillment/controlled-rules.ts";
import { settleAddress } from "../patients/address-input.ts";
import { full, safetyProblems, withContact, withDocumentIfRoom } from "../patients/patient-changes.ts";
import type { PatientRecord } from "../patients/patient-record.ts";
import { addressKinds } from "../values/address/verdict.ts";
import { exact } from "../values/quantity-units.ts";
import type { Cause, Problem } from "../values/refusals.ts";
import { checkLabel } from "./custom-label.ts";
import {
  hasExpired,
  isFillable,
  type NamedProduct,
  type OrderFacts,
  type PrescriptionFact,
  type ResolvedItem,
} from "./order-facts.ts";
import { isOtherMedication } from "./resolve-items.ts";

/** The input of each check: the facts, and the items with their products. */
export type Judged = OrderFacts & { items: readonly ResolvedItem[]; time_zone: string };

/** The part of it that the reasons to reject an order depend on. The rest decides what holds it. */
type Checked = Omit<Judged, "fills" | "safety" | "name_characters">;

type OrderCheck = { code: ErrorCode; about: "order"; wrong(order: Checked): Problem[] };
type ItemCheck = {
  code: ErrorCode;
  about: "item";
  field: string;
  wrong(item: ResolvedItem, order: ItemFacts): boolean;
  /** What is wrong, if it is not the usual problem of the code. */
  cause?: (item: ResolvedItem) => Cause;
};
/** What the checks of an item read besides the item. */
type ItemFacts = Pick<Judged, "items" | "stock" | "now" | "today" | "time_zone"> & {
  account: Pick<Judged["account"], "workflow">;
};

/** Every reason to reject an order, one row per code. A row is silent if another row reports the cause. */
const orderChecks: readonly (OrderCheck | ItemCheck)[] = [
  {
    code: 42200,
    about: "order",
    wrong: (it) =>
      it.patient !== null && patientNews(it, it.patient.record) === undefined
        ? [{ code: 42200, field: "patient.identity_documents", problem: "conflict", message: full.identity_documents }]
        : [],
  },
  {
    code: 42200,
    about: "order",
    wrong: ({ draft, patient, now }) =>
      patient === null
        ? []
        : safetyProblems(patient.record, draft.patient.patient_safety, now, "patient.patient_safety."),
  },
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
  order(42231, (it) => {
    const state = it.ship_to.address?.state ?? it.draft.sent_state;
    return it.account.workflow === "api_driven" && state !== null && !isLicensed(it, state) ? ["address.state"] : [];
  }),
  item(42241, "ndc", (it) => isMisnamed(it, "ndc")),
  item(42242, "quantity", ({ draft, product }) => product !== null && !product.quantities.includes(draft.quantity)),
  item(42246, "gcn", (it) => isMisnamed(it, "gcn")),
  item(
    42247,
    "package_size",
    ({ draft: { package_size }, product }) =>
      package_size !== null && product !== null && !product.package_sizes.includes(package_size),
  ),
  {
    ...item(42249, "prescription_id", (it, facts) => !hasUsablePrescription(it, facts)),
    cause: ({ draft }) => (draft.prescription_id === null ? { problem: "missing" } : {}),
  },
  item(42250, "prescription_id", (it, facts) => isUsable(it, facts) && unitsLeft(it.prescription!) <= 0),
  item(42253, "quantity", (it, facts) => it.product?.back_orders === false && isMeasured(it) && isShort(it, facts)),
  item(42254, "sku", (it) => isMisnamed(it, "sku")),
  item(42255, "quantity", (it, facts) => {
    if (!isUsable(it, facts) || !isMeasured(it)) return false;
    const left = unitsLeft(it.prescription!);
    return left > 0 && exact(unitsBefore(it, facts) + it.units) > left;
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
  item(
    42257,
    "prescription_id",
    ({ prescription, product }, at) => prescription !== null && hasExpired(prescription, product, at),
  ),
  {
    code: 42258,
    about: "order",
    wrong: ({ items }) =>
      items.flatMap((it) =>
        it.names
          .filter((named) => isOtherMedication(named.product, it) || isOtherProduct(named, it))
          .map(({ field }) => ({ code: 42258, field: `items[${it.draft.index}].${field}` })),
      ),
  },
  item(42259, "written_qty", (it) => !isOfferedAsWritten(it)),
  item(
    42260,
    "product_selection",
    (it) => isMisnamed(it, "product_selection") || (it.prescription !== null && it.written_product === null),
  ),
  // Under Automatic Processing an item can omit the prescription. Then another field must name the product.
  item(42260, "product_selection", (it, facts) => {
    const { prescription_id, refused } = it.draft;
    const nameless = it.names.length === 0 && prescription_id === null && !refused.has("prescription_id");
    return nameless && hasUsablePrescription(it, facts);
  }),
  // The rest of a partial schedule 2 fill needs a new prescription.
  item(
    42257,
    "prescription_id",
    ({ prescription }, it) => prescription !== null && unitsLeft(prescription) > 0 && hasLapsed(prescription, it),
  ),
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

/** Returns all problems of a readable order, in code order. */
export function checkOrder(judged: Checked): Problem[] {
  return orderChecks.flatMap((check) =>
    check.about === "order"
      ? check.wrong(judged)
      : judged.items
          .filter((one) => check.wrong(one, judged))
          .map((one) => ({
            code: check.code,
            field: `items[${one.draft.index}].${check.field}`,
            ...check.cause?.(one),
          })),
  );
}

/** These depend on the prescription, its product and the time alone. */
const OF_PRESCRIPTION: ReadonlySet<ErrorCode> = new Set([42249, 42250, 42253, 42257, 42259, 42260]);
const prescriptionChecks = orderChecks.filter(
  (check): check is ItemCheck => check.about === "item" && OF_PRESCRIPTION.has(check.code),
);

/** Returns the codes with which every order of this one item is refused because of its prescription, in code order. */
export const prescriptionProblems = (item: ResolvedItem, facts: Omit<ItemFacts, "items">): ErrorCode[] => {
  const judged = { ...facts, items: [item] };
  const codes = prescriptionChecks.filter((check) => check.wrong(item, judged)).map(({ code }) => code);
  return [...new Set(codes)].sort((a, b) => a - b);
};

function order(code: ErrorCode, fields: (it: Checked) => string[]): OrderCheck {
  return { code, about: "order", wrong: (it) => fields(it).map((field) => ({ code, field })) };
}

function item(code: ErrorCode, field: string, wrong: ItemCheck["wrong"]): ItemCheck {
  return { code, about: "item", field, wrong };
}

const isControlled = ({ product, prescription }: Pick<ResolvedItem, "product" | "prescription">): boolean =>
  [product?.drug_schedule, prescription?.drug_schedule].some((schedule) => schedule !== undefined && schedule !== "0");

/** An unknown patient has no documents to check. */
const needsDocument = ({ items, patient }: Checked) => patient !== null && items.some(isControlled);

/** Sent with this order, or on file. It must be valid beyond today. */
function hasDocument({ draft, patient, today }: Checked): boolean {
  if (draft.patient.identity_documents.length > 0 || draft.patient.document_refused) return true;
  return (patient?.record.identity_documents ?? []).some(({ expiration_date }) => expiration_date > today);
}

export function isLicensed({ formulary, today }: Pick<Judged, "formulary" | "today">, state: string): boolean {
  const licence = formulary.licences.get(state);
  return licence !== undefined && licence.valid_from <= today && today <= licence.valid_to;
}

const methodOf = ({ draft, formulary }: Checked) =>
  draft.shipping.method_id === null ? undefined : formulary.methods.get(draft.shipping.method_id);

/** Addresses that only USPS serves. */
const isBox = ({ ship_to: { verdict } }: Checked) => verdict !== null && addressKinds[verdict.kind].usps_only;

/** Can be filled today, apart from its units. */
const isUsable = ({ prescription }: ResolvedItem, facts: ItemFacts): boolean =>
  prescription !== null && isFillable(prescription, facts);

function hasUsablePrescription(it: ResolvedItem, facts: ItemFacts): boolean {
  const { draft } = it;
  if (draft.prescription_id !== null) return isUsable(it, facts);
  if (!it.needs_prescription) return true;
  // Automatic Processing accepts prescriber fields instead and holds the order for the prescription (exception 73).
  return facts.account.workflow === "automatic" && namesPrescriber(draft);
}

export const namesPrescriber = ({ prescriber_name, prescriber_phone, prescriber_fax }: ResolvedItem["draft"]) =>
  prescriber_name !== null && (prescriber_phone !== null || prescriber_fax !== null);

const unitsLeft = ({ written_qty, refills, units_ordered }: PrescriptionFact): number =>
  exact(written_qty * (1 + refills) - units_ordered);

/**
 * A name that matches no product. Without a prescription to compare with, also a name of another product than the first
 * name.
 */
/** The NDC is that of a brand and the SKU that of its generic, or the other way round: only the caller knows which. */
function isOtherProduct({ field, product }: NamedProduct, { names }: ResolvedItem): boolean {
  const sku = names.find((name) => name.field === "sku")?.product;
  return field === "ndc" && product !== null && sku != null && product.gcn === sku.gcn && product.sku !== sku.sku;
}

function isMisnamed({ names, product, prescription }: ResolvedItem, field: NamedProduct["field"]): boolean {
  const named = names.find((name) => name.field === field);
  if (named === undefined) return false;
  if (named.product === null) return true;
  if (prescription !== null || product === null || named.product === product) return false;
  return named.product.gcn === null || named.product.gcn !== product.gcn;
}

function isOfferedAsWritten({ draft, product, prescription }: ResolvedItem): boolean {
  const written = draft.written_qty ?? prescription?.written_qty ?? null;
  return product === null || written === null || product.written_quantities.includes(written);
}

/** Count and package size are valid, so units can be computed. */
function isMeasured(it: ResolvedItem): boolean {
  const { draft, product } = it;
  if (product === null || ["quantity", "package_size", "written_qty"].some((name) => draft.refused.has(name)))
    return false;
  const sized =
    draft.package_size === null ? isOfferedAsWritten(it) : product.package_sizes.includes(draft.package_size);
  return sized && product.quantities.includes(draft.quantity);
}

/** Units that earlier items of the same order take from the prescription. */
function unitsBefore({ draft, prescription }: ResolvedItem, { items }: Pick<ItemFacts, "items">): number {
  return items
    .filter((one) => one.prescription === prescription && one.draft.index < draft.index)
    .reduce((sum, one) => sum + one.units, 0);
}

/** The stock is too low for this item after the earlier items. */
export function isShort(
  { draft, product, units }: ResolvedItem,
  { items, stock }: Pick<ItemFacts, "items" | "stock">,
): boolean {
  if (product === null) return false;
  const before = items
    .filter((one) => one.product?.sku === product.sku && one.draft.index < draft.index)
    .reduce((sum, one) => sum + one.units, 0);
  return exact(before + units) > (stock.get(product.sku) ?? 0);
}

/**
 * Returns the record with the patient data of an order. Contacts, safety lists and valid documents are saved with the
 * order; names and the date of birth never are. Undefined if there are too many documents.
 */
export function patientNews(
  { draft, today, now }: Pick<OrderFacts, "draft" | "today" | "now">,
  record: PatientRecord,
): PatientRecord | undefined {
  const { contact, patient_safety, identity_documents } = draft.patient;
  const { first_name: _, last_name: __, ...contacts } = contact;
  const told = withContact(record, { ...contacts, patient_safety }, now);
  return identity_documents.reduce<PatientRecord | undefined>(
    (it, document) => it && withDocumentIfRoom(it, document, today)?.record,
    told,
  );
}
