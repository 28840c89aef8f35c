import type { Address, ExceptionId } from "@pestle/contract";
import { addressHolds } from "./address/address-holds.ts";
import { addressKinds, type Verdict } from "./address/verdict.ts";
import { type ReadAddress, settleAddress } from "./address-input.ts";
import type { Formulary } from "./formulary.ts";
import type { OrderStanding } from "./hold-change.ts";
import type { StoredOrder } from "./order-answer.ts";
import { isLicensed } from "./order-checks.ts";
import type { Problem } from "./refusals.ts";

/** The exceptions that an address raises, and that another one may end. */
const ADDRESS_EXCEPTIONS: readonly ExceptionId[] = [66, 67, 77, 78, 79];

/** Another address for an order: everything against it at once, else the address and the exceptions open from then on. */
export function decideAddressChange(
  sent: { read: ReadAddress; verdict: Verdict },
  order: { stored: StoredOrder; standing: OrderStanding; controlled: boolean },
  given: { formulary: Formulary; today: string; name_characters: number },
): { problems: Problem[]; address: Address; open: ExceptionId[] } {
  const { stored, standing, controlled } = order;
  const { address, problems } = settleAddress(sent.read, sent.verdict);
  const products = stored.items.flatMap(({ sku }) => given.formulary.by_sku.get(sku) ?? []);
  const method = given.formulary.known_methods.get(stored.shipping_method_id);
  const licensed = isLicensed(given, address.state);
  const refused: [Problem["code"], string, boolean][] = [
    [42228, "address", !isOpen(standing)],
    [42229, "address", controlled],
    [42231, "state", stored.workflow === "api_driven" && !licensed],
    [42293, "shipping.method_id", method?.po_box === false && addressKinds[sent.verdict.kind].usps_only],
  ];
  const barred = products.some(({ blocked_states }) => blocked_states.includes(address.state));
  const raised: ExceptionId[] = [
    ...(barred || (stored.workflow === "automatic" && !licensed) ? [67 as const] : []),
    // It was judged as it came (42230): no doubt is left that 77 or 78 could tell.
    ...addressHolds(address, null, given.name_characters),
  ];
  return {
    problems: [...problems, ...refused.flatMap(([code, field, wrong]) => (wrong ? [{ code, field }] : []))],
    address,
    open: [...standing.open.filter((id) => !ADDRESS_EXCEPTIONS.includes(id)), ...raised].sort((a, b) => a - b),
  };
}

/** Still in the house: neither shipped nor canceled. */
export const isOpen = ({ state }: OrderStanding): boolean =>
  state !== "Shipped" && state !== "Delivered" && state !== "Canceled";
