import type { OperationId } from "../endpoints/endpoints.ts";
import type { PortalApi } from "../portal/portal-api.ts";
import type { SimulationType } from "../simulations.ts";
import type { QuotaName } from "./quotas.ts";

/**
 * `only_in: "sandbox"`: a production account can always cancel, hold and correct what it has. `gives_back`: the request
 * removes what the quota counts.
 */
export type QuotaDraw = {
  readonly of: readonly QuotaName[];
  readonly only_in?: "sandbox";
  readonly gives_back?: true;
};

/** The quotas that each operation of the partner API adds to. Operations that are not here store nothing that lasts. */
export const quotaDraws = {
  createOrder: { of: ["orders", "stored_bytes"] },
  createReorder: { of: ["orders", "stored_bytes"] },
  addShippingAddress: { of: ["stored_bytes"] },
  addIdentityDocument: { of: ["stored_bytes"] },
  updatePatient: { of: ["stored_bytes"], only_in: "sandbox" },
  replaceOrderAddress: { of: ["stored_bytes"], only_in: "sandbox" },
  requestOrderAction: { of: ["stored_bytes"], only_in: "sandbox" },
  sendOrderMessage: { of: ["stored_bytes"], only_in: "sandbox" },
  createRenewalRequest: { of: ["stored_bytes"] },
  createRefillSchedule: { of: ["refill_schedules", "stored_bytes"] },
  fillRefillNow: { of: ["orders", "stored_bytes"] },
  createWebhookEndpoint: { of: ["webhook_endpoints"] },
  removeWebhookEndpoint: { of: ["webhook_endpoints"], gives_back: true },
  testWebhookEndpoint: { of: ["webhook_events", "stored_bytes"], only_in: "sandbox" },
  redeliverWebhookEvent: { of: ["stored_bytes"], only_in: "sandbox" },
  redeliverFailedWebhooks: { of: ["stored_bytes"], only_in: "sandbox" },
} as const satisfies Partial<Record<OperationId, QuotaDraw>>;

/** The same for each kind of `POST /simulate`. A prescription of a known patient adds no patient. */
export const simulationDraws = {
  prescription: { of: ["patients", "prescriptions", "stored_bytes"] },
  order: { of: ["stored_bytes"] },
  message: { of: ["webhook_events", "stored_bytes"] },
  event: { of: ["webhook_events", "stored_bytes"] },
  clock: { of: [] },
} as const satisfies Record<SimulationType, QuotaDraw>;

/** The requests of the portal that do what an operation of the API does. */
export const portalDraws: Partial<
  Record<keyof PortalApi, keyof typeof quotaDraws | "simulate" | "simulate prescription">
> = {
  "POST /portal/{environment}/webhook_endpoints": "createWebhookEndpoint",
  "DELETE /portal/{environment}/webhook_endpoints/{endpoint_id}": "removeWebhookEndpoint",
  "POST /portal/{environment}/webhook_endpoints/{endpoint_id}/test": "testWebhookEndpoint",
  "POST /portal/{environment}/webhook_endpoints/{endpoint_id}/redeliver": "redeliverFailedWebhooks",
  "POST /portal/{environment}/webhook_events/{event_id}/redeliver": "redeliverWebhookEvent",
  "POST /portal/{environment}/orders/{order_number}/actions": "requestOrderAction",
  "POST /portal/{environment}/orders/{order_number}/messages": "sendOrderMessage",
  "POST /portal/{environment}/prescriptions/{prescription_id}/renewal_requests": "createRenewalRequest",
  "POST /portal/{environment}/refill_schedules/{schedule_id}/fill_now": "fillRefillNow",
  "POST /portal/{environment}/sandbox/prescriptions": "simulate prescription",
  "POST /portal/{environment}/sandbox/orders": "createOrder",
  "POST /portal/{environment}/sandbox/simulate": "simulate",
};
