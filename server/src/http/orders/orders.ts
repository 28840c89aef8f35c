import {
  isExceptionId,
  isPatientId,
  ORDER_NUMBER_PATTERN,
  orderActions,
  orderStatuses,
  orderStatusReasons,
} from "@pestle/contract";
import { type ActionRequestRow, findOrder, listActionRequests, listHistory } from "../../db/orders/orders.ts";
import { errorEntries } from "../../domain/values/error-entries.ts";
import { MOST_PAGE_BYTES } from "../../domain/values/page-bytes.ts";
import { refuse, StatusRefusal } from "../../domain/values/refusals.ts";
import { auditRead, partnerEntry } from "../../usecases/operations/audit-partner.ts";
import { changeOrderAddress } from "../../usecases/orders/change-order-address.ts";
import * as write from "../../usecases/orders/place-order.ts";
import { type OrderQuery, readOrderText, readOrderTexts } from "../../usecases/orders/read-orders.ts";
import { requestOrderAction as actOnOrder } from "../../usecases/orders/request-order-action.ts";
import { answer, rendered, showing } from "../answer.ts";
import { type CursorList, openCursor, sealCursor } from "../cursors.ts";
import { cursorOf, linkTo, listAnswer, pageAnswer, pageOf } from "../page.ts";
import type { ReadHandler, WriteHandler } from "../partner-api.ts";
import { choiceOf, flagOf, numberOf, type Query, textOf, timeOf } from "../query-values.ts";

export const createOrder: WriteHandler = async (deps, call, body) => {
  if (!flagOf(call.query, "dry_run")) return write.createOrder(deps, call, body);
  const { problems, patient_id, ...tried } = await write.tryOrder(deps, call, body);
  const patients = patient_id === null ? [] : [patient_id];
  if (patients.length > 0) auditRead(deps, partnerEntry("createOrder", call, { patients }, "order_tried"));
  return { status: 200, body: JSON.stringify({ ...tried, errors: errorEntries(problems, deps.addresses.base_url) }) };
};

export const createReorder: WriteHandler = (deps, call, body) =>
  write.createReorder(deps, call, orderNumber(call.params), body);

export const replaceOrderAddress: WriteHandler = (deps, call, body) =>
  changeOrderAddress(deps, call, orderNumber(call.params), body);

export const requestOrderAction: WriteHandler = (deps, call, body) =>
  actOnOrder(deps, call, orderNumber(call.params), body);

/** An entry beside its order. */
const BYTES_PER_REQUEST = 200;

export const listOrderActionRequests: ReadHandler = async (deps, { grant, params, query, url }) => {
  const order_number = orderNumber(params);
  const order = await readOrderText(deps, grant.account_id, order_number);
  if (order === undefined) throw new StatusRefusal(404);
  const list = { vault: deps.vault, account_id: grant.account_id, list: `action requests ${order_number}` };
  const [cursor] = query.get("cursor") ?? [];
  const before = cursor === undefined ? null : requestPosition(list, cursor);
  const order_text = order.text;
  const fitting = Math.max(1, Math.floor(MOST_PAGE_BYTES / (Buffer.byteLength(order_text) + BYTES_PER_REQUEST)));
  const asked = await listActionRequests(deps.db, grant.account_id, order_number, before, fitting + 1);
  const shown = asked.slice(0, fitting);
  const entries = shown.map(({ id, event, reason_id, created_at }) => {
    const entry = JSON.stringify({ id, event, order_number, reason_id, created_at: created_at.toISOString() });
    return `${entry.slice(0, -1)},"order":${order_text}}`;
  });
  const seen = { patients: [order.patient_id], subject: order_number };
  const next = asked.length > fitting ? requestCursor(list, shown.at(-1)!) : null;
  const rest = next === null ? "" : `,"next_cursor":${JSON.stringify(next)}`;
  const body = rendered(`{"partner_order_action_requests":[${entries.join()}]${rest}}`);
  return showing(answer(200, body, next === null ? undefined : { link: linkTo(url, next) }), seen);
};

