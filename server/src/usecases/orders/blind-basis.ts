import type { Deps } from "../../deps.ts";
import { unavailableFinding } from "../../domain/safety/finding.ts";

const UNCHECKED = unavailableFinding().key;

/**
 * What is kept of what an exception rests on: enough to know it again, and nothing that tells who or what. That nothing
 * could be checked tells neither, and is looked for (`recheckUnchecked`).
 */
export function blindBasis(deps: Pick<Deps, "vault">, account_id: string, order_number: string, basis: string): string {
  if (basis === UNCHECKED) return basis;
  return deps.vault.blindIndex(basis, `order_exception.basis ${account_id} ${order_number}`).toString("hex");
}
