import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { orderOf, placed } from "../../support/orders.ts";
import { goodAddress } from "../../support/patient.ts";
import { arrived, simulate } from "../../support/simulate.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

/**
 * Sixty mistakes that new integrators make. Each answer alone must say where the mistake is, what is wrong, and what to
 * do next.
 */
type Mistake = readonly [what: string, send: () => Promise<Response>, field: string, problem: string, next: string];

let app: TestApp;
let patient: { patient_id: string; prescription_id: number };
let stranger: { patient_id: string; prescription_id: number };
let controlled: { patient_id: string; prescription_id: number };
let open: string;
let shipped: string;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  const drug = { drug_name: "atorvastatin", written_qty: 30 };
  [patient, stranger, controlled] = await Promise.all([
    arrived(app, drug),
    arrived(app, drug),
    arrived(app, { drug_name: "zolpidem", written_qty: 30, refills_left: 0 }),
  ]);
  open = (await placed(app, orderOf(await arrived(app, drug), 30))).order_number;
  shipped = (await placed(app, orderOf(await arrived(app, drug), 30))).order_number;
  await simulate(app, "order", { order_number: shipped, to: "Shipped" });
});
afterAll(() => app.stop());

const JSON_TYPE = { "content-type": "application/json" };
const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = JSON_TYPE) =>
  app.call(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
/** `POST /orders` with this patient's good order, changed. */
const order = (change: (body: ReturnType<typeof orderOf>) => object, whose = () => patient) =>
  send("POST", "/orders", change(orderOf(whose(), 30)));
const item = (fields: object, whose = () => patient) =>
  order((body) => ({ ...body, items: [{ ...body.items[0], ...fields }] }), whose);
const address = (fields: object) => order((body) => ({ ...body, address: { ...goodAddress, ...fields } }));
const addressWithout = (field: string) =>
  order((body) => ({
    ...body,
    address: Object.fromEntries(Object.entries(goodAddress).filter(([name]) => name !== field)),
  }));
const action = (order_number: () => string, body: object) => () =>
  send("POST", `/orders/${order_number()}/partner_order_action_requests`, body);
const token = (
  form: Record<string, string> | string,
  options: { basic?: string; production?: boolean; type?: string } = {},
) =>
  fetch(`${options.production ? app.addresses.auth_url : app.addresses.sandbox_auth_url}/oauth/token`, {
    method: "POST",
    headers: {
      "content-type": options.type ?? "application/x-www-form-urlencoded",
      ...(options.basic !== undefined && { authorization: options.basic }),
    },
    body: typeof form === "string" ? form : new URLSearchParams(form).toString(),
  });
const grant = { grant_type: "client_credentials", scope: "partners" };
const client = () => {
  const { client_id, client_secret } = app.demo.partners[0]!;
  return { client_id, client_secret };
};
const basic = ({ client_id, client_secret } = client()) => `Basic ${btoa(`${client_id}:${client_secret}`)}`;
const hook = (fields: object) =>
  send("POST", "/webhook_endpoints", {
    url: "https://partner.example/hook",
    secret: "s",
    events: ["RX_RECEIVED"],
    ...fields,
  });

const mistakes: readonly Mistake[] = [
  // Tokens
  [
    "a sandbox credential at the production token server",
    () => token({ ...grant, ...client() }, { production: true }),
    "token server",
    "unknown to this token server",
    "use the one of the credential's environment",
  ],
  [
    "a wrong secret",
    () => token({ ...grant, ...client(), client_secret: "wrong" }),
    "secret",
    "its secret is wrong",
    "use the one",
  ],
  ["no credentials", () => token(grant), "client_id", "is missing", "Send both"],
  [
    "credentials in the header and in the form",
    () => token({ ...grant, ...client() }, { basic: basic() }),
    "client_secret",
    "in two places",
    "Send client_id and client_secret either",
  ],
  [
    "Basic without base64",
    () => token(grant, { basic: `Basic ${client().client_id}:x` }),
    "Authorization",
    "not HTTP Basic",
    "base64 of client_id:client_secret",
  ],
  [
    "Bearer at the token server",
    () => token(grant, { basic: "Bearer abc" }),
    "Authorization",
    "not HTTP Basic",
    "Send Basic",
  ],
  [
    "a JSON body for a token",
    () => token(JSON.stringify({ ...grant, ...client() }), { type: "application/json" }),
    "Content-Type",
    "is not a form",
    "Send Content-Type: application/x-www-form-urlencoded",
  ],
  [
    "no grant_type",
    () => token({ scope: "partners", ...client() }),
    "grant_type",
    "is missing",
    "Send grant_type=client_credentials",
  ],
  [
    "the password grant",
    () => token({ ...grant, grant_type: "password", ...client() }),
    "grant_type",
    "only supported grant",
    "Send grant_type=client_credentials",
  ],
  ["no scope", () => token({ grant_type: "client_credentials", ...client() }), "scope", "is missing", "scope=partners"],
  [
    "a scope of another kind of client",
    () => token({ ...grant, scope: "intake", ...client() }),
    "scope",
    "does not have this scope",
    "scope=partners",
  ],
  [
    "a parameter twice",
    () => token(`${new URLSearchParams({ ...grant, ...client() })}&scope=partners`),
    "parameter",
    "occurs twice",
    "once",
  ],
  // The request itself
  ["no token", () => app.call("/orders", { token: null }), "access token", "missing", "POST /oauth/token"],
  [
    "a token without Bearer",
    async () => app.call("/orders", { token: null, headers: { authorization: await app.token() } }),
    "Authorization: Bearer",
    "unknown, expired or revoked",
    "POST /oauth/token",
  ],
  [
    "the client's secret instead of a token",
    () => app.call("/orders", { token: null, headers: { authorization: basic() } }),
    "access token",
    "unknown",
    "Authorization: Bearer TOKEN",
  ],
  [
    "no Accept",
    () => app.call("/orders", { headers: { accept: "*/*" } }),
    "Accept",
    "must name application/json",
    "Send Accept: application/json",
  ],
  [
    "no Content-Type",
    () => send("POST", "/orders", {}, { "content-type": "text/plain" }),
    "Content-Type",
    "Unsupported Content Type",
    "Send `Content-Type: application/json`",
  ],
  [
    "a comma too many",
    () => app.call("/orders", { method: "POST", headers: JSON_TYPE, body: '{"a": 1,}' }),
    "body",
    "Malformed JSON",
    "Send well-formed JSON",
  ],
  ["a list of orders", () => send("POST", "/orders", [{}]), "body", "Bad Request", "Send a JSON object"],
  [
    "a wrong method",
    () => send("PUT", `/orders/${open}`, {}),
    "path",
    "method is not allowed",
    "Use one of the methods in Allow",
  ],
  ["a wrong prefix", () => app.call("/v2/orders"), "path", "was not found", "Check the path"],
  [
    "an order of production in the sandbox",
    () => app.call("/orders/7K2M9XQ4TB"),
    "id",
    "was not found",
    "sandbox and production share none",
  ],
  [
    "a key with a space",
    () => send("POST", "/orders", {}, { ...JSON_TYPE, "idempotency-key": "my order" }),
    "Idempotency-Key",
    "Invalid Header",
    "visible ASCII characters",
  ],
  [
    "a key again with another body",
    async () => {
      const headers = { ...JSON_TYPE, "idempotency-key": "mistake-1" };
      const move = (advance_seconds: number) =>
        send("POST", "/simulate", { simulation_type: "clock", simulation: { advance_seconds } }, headers);
      await move(1);
      return move(2);
    },
    "Idempotency-Key",
    "another body",
    "Use a new key",
  ],
  // Queries
  [
    "a misspelled filter",
    () => app.call("/orders?patientid=x"),
    "patientid",
    "unknown_field",
    '"did_you_mean":"patient_id"',
  ],
  [
    "a status that does not exist",
    () => app.call("/orders?order_status=shipped"),
    "order_status",
    "not_allowed",
    '"did_you_mean":"Shipped"',
  ],
  [
    "a time in words",
    () => app.call("/orders?created_after=yesterday"),
    "created_after",
    "not_allowed",
    "2026-11-15T08:30:00.000Z",
  ],
  ["a limit out of range", () => app.call("/orders?limit=1000"), "limit", "not_allowed", "from 1 to 200"],
  [
    "a cursor of another list",
    async () => {
      const { next_cursor } = (await (await app.call("/webhook_events?limit=1")).json()) as { next_cursor: string };
      return app.call(`/orders?cursor=${next_cursor}`);
    },
    "cursor",
    "not one of this list",
    "omit it to start again",
  ],
  [
    "a product filter without brackets",
    () => app.call("/products?ndc=70999010130"),
    "ndc",
    "unknown_field",
    '"did_you_mean":"ndc[]"',
  ],
  // POST /orders
  [
    "a misspelled field",
    () => order((body) => ({ ...body, adress: goodAddress })),
    "adress",
    "unknown_field",
    '"did_you_mean":"address"',
  ],
  [
    "camelCase",
    () => order(({ patient: _, ...body }) => ({ ...body, patient: { patientId: "x" } })),
    "patient.patientId",
    "unknown_field",
    '"did_you_mean":"patient_id"',
  ],
  ["no items", () => order((body) => ({ ...body, items: [] })), "items", "not_allowed", "Send a list of 1 to"],
  [
    "no patient",
    () => order(({ patient: _, ...body }) => body),
    "patient.patient_id",
    "missing",
    "Use the `patient_id` from the `RX_RECEIVED` webhook",
  ],
  [
    "an unknown patient",
    () => order((body) => ({ ...body, patient: { patient_id: "nobody-9" } })),
    "patient.patient_id",
    "not_found",
    "Use the `patient_id` from",
  ],
  [
    "quantity as text",
    () => item({ quantity: "1" }),
    "items[0].quantity",
    "wrong_type",
    "Send a whole number, without quotes",
  ],
  [
    "a quantity that is not offered",
    () => item({ quantity: 7 }),
    "items[0].quantity",
    "does not offer this quantity",
    "`quantities` in `GET /products`",
  ],
  [
    "units instead of packages",
    () => item({ package_size: 31 }),
    "items[0].package_size",
    "does not offer this package size",
    "`package_sizes` in `GET /products`",
  ],
  [
    "no prescription",
    () => item({ prescription_id: undefined, sku: "atorvastatin-20" }),
    "items[0].prescription_id",
    "missing",
    "(`GET …/rx`) say in `not_fillable` why",
  ],
  [
    "the prescription of another patient",
    () => item({ prescription_id: stranger.prescription_id }),
    "items[0].prescription_id",
    "not_found",
    "(`GET …/rx`) say in `not_fillable` why",
  ],
  [
    "an expired prescription",
    async () => {
      const old = await arrived(app, { drug_name: "atorvastatin", written_qty: 30, written_date: "2020-01-01" });
      return order(
        (body) => body,
        () => old,
      );
    },
    "items[0].prescription_id",
    "has expired",
    "ask the prescriber",
  ],
  [
    "another drug than prescribed",
    () => item({ sku: "sertraline-50" }),
    "items[0].",
    "must be the medication on the prescription",
    "Omit `sku`, `ndc` and `gcn`",
  ],
  [
    "a SKU of somebody else",
    () => item({ sku: "nimbus-pouch" }),
    "items[0].sku",
    "no product with this SKU",
    "Use one from `GET /products`",
  ],
  [
    "a controlled drug without a document",
    () =>
      order(
        (body) => body,
        () => controlled,
      ),
    "patient.identity_documents",
    "requires an identity document",
    "Send `patient.identity_documents`",
  ],
  [
    "a document that has expired",
    () =>
      order(
        (body) => ({
          ...body,
          patient: {
            ...body.patient,
            identity_documents: [
              { type: "DL", issuing_country: "US", issuing_state: "CA", number: "D1", expiration_date: "2020-01-01" },
            ],
          },
        }),
        () => controlled,
      ),
    "patient.identity_documents[0].expiration_date",
    "not_allowed",
    "future date as `YYYY-MM-DD`",
  ],
  [
    "a birth date the American way",
    () => order((body) => ({ ...body, patient: { ...body.patient, dob: "02/11/1984" } })),
    "patient.dob",
    "not_allowed",
    "Send a date as `YYYY-MM-DD`",
  ],
  [
    "a gender in words",
    () => order((body) => ({ ...body, patient: { ...body.patient, gender: "female" } })),
    "patient.gender",
    "not_allowed",
    "Use a gender code: `M`, `F` or `N`",
  ],
  ["an address without a city", () => addressWithout("city"), "address.city", "missing", "Provide a valid city"],
  ["a state in words", () => address({ state: "California" }), "address.state", "not_allowed", '"did_you_mean":"CA"'],
  [
    "a zip of another state",
    () => address({ zip: "10001" }),
    "address.zip",
    "not in the given state",
    "Send five digits or ZIP+4",
  ],
  [
    "a state without a license",
    () => address({ street1: "1450 Ala Moana Blvd", city: "Honolulu", state: "HI", zip: "96814" }),
    "address.state",
    "no license",
    "Ship to an address in another state",
  ],
  [
    "a shipping method by name",
    () => order((body) => ({ ...body, shipping: { method_id: "ground" } })),
    "shipping.method_id",
    "wrong_type",
    "Send a whole number",
  ],
  [
    "a shipping method that does not exist",
    () => order((body) => ({ ...body, shipping: { method_id: 99 } })),
    "shipping.method_id",
    "no such shipping method",
    "`GET /shipping_methods`",
  ],
  [
    "the same order twice",
    async () => {
      const body = orderOf(await arrived(app, { drug_name: "atorvastatin", written_qty: 30 }), 30);
      await placed(app, body);
      return send("POST", "/orders", body);
    },
    "order_number",
    "conflicts with another recent request",
    "Check that it is not a duplicate",
  ],
  // Later
  [
    "an event in capitals",
    action(() => open, { event: "CANCEL" }),
    "event",
    "no such event",
    '"did_you_mean":"cancel"',
  ],
  [
    "cancel after shipping",
    action(() => shipped, { event: "cancel" }),
    "event",
    "does not apply to the order in its current state",
    "`order_actions`",
  ],
  [
    "a refund without a reason",
    action(() => shipped, { event: "refund" }),
    "reason_id",
    "missing",
    "GET /order_status_reasons",
  ],
  [
    "another address after shipping",
    () => send("PUT", `/orders/${shipped}/shipping_address`, goodAddress),
    "address",
    "has shipped",
    "Ask the carrier",
  ],
  ["a webhook URL without https", () => hook({ url: "http://partner.example/hook" }), "url", "not_allowed", "https"],
  [
    "an event type in lower case",
    () => hook({ events: ["rx_received"] }),
    "events[0]",
    "not_allowed",
    '"did_you_mean":"RX_RECEIVED"',
  ],
];

describe("the answer to a typical mistake says where it is, what is wrong and what to do next", () => {
  test("there are sixty", () => expect(mistakes).toHaveLength(60));

  test.each(mistakes)("%s", async (_what, sent, field, problem, next) => {
    const response = await sent();
    const text = await response.text();
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    expect({ text, lacks: [field, problem, next].filter((said) => !text.includes(said)) }).toEqual({ text, lacks: [] });
  });
});
