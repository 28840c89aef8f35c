import type { Order } from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import { isOpen, system } from "../../domain/orders/order.ts";
import { orderAnswer } from "../../domain/orders/order-answer.ts";
import { addressSituations } from "../../domain/orders/situations.ts";
import { addressHolds } from "../../domain/values/address/address-holds.ts";
import type { Verdict } from "../../domain/values/address/verdict.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { addSystemNote } from "../fulfillment/system-note.ts";
import { transact } from "../write.ts";
import { loadChangingOrder } from "./load-order.ts";
import { changeOrder } from "./save-change.ts";

/** Whose word an order's address still needs after the order is saved; undefined in the usual case. */
export type AddressDue = "verify" | "note";

/** `verify`: the address was on file, so the provider was not asked about it yet. `note`: the provider did not answer. */
export function addressDue(
  { byTables }: Deps["address_validators"]["production"],
  sent: Verdict | null,
  from: "request" | "prescription" | "patient" | "nowhere",
): AddressDue | undefined {
  if (byTables === undefined) return undefined;
  if (sent?.unverified) return "note";
  return from === "prescription" || from === "patient" ? "verify" : undefined;
}

const UNVERIFIED = "The address service did not answer. Only the built-in tables checked the address.";

export const noteUnverified = (deps: Deps, account_id: string, order_number: string): Promise<unknown> =>
  addSystemNote(deps, account_id, order_number, UNVERIFIED);

/**
 * Asks the provider about the address of a saved order, and holds the order (77, 78) if it is in doubt. If the provider does
 * not answer, the order goes on and its timeline says so. Returns the order as it is then.
 */
export async function verifyShipTo(deps: Deps, account_id: string, order_number: string): Promise<Order> {
  const load = (db = deps.db) => loadChangingOrder(deps, db, account_id, order_number);
  const seen = await withKeysOfNow(deps, () => load());
  const { address } = seen.order;
  const verdict = address && (await deps.address_validators[seen.environment].validate(address));
  if (verdict?.unverified) await noteUnverified(deps, account_id, order_number);
  const raises = verdict === null ? [] : addressHolds(address, verdict).filter((id) => id === 77 || id === 78);
  if (raises.length === 0) return orderAnswer(seen.order, seen.prescriptions, seen.rules);
  return transact(deps, async (tx) => {
    const loaded = await load(tx);
    const { order, standing, prescriptions, rules } = loaded;
    const fresh = raises.filter((id) => !standing.open.includes(id));
    const same = JSON.stringify(order.address) === JSON.stringify(address);
    if (!same || !isOpen(standing) || fresh.length === 0) return orderAnswer(order, prescriptions, rules);
    const outcome = { raises: fresh, situations: addressSituations(verdict) };
    return (await changeOrder(deps, tx, loaded, outcome, { actor: system })).order;
  });
}
