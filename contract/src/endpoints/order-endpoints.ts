import { type ActionField, actions } from "../actions.ts";
import { ErrorEntry } from "../error-bodies.ts";
import { type ErrorCode, errorCodes } from "../errors.ts";
import { exceptionIds } from "../exceptions.ts";
import { order_status } from "../fields.ts";
import { order, quote, triedOrder } from "../openapi/example-records.ts";
import { ActionRequestInput, AddressInput, OrderRequest, ReorderRequest } from "../requests.ts";
import { ActionRequest, HistoryEntry, Order, OrderException, Quote, TriedOrder } from "../resources.ts";
import { array, boolean, integer, nullable, object, oneOf, string, time } from "../schema.ts";
import { answer, body, bodyCodes, type Endpoint, idempotencyCodes, paged, restOfList } from "./endpoint.ts";
import { messageCodes } from "./message-endpoints.ts";
import { renewalCodes } from "./prescriber-endpoints.ts";
import { scheduleCodes } from "./schedule-endpoints.ts";

const otherCodes: readonly ErrorCode[] = [42228, 42229, ...messageCodes, ...renewalCodes, ...scheduleCodes];
/** Every error an order can get (spec, `POST /orders`: 422 codes). */
const orderCodes: readonly ErrorCode[] = errorCodes.filter(
  (code) => (code >= 42200 && code <= 42296 && !otherCodes.includes(code)) || code === 42380,
);

const actionRequest: ActionRequest = {
  id: 700001,
  event: "release",
  order_number: order.order_number,
  reason_id: null,
  created_at: "2026-11-15T09:30:00.000Z",
  order,
};
/** Errors of the action fields. */
const actionCodes: readonly ErrorCode[] = [
  ...new Set(
    Object.values(actions).flatMap(({ fields }) => (fields as readonly ActionField[]).flatMap(({ codes }) => codes)),
  ),
].filter((code) => code > 42200 && code < 42430);

