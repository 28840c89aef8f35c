import {
  type Address,
  type Environment,
  type ExceptionId,
  exceptionRow,
  type RevealedOrder,
  type Situation,
} from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import type { StoredOrder } from "../../domain/orders/order-answer.ts";
import { addressSituations } from "../../domain/orders/situations.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { loadChangingOrder } from "./load-order.ts";

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
  const offered = open.some(takesSuggestion);
  return offered && address !== null ? suggestionFor(deps, environment, address) : null;
}

const takesSuggestion = (id: ExceptionId): boolean => exceptionRow(id).actions.includes("accept_suggested_address");

/**
 * Asks the validator, before the transaction, whether a person who raises this exception leaves the partner a suggestion
 * to accept. The answer applies only to the address that the validator saw.
 */
export async function situationsToRaise(
  deps: Deps,
  { account_id, order_number }: { account_id: string; order_number: string },
  id: ExceptionId,
): Promise<(loaded: { order: Pick<StoredOrder, "address"> }) => Situation[]> {
  if (!takesSuggestion(id)) return () => [];
  const { order, environment } = await withKeysOfNow(deps, () =>
    loadChangingOrder(deps, deps.db, account_id, order_number),
  );
  const { address } = order;
  const verdict = address && (await deps.address_validators[environment].validate(address));
  return (loaded) =>
    JSON.stringify(loaded.order.address) === JSON.stringify(address) ? addressSituations(verdict) : [];
}
