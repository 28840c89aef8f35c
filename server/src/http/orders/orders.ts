import { isExceptionId, isPatientId, ORDER_NUMBER_PATTERN, orderStatuses } from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import type { OrderFilter } from "../../db/orders/order-list.ts";
import { findOrder, listActionRequests, listHistory } from "../../db/orders/orders.ts";
import type { Deps } from "../../deps.ts";
import { errorEntries } from "../../domain/values/error-entries.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import type { FinishedAnswer } from "../../usecases/idempotently.ts";
import { changeOrderAddress } from "../../usecases/orders/change-order-address.ts";
import { placeOrder, tryOrder } from "../../usecases/orders/place-order.ts";
import { type PreparedOrder, prepareOrder } from "../../usecases/orders/prepare-order.ts";
import { prepareReorder } from "../../usecases/orders/prepare-reorder.ts";
import { readOrder, readOrders } from "../../usecases/orders/read-orders.ts";
import { requestOrderAction as askOrder } from "../../usecases/orders/request-order-action.ts";
import { json } from "../answer.ts";
import { canonicalJson } from "../canonical-json.ts";
import { pageAnswer, pageOf } from "../page.ts";
import type { Change, ReadHandler, WriteHandler } from "../partner-api.ts";
import { flagOf, numberOf, type Query, textOf, timeOf } from "../query-values.ts";

export const createOrder: WriteHandler = Object.assign(create, { saves_once: true as const });

async function create(...[deps, call, body]: Parameters<WriteHandler>): Promise<Change> {
  const dry_run = flagOf(call.query, "dry_run") ?? false;
  const prepared = await prepareOrder(deps, call.grant, body, canonicalJson(body), call.now);
  return async (db, after_conflict) => {
    if (!dry_run) return place(deps, db, prepared, call.now, after_conflict);
    const { problems, ...tried } = await tryOrder(deps, db, prepared, call.now);
    return finished(200, { ...tried, errors: errorEntries(problems) });
  };
}

export const createReorder: WriteHandler = Object.assign(reorder, { saves_once: true as const });

async function reorder(...[deps, call, body]: Parameters<WriteHandler>): Promise<Change> {
  const order_number = orderNumber(call.params);
  const whole = await prepareReorder(deps, call.grant.account_id, order_number, body);
  // Not the same request as an order with this body, nor as a reorder of another order.
  const canonical = canonicalJson([order_number, body]);
  const prepared = await prepareOrder(deps, call.grant, whole.body, canonical, call.now, whole.address);
  return (db, after_conflict) => place(deps, db, prepared, call.now, after_conflict);
}

export const replaceOrderAddress: WriteHandler = async (deps, call, body) => {
  const change = await changeOrderAddress(deps, call.grant, orderNumber(call.params), body);
  return async (db) => finished(200, await change(db));
};

export const requestOrderAction: WriteHandler = async (deps, call, body) => {
  const act = await askOrder(deps, call.grant, orderNumber(call.params), body);
  return async (db) => {
    const { request, settle } = await act(db);
    return { ...finished(201, request), ...(settle && { settle: async () => JSON.stringify(await settle()) }) };
  };
};

export const listOrderActionRequests: ReadHandler = async (deps, { grant, params }) => {
  const order_number = orderNumber(params);
  const order = await readOrder(deps, grant.account_id, order_number);
  if (order === undefined) throw new StatusRefusal(404);
  const asked = await listActionRequests(deps.db, grant.account_id, order_number);
  const partner_order_action_requests = asked.map(({ id, event, reason_id, created_at }) => ({
    id,
    event,
    order_number,
    reason_id,
    created_at: created_at.toISOString(),
    order,
  }));
  return json(200, { partner_order_action_requests });
};

export const listOrders: ReadHandler = async (deps, { grant, query, url }) => {
  const { before, limit } = pageOf(query);
  const { orders, next } = await readOrders(
    deps,
    grant.account_id,
    filterOf(query, deps.config.TIME_ZONE),
    before,
    limit,
  );
  return pageAnswer(url, { orders }, next);
};

export const getOrder: ReadHandler = async (deps, { grant, params }) => {
  const order = await readOrder(deps, grant.account_id, orderNumber(params));
  if (order === undefined) throw new StatusRefusal(404);
  return json(200, order);
};

export const listOrderHistory: ReadHandler = async (deps, { grant, params, query, url }) => {
  const { before, limit } = pageOf(query);
  const order_number = orderNumber(params);
  const rows = await listHistory(deps.db, grant.account_id, order_number, before, limit + 1);
  // An order has a history from its first moment on; past its end there is still an order.
  if (rows.length === 0 && (await findOrder(deps.db, grant.account_id, order_number)) === undefined) {
    throw new StatusRefusal(404);
  }
  const shown = rows.slice(0, limit);
  const history = shown.map(({ history_position: _, at, ...row }) => ({ at: at.toISOString(), ...row }));
  return pageAnswer(url, { history }, rows.length > limit ? shown.at(-1)!.history_position : null);
};

async function place(
  deps: Deps,
  tx: Tx,
  prepared: PreparedOrder,
  now: Date,
  after_conflict: boolean,
): Promise<FinishedAnswer> {
  const { order, settle } = await placeOrder(deps, tx, prepared, now, after_conflict);
  return { ...finished(201, order), ...(settle && { settle: async () => JSON.stringify(await settle()) }) };
}

const finished = (status: number, value: unknown) => ({ status, body: JSON.stringify(value) });

/** An order number that none can have is not looked for. */
export function orderNumber({ order_number = "" }: Parameters<ReadHandler>[1]["params"]): string {
  if (!new RegExp(ORDER_NUMBER_PATTERN).test(order_number)) throw new StatusRefusal(404);
  return order_number;
}

/** The filters of a list of orders. */
export function filterOf(query: Query, zone: string): OrderFilter {
  return {
    patient_id: textOf(query, "patient_id", isPatientId),
    order_status: textOf(query, "order_status", (text) => (orderStatuses as readonly string[]).includes(text)) as
      | OrderFilter["order_status"]
      | null,
    prescription_id: numberOf(query, "prescription_id"),
    brand_id: numberOf(query, "brand_id"),
    reference: textOf(query, "reference", (text) => text.length <= 255),
    exception_id: numberOf(query, "exception_id", isExceptionId),
    created_after: timeOf(query, "created_after", zone),
    created_before: timeOf(query, "created_before", zone),
    updated_after: timeOf(query, "updated_after", zone),
  };
}
