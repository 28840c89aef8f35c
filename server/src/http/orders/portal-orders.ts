import type { HistoryEntry, Order, PortalOrder, PortalOrderRow } from "@pestle/contract";
import { listHeldGroups } from "../../db/operations/portal-home.ts";
import { listActionRequests, listHistory } from "../../db/orders/orders.ts";
import { listPatientMessageLines, shownPatientMessage } from "../../db/patients/patient-messages.ts";
import { exceptionGroups, offeredActions } from "../../domain/orders/offered-actions.ts";
import { auditListing } from "../../usecases/operations/audit-portal.ts";
import { readOrders, viewOrder } from "../../usecases/orders/read-orders.ts";
import { requestActionInPortal } from "../../usecases/orders/request-order-action.ts";
import { suggestionWhileHeld } from "../../usecases/orders/suggest-address.ts";
import { json } from "../answer.ts";
import { pageAnswer, pageOf } from "../page.ts";
import { developers, everybody, ofAccount, queryOf } from "../portal-route.ts";
import type { WebRoute } from "../web-api.ts";
import { filterOf, orderNumber } from "./orders.ts";

const filters = [
  "patient_id",
  "order_status",
  "prescription_id",
  "brand_id",
  "reference",
  "exception_id",
  "created_after",
  "created_before",
  "updated_after",
] as const;
/** More than any order has. */
const WHOLE_HISTORY = 1_000;

/** Orders as the partner's programs see them, with the same actions. */
export const orderRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/portal/:environment/orders",
    roles: everybody,
    handler: ofAccount(async (deps, call) => {
      const query = queryOf(call, ...filters, "limit", "cursor");
      const list = { vault: deps.vault, account_id: call.account.account_id, list: "orders" };
      const { before, limit } = pageOf(query, list);
      const filter = filterOf(query, deps.config.TIME_ZONE);
      const { orders, next } = await readOrders(deps, call.account.account_id, filter, before, limit);
      await auditListing(deps, call.by, orders);
      return pageAnswer(call.request.url, { orders: orders.map(rowOf) }, next, list);
    }),
  },
  {
    method: "GET",
    path: "/portal/:environment/orders/:order_number",
    roles: everybody,
    handler: ofAccount(async (deps, { account, params, by }) => {
      const order_number = orderNumber(params);
      const order = await viewOrder(deps, by, order_number);
      const open = order.exceptions.map(({ id }) => id);
      const [history, asked, suggested_address, messages] = await Promise.all([
        listHistory(deps.db, by.account_id, order_number, Number.MAX_SAFE_INTEGER, WHOLE_HISTORY),
        listActionRequests(deps.db, by.account_id, order_number, null, WHOLE_HISTORY),
        suggestionWhileHeld(deps, account.environment, order.address, open),
        listPatientMessageLines(deps.db, by.account_id, order_number),
      ]);
      return json(200, {
        order,
        history: history.map(
          ({ history_position: _, at, ...row }) => ({ at: at.toISOString(), ...row }) as HistoryEntry,
        ),
        action_requests: asked.map(({ created_at, ...row }) => ({ ...row, created_at: created_at.toISOString() })),
        actions: offeredActions(order),
        suggested_address,
        patient_messages: messages.map(shownPatientMessage),
      } satisfies PortalOrder);
    }),
  },
  {
    method: "POST",
    path: "/portal/:environment/orders/:order_number/actions",
    roles: developers,
    handler: ofAccount(async (deps, { account, by, params, body }) =>
      json(201, await requestActionInPortal(deps, account, by, orderNumber(params), body)),
    ),
  },
  {
    method: "GET",
    path: "/portal/:environment/exceptions",
    roles: everybody,
    handler: ofAccount(async (deps, { account }) =>
      json(200, { groups: exceptionGroups(await listHeldGroups(deps.db, account.account_id)) }),
    ),
  },
];

/** Omits names, addresses and medications, because a list does not need them. */
const rowOf = (order: Order): PortalOrderRow => ({
  order_number: order.order_number,
  order_status: order.order_status,
  patient_id: order.patient_id,
  reference: order.reference,
  brand_id: order.brand_id,
  exceptions: order.exceptions.map(({ id, name, raised_at }) => ({ id, name, raised_at })),
  items: order.items.length,
  tracking_no: order.shipments[0]?.tracking_no ?? null,
  created_at: order.created_at,
  updated_at: order.updated_at,
});