export const orderEndpoints = [
  {
    operation_id: "createOrder",
    method: "POST",
    path: "/orders",
    server: "partner",
    tags: ["Orders"],
    auth: "bearer:partners",
    summary: "Create an order",
    description:
      "Requests a fill of one or more prescriptions, or of products that need none. The response lists all problems at once. A repeated body within a minute gets 409, unless the first order was canceled. With `dry_run=true` the service writes nothing and returns what would happen, never 409, with a quote: the same order costs no more for 15 minutes.",
    query: { dry_run: boolean("Check the order without creating it.") },
    body: body("application/json", OrderRequest, {
      reference: "inv-20931",
      shipping: { method_id: 1 },
      patient: {
        patient_id: "ay87nt",
        patient_safety: { medications: [], health_conditions: [], allergies: ["penicillin"] },
      },
      items: [{ prescription_id: 183601, quantity: 1, package_size: 90 }],
    }),
    responses: {
      200: answer(
        "What would happen (`dry_run`).",
        object({
          would_create: boolean(),
          errors: array(ErrorEntry),
          exceptions: array(OrderException),
          conflict: nullable(
            object(
              { order_number: string("The order that the same body created.") },
              { description: "Set if `POST /orders` would answer 409 now." },
            ),
          ),
          order: nullable(TriedOrder),
          quote: nullable(Quote),
        }),
        { would_create: true, errors: [], exceptions: [], conflict: null, order: triedOrder, quote },
      ),
      201: answer("The order.", Order, order),
    },
    codes: [40003, ...bodyCodes, ...orderCodes, ...idempotencyCodes],
    idempotent: true,
  },
  {
    operation_id: "listOrders",
    method: "GET",
    path: "/orders",
    server: "partner",
    tags: ["Orders"],
    auth: "bearer:partners",
    summary: "List the orders",
    description:
      "Newest first. Before you retry an order after a timeout, check here with `patient_id` whether it exists.",
    query: {
      patient_id: string(),
      order_status: order_status,
      prescription_id: integer(),
      brand_id: integer(),
      reference: string("The partner's own ID."),
      exception_id: oneOf(exceptionIds, "Orders with this open exception."),
      created_after: time("A time or a date."),
      created_before: time("A time or a date."),
      updated_after: time("A time or a date."),
      ...paged,
    },
    responses: {
      200: answer("A page of orders.", object({ orders: array(Order), next_cursor: nullable(string()) }), {
        orders: [order],
        next_cursor: null,
      }),
    },
    codes: [40003],
  },
  {
    operation_id: "getOrder",
    method: "GET",
    path: "/orders/{order_number}",
    server: "partner",
    tags: ["Orders"],
    auth: "bearer:partners",
    summary: "Read an order",
    description: "The current order.",
    responses: { 200: answer("The order.", Order, order) },
    codes: [40003],
    may_be_missing: true,
  },
  {
    operation_id: "listOrderHistory",
    method: "GET",
    path: "/orders/{order_number}/history",
    server: "partner",
    tags: ["Orders"],
    auth: "bearer:partners",
    summary: "Read an order's history",
    description: "Every change of the order, newest first.",
    query: paged,
    responses: {
      200: answer("A page of changes.", object({ history: array(HistoryEntry), next_cursor: nullable(string()) }), {
        history: [
          {
            at: "2026-11-15T09:10:00.000Z",
            actor: "partner",
            event: "create",
            from: null,
            to: "Processing",
            exception_id: null,
            request_id: "0b1f6b6e-4d1c-4f0a-9d83-6a5c7d2e9f10",
          },
        ],
        next_cursor: null,
      }),
    },
    codes: [40003],
    may_be_missing: true,
  },
  {
    operation_id: "replaceOrderAddress",
    method: "PUT",
    path: "/orders/{order_number}/shipping_address",
    server: "partner",
    tags: ["Orders"],
    auth: "bearer:partners",
    summary: "Change an order's shipping address",
    description:
      "Works until the order ships. On a held order it resolves the exceptions that the new address answers. An order with a controlled substance changes its address only with the pharmacy's approval.",
    body: body("application/json", AddressInput, {
      first_name: "Rosa",
      last_name: "Quill",
      street1: "88 Alder Ct",
      city: "Oakland",
      state: "CA",
      zip: "94612",
    }),
    responses: { 200: answer("The updated order.", Order, order) },
    codes: [40003, ...bodyCodes, 42200, 42221, 42222, 42223, 42225, 42226, 42227, 42228, 42229, 42230, 42231, 42293],
    may_be_missing: true,
  },
  {
    operation_id: "createReorder",
    method: "POST",
    path: "/orders/{order_number}/reorders",
    server: "partner",
    tags: ["Orders"],
    auth: "bearer:partners",
    summary: "Reorder",
    description:
      "Creates a new fill like an order that was shipped or delivered, with the same checks. The body is that of `POST /orders`. Omitted fields are copied from the earlier order.",
    body: body("application/json", ReorderRequest, {}),
    body_optional: true,
    responses: { 201: answer("The new order.", Order, order) },
    codes: [40003, ...bodyCodes, ...orderCodes, ...idempotencyCodes, 42463],
    may_be_missing: true,
    idempotent: true,
  },
  {
    operation_id: "requestOrderAction",
    method: "POST",
    path: "/orders/{order_number}/partner_order_action_requests",
    server: "partner",
    tags: ["Orders"],
    auth: "bearer:partners",
    summary: "Act on an order",
    description:
      "Resolves an exception, or holds, cancels or refunds an order. `GET /order_actions` lists the events, the fields each takes and where it is available. Without `exception_id` the event applies to the first open exception that offers it.",
    body: body("application/json", ActionRequestInput, { event: "release" }),
    responses: {
      201: answer("The request and the updated order.", ActionRequest, actionRequest),
    },
    codes: [40003, ...bodyCodes, 42200, ...actionCodes, ...idempotencyCodes, 42430, 42461, 42462, 42463],
    may_be_missing: true,
    idempotent: true,
  },
  {
    operation_id: "listOrderActionRequests",
    method: "GET",
    path: "/orders/{order_number}/partner_order_action_requests",
    server: "partner",
    tags: ["Orders"],
    auth: "bearer:partners",
    summary: "List the action requests of an order",
    description:
      "Every accepted request, newest first, each with the current order. An answer of more than 1 MiB ends earlier, with `next_cursor`.",
    query: { cursor: restOfList },
    responses: {
      200: answer(
        "The requests.",
        object(
          { partner_order_action_requests: array(ActionRequest), next_cursor: string() },
          { optional: ["next_cursor"] },
        ),
        { partner_order_action_requests: [actionRequest] },
      ),
    },
    codes: [40003],
    may_be_missing: true,
  },
] as const satisfies readonly Endpoint[];
