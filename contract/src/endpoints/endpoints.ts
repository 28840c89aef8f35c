import { orderStatusReasons } from "../actions.ts";
import { Brand, OrderAction, OrderStatusReason, Product, ShippingMethod } from "../catalogue.ts";
import { orderActions } from "../order-actions.ts";
import { array, object, string, union } from "../schema.ts";
import { simulationAnswerExamples, simulationAnswers, simulationExamples, simulations } from "../simulations.ts";
import { continuityEndpoints } from "./continuity-endpoints.ts";
import { answer, body, bodyCodes, type Endpoint, idempotencyCodes } from "./endpoint.ts";
import { intakeEndpoints } from "./intake-endpoints.ts";
import { messageEndpoints } from "./message-endpoints.ts";
import { Introspection, ServerMetadata, serverMetadata, TokenRequest, TokenResponse, TokenToExamine } from "./oauth.ts";
import { orderEndpoints } from "./order-endpoints.ts";
import { patientEndpoints } from "./patient-endpoints.ts";
import { prescriberEndpoints } from "./prescriber-endpoints.ts";
import { requestEndpoints } from "./request-endpoints.ts";
import { scheduleEndpoints } from "./schedule-endpoints.ts";
import { statementEndpoints } from "./statement-endpoints.ts";
import { webhookEndpoints } from "./webhook-endpoints.ts";

const form = "application/x-www-form-urlencoded";

/**
 * Every operation of the servers. Each has a handler of the same name, and the OpenAPI document comes from this table.
 */
