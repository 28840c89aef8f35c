import type { ActionRequest } from "@pestle/contract";
import type { Queryable } from "../../db/db.ts";
import { loadPrescriptionFact } from "../../db/intake/prescriptions.ts";
import { orderPlace } from "../../db/orders/orders.ts";
import { bytes } from "../../db/values.ts";
import type { Deps } from "../../deps.ts";
import { readAction } from "../../domain/orders/action-request.ts";
import { partner } from "../../domain/orders/order.ts";
import { decideAction, whereItFails } from "../../domain/orders/order-actions.ts";
import { RequestProblems, refuse, refuseAll } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { loadChangingOrder } from "./load-order.ts";
import type { Orderer } from "./prepare-order.ts";
import { changeOrder } from "./save-change.ts";
import { settleAsked, settlePayment } from "./settle-payment.ts";

type Asked = { request: ActionRequest; settle?: () => Promise<ActionRequest> };

/**
 * Reads what a partner asks of an order, and gives what does it: one load, one decision, one save. Whatever is far away
 * is asked before, or once it is saved.
 */
export async function requestOrderAction(
  deps: Deps,
  { account_id, environment }: Orderer,
  order_number: string,
  sent: SentFields,
): Promise<(db: Queryable) => Promise<Asked>> {
  const { action, problems: shape } = readAction(sent, deps.zips);
  const validate = deps.address_validators[environment].validate;
  // The address that a suggestion is wanted for: where it is another by then, nothing was suggested for it.
  const own =
    action?.event === "accept_suggested_address"
      ? await withKeysOfNow(
          deps,
          async () => (await loadChangingOrder(deps, deps.db, account_id, order_number)).order.address,
        )
      : null;
  const address = action?.address?.address ?? own;
  const verdict = address && (await validate(address));
  return async (db) => {
    const loaded = await loadChangingOrder(deps, db, account_id, order_number);
    // What the order's state says is told together with what is wrong with the request.
    refuseAll([...shape, ...(action === null ? [] : whereItFails(action, loaded, loaded.rules))]);
    const { event, exception_id, reason_id, amount_cents, prescription_id, item_id, token } = action!;
    const prescription =
      prescription_id === null ? null : ((await loadPrescriptionFact(db, account_id, prescription_id)) ?? null);
    if (own !== null && JSON.stringify(own) !== JSON.stringify(loaded.order.address)) refuse(42463, "event");
    const decided = decideAction({ action: action!, changing: loaded, rules: loaded.rules, verdict, prescription });
    if ("problems" in decided) throw new RequestProblems(decided.problems);
    const { outcome, settles } = decided;
    const place = orderPlace("payment_token_sealed", account_id, order_number);
    const changed = await changeOrder(deps, db, loaded, outcome, {
      actor: partner,
      action_request: { event, exception_id, reason_id, amount_cents, prescription_id, item_id },
      ...(token !== null && {
        columns: {
          payment_token_sealed: bytes(deps.vault.seal(Buffer.from(token), place)),
          payment_attempt: loaded.row.payment_attempt + 1,
        },
      }),
    });
    const request: ActionRequest = {
      id: changed.action_request_id!,
      event,
      order_number,
      reason_id,
      created_at: loaded.rules.now.toISOString(),
      order: changed.order,
    };
    if (settles === "payment") {
      return {
        request,
        settle: async () => ({ ...request, order: await settlePayment(deps, account_id, order_number) }),
      };
    }
    if (!outcome.payments?.some(({ state }) => state === "asked")) return { request };
    return {
      request,
      settle: async () => {
        await settleAsked(deps, account_id, { order_number });
        return request;
      },
    };
  };
}
