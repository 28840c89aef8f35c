import type { endpoints } from "@pestle/contract";
import type { DescribedCall } from "./described-call.ts";

type PartnerOperation = Extract<(typeof endpoints)[number], { readonly server: "partner" }>["operation_id"];

/** The SDK's method for each operation; the first parentheses take the arguments. */
const methods: Record<PartnerOperation, string> = {
  listShippingMethods: "shippingMethods()",
  listBrands: "brands()",
  listProducts: "products()",
  listOrderActions: "orderActions()",
  listOrderStatusReasons: "orderStatusReasons()",
  getPatient: "patients.get()",
  updatePatient: "patients.update()",
  removeSafetyEntry: "patients.removeSafetyEntry()",
  listPatientPrescriptions: "patients.prescriptions()",
  addShippingAddress: "patients.addAddress()",
  removeShippingAddress: "patients.removeAddress()",
  addIdentityDocument: "patients.addIdentityDocument()",
  createOrder: "orders.create()",
  listOrders: "orders.list().firstPage()",
  getOrder: "orders.get()",
  listOrderHistory: "orders.history().firstPage()",
  replaceOrderAddress: "orders.replaceAddress()",
  createReorder: "orders.reorder()",
  requestOrderAction: "orders.act()",
  listOrderActionRequests: "orders.actionRequests()",
  listOrderMessages: "orders.messages().firstPage()",
  sendOrderMessage: "orders.sendMessage()",
  createRenewalRequest: "prescriptions.requestRenewal()",
  getRenewalRequest: "prescriptions.renewalRequest()",
  listContinuity: "continuity().firstPage()",
  listStatements: "statements.list().firstPage()",
  getStatement: "statements.get()",
  listRequests: "requests.list().firstPage()",
  getRequest: "requests.get()",
  createRefillSchedule: "refillSchedules.create()",
  listRefillSchedules: "refillSchedules.list().firstPage()",
  getRefillSchedule: "refillSchedules.get()",
  skipRefill: "refillSchedules.skip()",
  pauseRefillSchedule: "refillSchedules.pause()",
  resumeRefillSchedule: "refillSchedules.resume()",
  cancelRefillSchedule: "refillSchedules.cancel()",
  fillRefillNow: "refillSchedules.fillNow()",
  createWebhookEndpoint: "webhookEndpoints.create()",
  listWebhookEndpoints: "webhookEndpoints.list()",
  getWebhookEndpoint: "webhookEndpoints.get()",
  updateWebhookEndpoint: "webhookEndpoints.update()",
  removeWebhookEndpoint: "webhookEndpoints.remove()",
  testWebhookEndpoint: "webhookEndpoints.test()",
  redeliverFailedWebhooks: "webhookEndpoints.redeliverFailed()",
  getWebhookStatistics: "webhookEndpoints.statistics()",
  listWebhookEvents: "events.list().firstPage()",
  getWebhookEvent: "events.get()",
  listWebhookAttempts: "events.attempts().firstPage()",
  redeliverWebhookEvent: "events.redeliver()",
  simulate: "simulate.{simulation_type}()",
};

/** With our SDK. Undefined for operations that it does not call. */
export function sdkSample(call: DescribedCall): string | undefined {
  const { operation_id, base_url, auth_url, body, ids } = call;
  if (!Object.hasOwn(methods, operation_id)) return undefined;
  const example = body?.example as Record<string, unknown> | undefined;
  const given = [...ids, ...argumentsOf(operation_id as PartnerOperation, example)].map((one) => literal(one, ""));
  const method = methods[operation_id as PartnerOperation]
    .replace("{simulation_type}", String(example?.["simulation_type"]))
    .replace("()", () => `(${given.join(", ")})`);
  return `import { createPestle } from "@pestle/sdk";

const pestle = createPestle({
  client_id: process.env.PESTLE_CLIENT_ID,
  client_secret: process.env.PESTLE_CLIENT_SECRET,
  base_url: ${JSON.stringify(base_url)},
  auth_url: ${JSON.stringify(auth_url)},
});

const answer = await pestle.${method};
console.log(answer);`;
}

/** Two methods take fields of the body instead of the body. */
function argumentsOf(operation_id: PartnerOperation, example: Record<string, unknown> | undefined): unknown[] {
  if (example === undefined) return [];
  if (operation_id === "simulate") return [example["simulation"]];
  return [operation_id === "removeSafetyEntry" ? example["reason"] : example];
}

function literal(value: unknown, indent: string): string {
  const inner = `${indent}  `;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const parts = Array.isArray(value)
    ? value.map((one) => literal(one, inner))
    : Object.entries(value).map(([name, one]) => `${key(name)}: ${literal(one, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return parts.length === 0
    ? `${open}${close}`
    : `${open}\n${parts.map((one) => `${inner}${one},\n`).join("")}${indent}${close}`;
}

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