export const endpoints = [
  ...patientEndpoints,
  ...continuityEndpoints,
  ...orderEndpoints,
  ...messageEndpoints,
  ...prescriberEndpoints,
  ...scheduleEndpoints,
  ...webhookEndpoints,
  ...statementEndpoints,
  ...requestEndpoints,
  {
    operation_id: "listShippingMethods",
    method: "GET",
    path: "/shipping_methods",
    server: "partner",
    tags: ["Catalogue"],
    auth: "bearer:partners",
    summary: "List the shipping methods",
    description: "All shipping methods of the account. Use an `id` as the `method_id` of an order.",
    responses: {
      200: answer("The shipping methods.", object({ shipping_methods: array(ShippingMethod) }), {
        shipping_methods: [
          {
            id: 1,
            name: "Ground",
            carrier: "USPS",
            service: "Ground Advantage",
            signature_confirmation: true,
            po_box: true,
            cold_chain: false,
            price_cents: 595,
            transit_days: { min: 2, max: 5 },
          },
        ],
      }),
    },
    codes: [40003],
  },
  {
    operation_id: "listBrands",
    method: "GET",
    path: "/brands",
    server: "partner",
    tags: ["Catalogue"],
    auth: "bearer:partners",
    summary: "List the brands",
    description: "All brands of the account. An order without `brand_id` ships under the default brand.",
    responses: {
      200: answer("The brands.", object({ brands: array(Brand) }), {
        brands: [{ id: 1, name: "Harbor Health", default: true }],
      }),
    },
    codes: [40003],
  },
  {
    operation_id: "listProducts",
    method: "GET",
    path: "/products",
    server: "partner",
    tags: ["Catalogue"],
    auth: "bearer:partners",
    summary: "List the products",
    description:
      "The account's formulary, or the products in it that match any of the given values. The response is a bare array.",
    query: {
      "ndc[]": array(string(), "NDCs to find. Repeat the parameter for several."),
      "sku[]": array(string(), "SKUs to find. Repeat the parameter for several."),
      "gcn[]": array(string(), "GCNs to find. Repeat the parameter for several."),
    },
    responses: {
      200: answer("The products.", array(Product), [
        {
          sku: "atorvastatin-20",
          ndc: "00071015523",
          gcn: "43721",
          name: "Atorvastatin 20 mg tablet",
          rx_only: true,
          drug_schedule: "0",
          package_sizes: [30, 90],
          quantities: [1, 2, 3],
          written_quantities: [30, 90],
          shipping_method_ids: [1, 2],
          price_cents: [1100, 1100],
          in_stock: true,
        },
      ]),
    },
    codes: [40003],
  },
  {
    operation_id: "listOrderActions",
    method: "GET",
    path: "/order_actions",
    server: "partner",
    tags: ["Orders"],
    auth: "bearer:partners",
    summary: "List the order actions",
    description: "Every event you can send for an order, its fields, and the exceptions and statuses that allow it.",
    responses: {
      200: answer("The order actions.", object({ order_actions: array(OrderAction) }), {
        order_actions: orderActions.filter(({ event_key }) => event_key === "update_email"),
      }),
    },
    codes: [40003],
  },
  {
    operation_id: "listOrderStatusReasons",
    method: "GET",
    path: "/order_status_reasons",
    server: "partner",
    tags: ["Orders"],
    auth: "bearer:partners",
    summary: "List the order status reasons",
    description: "The reasons you can send as `reason_id`.",
    responses: {
      200: answer("The reasons.", object({ order_status_reasons: array(OrderStatusReason) }), {
        order_status_reasons: [...orderStatusReasons],
      }),
    },
    codes: [40003],
  },
  {
    operation_id: "simulate",
    method: "POST",
    path: "/simulate",
    server: "partner",
    tags: ["Sandbox"],
    auth: "bearer:partners",
    summary: "Simulate external events",
    description:
      "Sandbox accounts only; production accounts get 404. `prescription`: a prescription arrives. Under Automatic Processing its order exists when you receive the response. `order`: the order goes through every step to the given status, or the given exception holds it. `message`: the pharmacy writes about the order; with `exception_id` it asks a question that holds the order. `event`: the service adds the event to the feed and sends it as given. `clock`: the account's own clock moves forward. Refill schedules make their orders on the days that it passes, and the simulated pharmacy ships them. Tokens, rate limits and idempotency keys stay on real time.",
    body: {
      ...body("application/json", union(Object.values(simulations)), simulationExamples.clock.value),
      examples: simulationExamples,
    },
    responses: {
      202: {
        ...answer(
          "The result of the simulation.",
          union(Object.values(simulationAnswers)),
          simulationAnswerExamples.clock.value,
        ),
        examples: simulationAnswerExamples,
      },
    },
    codes: [40003, ...bodyCodes, 42200, 42281, 42283, ...idempotencyCodes, 42463],
    may_be_missing: true,
    idempotent: true,
  },
  ...intakeEndpoints,
  {
    operation_id: "issueToken",
    method: "POST",
    path: "/oauth/token",
    server: "token",
    tags: ["Tokens"],
    auth: "client",
    summary: "Get an access token",
    description:
      "OAuth 2.0 client credentials grant (RFC 6749 section 4.4). Send the credentials in the form or with HTTP Basic authentication.",
    body: body(form, TokenRequest, {
      grant_type: "client_credentials",
      scope: "partners",
      client_id: "k3v9x2m4q7ab-5d8f2h6j",
      client_secret: "your-client-secret",
    }),
    responses: {
      200: answer("The token.", TokenResponse, {
        access_token: "k3v9x2m4q7ab_an-opaque-token",
        token_type: "Bearer",
        expires_in: 43_200,
        scope: "partners",
        created_at: 1_794_731_400,
      }),
    },
    codes: [],
  },
  {
    operation_id: "revokeToken",
    method: "POST",
    path: "/oauth/revoke",
    server: "token",
    tags: ["Tokens"],
    auth: "client",
    summary: "Revoke an access token",
    description:
      "RFC 7009. The token stops working within a second. The response is the same whether or not the token existed.",
    body: body(form, TokenToExamine, { token: "k3v9x2m4q7ab_an-opaque-token" }),
    responses: { 200: { description: "The token no longer works. The body is empty." } },
    codes: [],
  },
  {
    operation_id: "introspectToken",
    method: "POST",
    path: "/oauth/introspect",
    server: "token",
    tags: ["Tokens"],
    auth: "client",
    summary: "Introspect an access token",
    description: "RFC 7662. A client can introspect only tokens of its own account.",
    body: body(form, TokenToExamine, { token: "k3v9x2m4q7ab_an-opaque-token" }),
    responses: {
      200: answer("The state of the token.", Introspection, {
        active: true,
        scope: "partners",
        client_id: "k3v9x2m4q7ab-5d8f2h6j",
        token_type: "Bearer",
        exp: 1_794_774_600,
        iat: 1_794_731_400,
      }),
    },
    codes: [],
  },
  {
    operation_id: "getServerMetadata",
    method: "GET",
    path: "/.well-known/oauth-authorization-server",
    server: "token",
    tags: ["Tokens"],
    auth: "none",
    summary: "Describe the token server",
    description: "RFC 8414: the token server's endpoints and what they support.",
    responses: { 200: answer("The metadata.", ServerMetadata, serverMetadata("http://127.0.0.1:8081")) },
    codes: [],
  },
] as const satisfies readonly Endpoint[];

export type OperationId = (typeof endpoints)[number]["operation_id"];
