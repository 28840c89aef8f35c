import type { Order } from "@pestle/contract";
import type { Queryable } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { decideAddressChange } from "../../domain/orders/decide-address-change.ts";
import { partner } from "../../domain/orders/order.ts";
import type { Outcome } from "../../domain/orders/order-change.ts";
import { readAddress } from "../../domain/patients/address-input.ts";
import { refuseAll } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { actorOf, requireFree, type Work } from "../fulfillment/steps.ts";
import { loadChangingOrder } from "./load-order.ts";
import type { Orderer } from "./prepare-order.ts";
import { changeOrder } from "./save-change.ts";

/**
 * Judges an address and gives what puts it on the order: the validator is never asked inside a transaction. With `work`
 * somebody of the pharmacy does it, else the partner.
 */
export async function changeOrderAddress(
  deps: Deps,
  { account_id, environment }: Orderer,
  order_number: string,
  sent: SentFields,
  work?: Work,
): Promise<(db: Queryable) => Promise<Order>> {
  const actor = work === undefined ? partner : actorOf(work.by);
  const { read, problems: shape } = readAddress(sent, deps.zips);
  const verdict = read && (await deps.address_validators[environment].validate(read.address));
  return async (db) => {
    const loaded = await loadChangingOrder(deps, db, account_id, order_number);
    if (work !== undefined) requireFree(deps, loaded, work);
    refuseAll(shape);
    const judged = { read: read!, verdict: verdict! };
    const { problems, address, ends } = decideAddressChange(judged, loaded, loaded.rules, "", work !== undefined);
    refuseAll(problems);
    const outcome: Outcome = { otherwise: "update_address", ends, after: { order: { ...loaded.order, address } } };
    return (await changeOrder(deps, db, loaded, outcome, { actor })).order;
  };
}
