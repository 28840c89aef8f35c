import type { Deps } from "../deps.ts";

/** What is kept of what an exception rests on: enough to know it again, and nothing that tells who or what. */
export const blindBasis = (
  deps: Pick<Deps, "vault">,
  account_id: string,
  order_number: string,
  basis: string,
): string => deps.vault.blindIndex(basis, `order_exception.basis ${account_id} ${order_number}`).toString("hex");
