import type { Address, ExceptionId } from "@pestle/contract";
import { type ReadAddress, settleAddress } from "../patients/address-input.ts";
import { addressKinds, type Verdict } from "../values/address/verdict.ts";
import type { Problem } from "../values/refusals.ts";
import { isOpen } from "./order.ts";
import { type ChangeRules, type ChangingOrder, decideChange, type Outcome } from "./order-change.ts";
import { isLicensed } from "./order-checks.ts";

/** Exceptions that an address raises, and that a new address ends. Problems of the new one raise them again. */
const ADDRESS_EXCEPTIONS: readonly ExceptionId[] = [66, 67, 77, 78, 79];

/** Those of them that a new default address of the patient ends. */
export const ENDED_BY_DEFAULT: readonly ExceptionId[] = [66, 67, 77, 78];

/** The change with which a held order takes the patient's new default address; null if that does not end the hold. */
export function takeDefaultAddress(
  sent: { read: ReadAddress; verdict: Verdict },
  changing: ChangingOrder,
  rules: ChangeRules,
): Outcome | null {
  const isRepaired = (id: ExceptionId) => ENDED_BY_DEFAULT.includes(id);
  if (!changing.standing.open.some(isRepaired)) return null;
  const { problems, address, ends } = decideAddressChange(sent, changing, rules);
  if (problems.length > 0) return null;
  const outcome: Outcome = { otherwise: "update_address", ends, after: { order: { ...changing.order, address } } };
  return decideChange(changing, outcome, rules).open.some(({ id }) => isRepaired(id)) ? null : outcome;
}

/** Changes an order's address: returns all problems at once, or the address and the exceptions that it resolves. */
export function decideAddressChange(
  sent: { read: ReadAddress; verdict: Verdict },
  { order, standing, prescriptions }: ChangingOrder,
  { formulary, today }: Pick<ChangeRules, "formulary" | "today">,
  prefix = "",
  /** True for the pharmacy, which must approve a change with a controlled substance. */
  approved = false,
): { problems: Problem[]; address: Address; ends: readonly ExceptionId[] } {
  const { address, problems } = settleAddress(sent.read, sent.verdict);
  const products = order.items.flatMap(({ sku }) => formulary.by_sku.get(sku) ?? []);
  const controlled = [...prescriptions, ...products].some(({ drug_schedule }) => drug_schedule !== "0");
  const method = formulary.known_methods.get(order.shipping_method_id);
  const unlicensed = order.workflow === "api_driven" && !isLicensed({ formulary, today }, address.state);
  const refused: [Problem["code"], string, boolean][] = [
    [42228, "address", !isOpen(standing)],
    [42229, "address", controlled && !approved],
    [42231, `${prefix}state`, unlicensed],
    [42293, "shipping.method_id", method?.po_box === false && addressKinds[sent.verdict.kind].usps_only],
  ];
  return {
    problems: [...problems, ...refused.flatMap(([code, field, wrong]) => (wrong ? [{ code, field }] : []))],
    address,
    ends: ADDRESS_EXCEPTIONS,
  };
}
