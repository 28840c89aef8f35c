import type { Order } from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import type { FinishedAnswer } from "../idempotently.ts";
import { auditPortal, auditView, type PortalActor } from "../operations/audit-portal.ts";
import type { Orderer } from "./prepare-order.ts";
import { readOrder } from "./read-orders.ts";
import { requestOrderAction } from "./request-order-action.ts";

/** The same as a partner's program asks, and who asked is written down with it. */
export async function askOrderInPortal(
  deps: Deps,
  orderer: Orderer,
  by: PortalActor,
  order_number: string,
  sent: SentFields,
): Promise<(tx: Tx) => Promise<FinishedAnswer>> {
  const act = await requestOrderAction(deps, orderer, order_number, sent);
  return async (tx) => {
    const { request, settle } = await act(tx);
    await auditPortal(tx, deps.now(), by, "order_action_requested", order_number);
    return {
      status: 201,
      body: JSON.stringify(request),
      ...(settle && { settle: async () => JSON.stringify(await settle()) }),
    };
  };
}

/** Whoever looks at an order sees whom it is for: that is written down before it is shown. */
export async function viewOrder(deps: Deps, by: PortalActor, order_number: string): Promise<Order> {
  const order = await readOrder(deps, by.account_id, order_number);
  if (order === undefined) throw new StatusRefusal(404);
  await auditView(deps, by, "order_viewed", order_number);
  return order;
}
