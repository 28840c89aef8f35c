import type { Address, Environment, ExceptionId, RevealedOrder } from "@pestle/contract";
import type { Deps } from "../deps.ts";

type Suggestion = RevealedOrder["suggestion"];

/** How the validator would write an address that it doubts; whom a parcel is for it has no word in. */
export async function suggestionFor(
  deps: Pick<Deps, "address_validators">,
  environment: Environment,
  address: Address,
): Promise<Suggestion> {
  const { result, suggestions } = await deps.address_validators[environment].validate(address);
  const [suggestion] = result === "valid" ? [] : suggestions;
  if (suggestion === undefined) return null;
  const { street1, street2, city, state, zip } = suggestion;
  return { street1, street2, city, state, zip };
}

/** Asked only where the address holds the order: nobody looks for a suggestion otherwise. */
export async function suggestionWhileHeld(
  deps: Pick<Deps, "address_validators">,
  environment: Environment,
  address: Address | null,
  open: readonly ExceptionId[],
): Promise<Suggestion> {
  return address !== null && open.some((id) => id === 77 || id === 78)
    ? suggestionFor(deps, environment, address)
    : null;
}
