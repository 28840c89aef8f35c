import type { Environment, Order } from "@pestle/contract";
import type { Database } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { decideAddressChange } from "../../domain/orders/decide-address-change.ts";
import { type Actor, partnerBy } from "../../domain/orders/order.ts";
import type { Outcome } from "../../domain/orders/order-change.ts";
import { readAddress } from "../../domain/patients/address-input.ts";
import type { Verdict } from "../../domain/values/address/verdict.ts";
import { refuseAll } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { partnerEntry } from "../operations/audit-partner.ts";
import { type FinishedAnswer, type PartnerCall, writeAnswer } from "../write.ts";
import { type LoadedOrder, loadChangingOrder, seenIn } from "./load-order.ts";
import { changeOrder } from "./save-change.ts";
import { noteUnverified } from "./verify-ship-to.ts";

export const changeOrderAddress = (
  deps: Deps,
  call: PartnerCall,
  order_number: string,
  sent: SentFields,
): Promise<FinishedAnswer> =>
  writeAnswer(deps, call.key, 200, {
    prepare: () => judgeAddress(deps, call.grant.environment, sent),
    attempt: (tx, judged) =>
      replaceAddress(deps, tx, { account_id: call.grant.account_id, order_number }, judged, { call }),
    settle: (order, { verdict }) => noteIfUnverified(deps, call.grant.account_id, order, verdict),
  });

/** Undefined in the usual case, so that nothing waits. */
export const noteIfUnverified = <Changed extends { order_number: string }>(
  deps: Deps,
  account_id: string,
  order: Changed,
  verdict: Verdict | null,
): Promise<Changed> | undefined =>
  verdict?.unverified ? noteUnverified(deps, account_id, order.order_number).then(() => order) : undefined;

/** Reads an address and asks the validator. The validator may be remote, so never call this in a transaction. */
export async function judgeAddress(deps: Deps, environment: Environment, sent: SentFields) {
  const { read, problems } = readAddress(sent, deps.zips);
  const verdict = read && (await deps.address_validators[environment].validate(read.address));
  return { read, problems, verdict };
}

/** Saves a checked address on an order, for a partner's request or for the pharmacy. */
export async function replaceAddress(
  deps: Deps,
  db: Database,
  { account_id, order_number }: { account_id: string; order_number: string },
  { read, problems: shape, verdict }: Awaited<ReturnType<typeof judgeAddress>>,
  { staff, call }: { staff?: { actor: Actor; require: (loaded: LoadedOrder) => void }; call?: PartnerCall },
): Promise<Order> {
  const loaded = await loadChangingOrder(deps, db, account_id, order_number);
  staff?.require(loaded);
  refuseAll(shape);
  const judged = { read: read!, verdict: verdict! };
  const { problems, address, ends } = decideAddressChange(judged, loaded, loaded.rules, "", staff !== undefined);
  refuseAll(problems);
  const outcome: Outcome = { otherwise: "update_address", ends, after: { order: { ...loaded.order, address } } };
  const changed = await changeOrder(deps, db, loaded, outcome, {
    actor: staff?.actor ?? partnerBy(call),
    ...(call && { audit: partnerEntry("replaceOrderAddress", call, seenIn(loaded)) }),
  });
  return changed.order;
}