type RequestPosition = Pick<ActionRequestRow, "created_at" | "id">;
const requestCursor = (list: CursorList, { created_at, id }: RequestPosition) =>
  sealCursor(list, `q${created_at.getTime()}.${id}`);
function requestPosition(list: CursorList, cursor: string): RequestPosition {
  const [, at, id] =
    /^q(\d{1,15})\.(\d{1,15})$/.exec(openCursor(list, cursor)) ?? refuse(40003, "cursor", { problem: "not_found" });
  return { created_at: new Date(Number(at)), id: Number(id) };
}

export const listOrders: ReadHandler = async (deps, { grant, query, url }) => {
  const list = { vault: deps.vault, account_id: grant.account_id, list: "orders" };
  const { before, limit } = pageOf(query, list);
  const filter = filterOf(query, deps.config.TIME_ZONE);
  const { orders, next } = await readOrderTexts(deps, grant.account_id, filter, before, limit);
  return listAnswer(url, "orders", orders, {
    cursorAfter: (index) => cursorOf(list, orders[index]!.order_position),
    next_cursor: next === null ? null : cursorOf(list, next),
    textOf: ({ text }) => text,
    patientOf: ({ patient_id }) => patient_id,
  });
};

export const getOrder: ReadHandler = async (deps, { grant, params }) => {
  const order = await readOrderText(deps, grant.account_id, orderNumber(params));
  if (order === undefined) throw new StatusRefusal(404);
  const seen = { patients: [order.patient_id], subject: order.order_number };
  return showing(answer(200, rendered(order.text)), seen);
};

export const listOrderHistory: ReadHandler = async (deps, { grant, params, query, url }) => {
  const list = { vault: deps.vault, account_id: grant.account_id, list: `history ${params["order_number"]}` };
  const { before, limit } = pageOf(query, list);
  const order_number = orderNumber(params);
  const rows = await listHistory(deps.db, grant.account_id, order_number, before, limit + 1);
  // Every order has history from the start, so an empty page is either past its end or an unknown order.
  if (rows.length === 0 && (await findOrder(deps.db, grant.account_id, order_number)) === undefined) {
    throw new StatusRefusal(404);
  }
  const shown = rows.slice(0, limit);
  const history = shown.map(({ history_position: _, at, ...row }) => ({ at: at.toISOString(), ...row }));
  const next = rows.length > limit ? shown.at(-1)!.history_position : null;
  // The log finds the patient by the order.
  return showing(pageAnswer(url, { history }, next, list), { patients: [], subject: order_number });
};

const actions = answer(200, rendered(JSON.stringify({ order_actions: orderActions })));
const reasons = answer(200, rendered(JSON.stringify({ order_status_reasons: orderStatusReasons })));

export const listOrderActions: ReadHandler = () => actions;
export const listOrderStatusReasons: ReadHandler = () => reasons;

/** Rejects malformed order numbers before querying. */
export function orderNumber({ order_number = "" }: Parameters<ReadHandler>[1]["params"]): string {
  if (!new RegExp(ORDER_NUMBER_PATTERN).test(order_number)) throw new StatusRefusal(404);
  return order_number;
}

export function filterOf(query: Query, zone: string): OrderQuery {
  return {
    patient_id: textOf(query, "patient_id", isPatientId),
    order_status: choiceOf(query, "order_status", orderStatuses),
    prescription_id: numberOf(query, "prescription_id"),
    brand_id: numberOf(query, "brand_id"),
    reference: textOf(query, "reference", (text) => text.length <= 255),
    exception_id: numberOf(query, "exception_id", isExceptionId),
    created_after: timeOf(query, "created_after", zone),
    created_before: timeOf(query, "created_before", zone),
    updated_after: timeOf(query, "updated_after", zone),
  };
}
