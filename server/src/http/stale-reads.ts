import type { endpoints, OperationId, WebRouteKey } from "@pestle/contract";

/**
 * Which reads a replica may answer, if READ_DATABASE_URL names one, and why the others stay on the primary (ADR 0090). What is
 * not a route is on the primary anyway: tokens, sessions, idempotency keys, everything inside a write, jobs and their claims.
 */
const why = {
  replica: "A list, a report or an export. It may be a few seconds old, but shows what the caller wrote.",
  event: "A webhook may have told the caller of it, and the answer must not be older than the webhook.",
  feed: "Its positions and its end come from the transactions of the primary (ADR 0087).",
  memory: "Answered from memory, which only the primary fills (ADR 0004).",
  unlogged: "PostgreSQL does not replicate the request log.",
  work: "A person decides or acts on what the screen shows.",
  identity: "Shows who may do what at this moment.",
  live: "Shows this moment: the page follows a stream, a check or a delivery.",
  small: "A few rows by their key, so another pool of connections gains nothing.",
} as const;
export type Reading = keyof typeof why;
export const readings: Readonly<Record<Reading, string>> = why;

type PartnerRead = Extract<(typeof endpoints)[number], { server: "partner"; method: "GET" }>["operation_id"];

export const partnerReads = {
  getPatient: "event",
  listPatientPrescriptions: "event",
  listContinuity: "replica",
  listOrders: "replica",
  getOrder: "event",
  listOrderHistory: "event",
  listOrderActionRequests: "event",
  listOrderMessages: "event",
  getRenewalRequest: "event",
  listRefillSchedules: "replica",
  getRefillSchedule: "event",
  listWebhookEndpoints: "small",
  getWebhookEndpoint: "small",
  getWebhookStatistics: "replica",
  listWebhookEvents: "feed",
  getWebhookEvent: "event",
  listWebhookAttempts: "replica",
  listStatements: "replica",
  getStatement: "replica",
  listRequests: "unlogged",
  getRequest: "unlogged",
  listShippingMethods: "memory",
  listBrands: "memory",
  listProducts: "memory",
  listOrderActions: "memory",
  listOrderStatusReasons: "memory",
} as const satisfies Record<PartnerRead & OperationId, Reading>;

export const webReads = {
  "GET /session": "identity",
  "GET /session/passkeys": "identity",
  "GET /session/sso/callback": "identity",
  "GET /sessions": "identity",

  "GET /dashboard/accounts": "small",
  "GET /dashboard/audit": "replica",
  "GET /dashboard/audit.csv": "replica",
  "GET /dashboard/catalogue/{account_id}": "work",
  "GET /dashboard/catalogue/{account_id}/services": "small",
  "GET /dashboard/colleagues": "small",
  "GET /dashboard/counseling": "work",
  "GET /dashboard/digest": "small",
  "GET /dashboard/exceptions": "work",
  "GET /dashboard/figures": "replica",
  "GET /dashboard/health": "live",
  "GET /dashboard/held": "work",
  "GET /dashboard/home": "live",
  "GET /dashboard/licences/{environment}": "small",
  "GET /dashboard/notifications": "live",
  "GET /dashboard/orders": "work",
  "GET /dashboard/orders.csv": "replica",
  "GET /dashboard/orders/{account_id}/{order_number}": "work",
  "GET /dashboard/orders/{account_id}/{order_number}/clinical": "work",
  "GET /dashboard/orders/{account_id}/{order_number}/documents/{kind}": "work",
  "GET /dashboard/orders/{account_id}/{order_number}/messages": "work",
  "GET /dashboard/orders/{account_id}/{order_number}/prescriptions": "work",
  "GET /dashboard/orders/{account_id}/{order_number}/revision": "work",
  "GET /dashboard/partners": "small",
  "GET /dashboard/partners/{account_id}/credentials": "identity",
  "GET /dashboard/partners/{account_id}/quotas": "small",
  "GET /dashboard/patients/{account_id}/{patient_key}": "work",
  "GET /dashboard/people": "identity",
  "GET /dashboard/people/{person_id}/sessions": "identity",
  "GET /dashboard/print": "work",
  "GET /dashboard/providers": "live",
  "GET /dashboard/recall": "work",
  "GET /dashboard/reports/{report}": "replica",
  "GET /dashboard/reports/{report}/{format}": "replica",
  "GET /dashboard/reviews": "work",
  "GET /dashboard/reviews/{account_id}/{review_id}": "work",
  "GET /dashboard/reviews/{account_id}/{review_id}/message": "work",
  "GET /dashboard/statements/{account_id}": "replica",
  "GET /dashboard/statements/{account_id}/{month}": "replica",
  "GET /dashboard/statements/{account_id}/{month}/csv": "replica",
  "GET /dashboard/stock/{account_id}": "work",
  "GET /dashboard/stock/{account_id}/lots": "work",
  "GET /dashboard/stream": "live",
  "GET /dashboard/targets": "small",

  "GET /portal": "small",
  "GET /portal/{environment}/catalogue": "memory",
  "GET /portal/{environment}/continuity": "replica",
  "GET /portal/{environment}/credentials": "identity",
  "GET /portal/{environment}/endpoint_figures": "replica",
  "GET /portal/{environment}/exceptions": "replica",
  "GET /portal/{environment}/figures": "replica",
  "GET /portal/{environment}/home": "replica",
  "GET /portal/{environment}/orders": "replica",
  "GET /portal/{environment}/orders/{order_number}": "event",
  "GET /portal/{environment}/orders/{order_number}/messages": "event",
  "GET /portal/{environment}/prescriptions/{prescription_id}/renewal_requests": "event",
  "GET /portal/{environment}/refill_schedules": "replica",
  "GET /portal/{environment}/refill_schedules/{schedule_id}": "event",
  "GET /portal/{environment}/request_errors": "unlogged",
  "GET /portal/{environment}/requests": "unlogged",
  "GET /portal/{environment}/requests/{request_id}": "unlogged",
  "GET /portal/{environment}/sandbox": "small",
  "GET /portal/{environment}/statements": "replica",
  "GET /portal/{environment}/statements/{month}": "replica",
  "GET /portal/{environment}/statements/{month}/csv": "replica",
  "GET /portal/{environment}/team": "identity",
  "GET /portal/{environment}/usage": "unlogged",
  "GET /portal/{environment}/webhook_endpoints": "small",
  "GET /portal/{environment}/webhook_endpoints/{endpoint_id}": "small",
  "GET /portal/{environment}/webhook_endpoints/{endpoint_id}/certification": "live",
  "GET /portal/{environment}/webhook_endpoints/{endpoint_id}/statistics": "replica",
  "GET /portal/{environment}/webhook_events": "replica",
  "GET /portal/{environment}/webhook_events/{event_id}": "event",
  "GET /portal/{environment}/webhook_events/{event_id}/attempts": "live",
  "GET /portal/{environment}/webhook_events/{event_id}/deliveries": "live",
  "GET /portal/{environment}/webhook_events/{event_id}/signature": "event",
} as const satisfies Record<Extract<WebRouteKey, `GET ${string}`>, Reading>;

const stale = new Set<string>(
  Object.entries(webReads).flatMap(([key, reading]) => (reading === "replica" ? [key] : [])),
);

/** Whether a replica may answer a route of the web pages, by its key in the contract's table. */
export const isStaleRead = (key: string): boolean => stale.has(key);

/** The same by the router's notation. */
export const maybeStale = ({ method, path }: { method: string; path: string }): boolean =>
  isStaleRead(`${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
