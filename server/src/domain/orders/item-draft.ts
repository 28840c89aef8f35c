import { OrderItemInput } from "@pestle/contract";
import { normaliseNdc } from "../values/identifiers.ts";
import { type Read, withNulls } from "../values/read-body.ts";

type Named = Omit<Required<OrderItemInput>, "ndc" | "quantity">;
/** An item of an order's body, as far as it could be read. */
export type ItemDraft = { [Field in keyof Named]: Named[Field] | null } & {
  /** Where it stands in the request, also when others before it could not be read. */
  index: number;
  /** What the sent NDC may mean; ten bare digits may mean three. */
  ndcs: string[] | null;
  quantity: number;
  /** Fields whose value was refused: nothing more is said about them. */
  refused: ReadonlySet<string>;
};

/** The items that could be read; `sent` has them as they came. */
export const itemDrafts = (items: Read<OrderItemInput[]>, sent: unknown): ItemDraft[] =>
  items.flatMap((item, index) => (item === undefined ? [] : [itemDraft(item, index, (sent as object[])[index]!)]));

function itemDraft(item: Read<OrderItemInput>, index: number, sent: object): ItemDraft {
  const { ndc, quantity, ...named } = withNulls(OrderItemInput, item);
  return {
    ...named,
    index,
    ndcs: ndc === null ? null : normaliseNdc(ndc),
    quantity: quantity ?? 1,
    refused: new Set(Object.keys(sent).filter((name) => !Object.hasOwn(item, name))),
  };
}
