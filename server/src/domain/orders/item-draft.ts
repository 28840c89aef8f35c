import { OrderItemInput } from "@pestle/contract";
import { normaliseNdc } from "../values/identifiers.ts";
import { type Read, withNulls } from "../values/read-body.ts";
import type { SentFields } from "../values/unknown-fields.ts";

type Named = Omit<Required<OrderItemInput>, "ndc" | "quantity">;
/** An item of an order body, as far as it is readable. */
export type ItemDraft = { [Field in keyof Named]: Named[Field] | null } & {
  /** Its index in the request, also if earlier items are unreadable. */
  index: number;
  /** The possible meanings of the NDC. Ten bare digits can mean three. */
  ndcs: string[] | null;
  quantity: number;
  /** Fields with a rejected value, which get no further problems. */
  refused: ReadonlySet<string>;
};

/** The readable items. `sent` holds them as received. */
export const itemDrafts = (items: Read<OrderItemInput[]>, sent: unknown): ItemDraft[] =>
  items.flatMap((item, index) => (item === undefined ? [] : [itemDraft(item, index, (sent as SentFields[])[index]!)]));

function itemDraft(item: Read<OrderItemInput>, index: number, sent: SentFields): ItemDraft {
  const { ndc, quantity, ...named } = withNulls(OrderItemInput, item);
  return {
    ...named,
    index,
    ndcs: ndc === null ? null : normaliseNdc(ndc),
    quantity: quantity ?? 1,
    refused: new Set(Object.keys(sent).filter((name) => sent[name] !== null && !Object.hasOwn(item, name))),
  };
}

/** An item of a prescription alone: one fill as written. */
export const oneFill: Omit<ItemDraft, "prescription_id"> = {
  sku: null,
  gcn: null,
  product_selection: null,
  package_size: null,
  written_qty: null,
  prescriber_name: null,
  prescriber_phone: null,
  prescriber_fax: null,
  index: 0,
  ndcs: null,
  quantity: 1,
  refused: new Set(),
};
