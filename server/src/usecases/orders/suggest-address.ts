import { type Address, type Environment, type ExceptionId, exceptionRow, type RevealedOrder } from "@pestle/contract";
import type { Deps } from "../../deps.ts";

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

/** Asked only where an open exception offers to use it: nobody looks for a suggestion otherwise. */
export async function suggestionWhileHeld(
  deps: Pick<Deps, "address_validators">,
  environment: Environment,
  address: Address | null,
  open: readonly ExceptionId[],
): Promise<Suggestion> {
  const offered = open.some((id) => exceptionRow(id).actions.includes("accept_suggested_address"));
  return offered && address !== null ? suggestionFor(deps, environment, address) : null;
}
