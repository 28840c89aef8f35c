import type { Address, Environment, RevealedOrder } from "@pestle/contract";
import { loadPatient } from "../db/patients.ts";
import type { Deps } from "../deps.ts";
import { patientAnswer } from "../domain/patient-record.ts";
import { withKeysOfNow } from "../vault/vault.ts";
import { loadChangingOrder } from "./load-changing-order.ts";
import { type Looker, writeAudit } from "./write-audit.ts";

/** Who an order is for and where it goes. It is written down before it is told. */
export async function revealOrder(
  deps: Deps,
  by: Looker,
  account_id: string,
  order_number: string,
  request_id: string,
): Promise<RevealedOrder> {
  const { order, record, environment } = await withKeysOfNow(deps, () =>
    loadChangingOrder(deps, deps.db, account_id, order_number),
  );
  const row = (await loadPatient(deps.db, account_id, order.patient_id))!;
  const { address } = order;
  await writeAudit(deps, by, { account_id, action: "order_revealed", subject: order_number }, request_id);
  return {
    patient: patientAnswer(order.patient_id, record, row),
    address,
    suggestion: address && (await suggestionFor(deps, environment, address)),
  };
}

/** How the validator would write an address that it doubts; whom a parcel is for it has no word in. */
export async function suggestionFor(
  deps: Pick<Deps, "address_validators">,
  environment: Environment,
  address: Address,
): Promise<RevealedOrder["suggestion"]> {
  const { result, suggestions } = await deps.address_validators[environment].validate(address);
  const [suggestion] = result === "valid" ? [] : suggestions;
  if (suggestion === undefined) return null;
  const { street1, street2, city, state, zip } = suggestion;
  return { street1, street2, city, state, zip };
}
