import { type Address, type Environment, type ExceptionId, exceptionRow, type RevealedOrder } from "@pestle/contract";
import type { Deps } from "../../deps.ts";

type Suggestion = RevealedOrder["suggestion"];

/** The validator's correction of a doubtful address. It never changes the recipient's name. */
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

/** Asks the validator only if an open exception lets the partner accept a suggestion. */
export async function suggestionWhileHeld(
  deps: Pick<Deps, "address_validators">,
  environment: Environment,
  address: Address | null,
  open: readonly ExceptionId[],
): Promise<Suggestion> {
  const offered = open.some((id) => exceptionRow(id).actions.includes("accept_suggested_address"));
  return offered && address !== null ? suggestionFor(deps, environment, address) : null;
}
