import { OrderItemInput } from "@pestle/contract";
import { isPrescriberName, isPrescriberPhone } from "../intake/prescriber-fields.ts";
import { normaliseNdc } from "../values/identifiers.ts";
import { isId, isText, optionalField } from "../values/optional-field.ts";
import type { Problem } from "../values/refusals.ts";
import { isSentObject, type SentFields, unknownFields } from "../values/unknown-fields.ts";

/** An item of an order's body, as far as it could be read. */
export type ItemDraft = {
  /** Where it stands in the request, also when others before it could not be read. */
  index: number;
  prescription_id: number | null;
  sku: string | null;
  /** What the sent NDC may mean; ten bare digits may mean three. */
  ndcs: string[] | null;
  gcn: string | null;
  product_selection: string | null;
  quantity: number;
  package_size: number | null;
  written_qty: number | null;
  prescriber_name: string | null;
  prescriber_phone: string | null;
  prescriber_fax: string | null;
  /** Fields whose value was refused: nothing more is said about them. */
  refused: ReadonlySet<string>;
};

const MOST_ITEMS = 50;
/** Above these no product could ever offer it, and sums stay exact. */
const MOST_PACKAGES = 1_000;
const MOST_UNITS = 1_000_000;
const MOST_DECIMALS = 3;

const known = Object.keys(OrderItemInput.properties as object);

export function readItems(sent: unknown, problems: Problem[]): ItemDraft[] {
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > MOST_ITEMS) {
    problems.push({ code: 42200, field: "items" });
    return [];
  }
  return sent.flatMap((one: unknown, index) => {
    if (isSentObject(one)) return [readItem(one, index, problems)];
    problems.push({ code: 42200, field: `items[${index}]` });
    return [];
  });
}

function readItem(sent: SentFields, index: number, problems: Problem[]): ItemDraft {
  const prefix = `items[${index}].`;
  const refused = new Set<string>();
  problems.push(...unknownFields(sent, known, prefix));
  const field = <Value>(name: string, code: Problem["code"], is: (value: unknown) => value is Value) =>
    optionalField(sent, name, is, () => {
      refused.add(name);
      problems.push({ code, field: `${prefix}${name}` });
    });
  const ndc = field("ndc", 42241, isNdc);
  return {
    index,
    prescription_id: field("prescription_id", 42249, isId),
    sku: field("sku", 42254, isText),
    ndcs: ndc === null ? null : normaliseNdc(ndc),
    gcn: field("gcn", 42246, isText),
    product_selection: field("product_selection", 42260, isText),
    quantity: field("quantity", 42242, isPackageCount) ?? 1,
    package_size: field("package_size", 42247, isUnits),
    written_qty: field("written_qty", 42259, isUnits),
    prescriber_name: field("prescriber_name", 42243, isPrescriberName),
    prescriber_phone: field("prescriber_phone", 42244, isPrescriberPhone),
    prescriber_fax: field("prescriber_fax", 42245, isPrescriberPhone),
    refused,
  };
}

const isNdc = (value: unknown): value is string =>
  typeof value === "string" && value.length <= 20 && normaliseNdc(value).length > 0;
const isPackageCount = (value: unknown): value is number => isId(value) && value <= MOST_PACKAGES;
const isUnits = (value: unknown): value is number =>
  typeof value === "number" && value > 0 && value <= MOST_UNITS && Number(value.toFixed(MOST_DECIMALS)) === value;
