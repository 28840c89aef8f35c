import type { Deps } from "../../deps.ts";
import { unavailableFinding } from "../../domain/safety/finding.ts";

const UNCHECKED = unavailableFinding().key;

/**
 * Stores the cause of an exception as a blind index: enough to recognize it again without naming patient or drug.
 * "Could not be checked" names neither and stays readable, so that `recheckUnchecked` can search for it.
 */
export function blindBasis(deps: Pick<Deps, "vault">, account_id: string, order_number: string, basis: string): string {
  if (basis === UNCHECKED) return basis;
  return deps.vault.blindIndex(basis, `order_exception.basis ${account_id} ${order_number}`).toString("hex");
}
