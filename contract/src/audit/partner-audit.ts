import type { OperationId } from "../endpoints/endpoints.ts";
import { type AuditRule, NO_PATIENT, notAudited, writes } from "./audit-rules.ts";

/**
 * The audit entries of the partner API and the token servers. A read is queued and written within about a second; a
 * change is written in its own transaction.
 */
export const partnerAudit = {
  getPatient: writes("patient_read", "patient", "identity", "contact", "address", "documents", "safety"),
  updatePatient: writes("patient_changed", "patient", "contact", "identity", "safety"),
  removeSafetyEntry: writes("patient_changed", "patient", "safety"),
  listPatientPrescriptions: writes("prescriptions_read", "patient", "treatment", "order"),
  listContinuity: writes("continuity_read", "patient", "treatment", "order"),
  addShippingAddress: writes("patient_changed", "patient", "address"),
  removeShippingAddress: writes("patient_changed", "patient", "address"),
  addIdentityDocument: writes("patient_changed", "patient", "documents"),
  createOrder: writes(["order_created", "order_tried"], "patient", "order", "treatment", "address", "payment"),
  listOrders: writes("orders_read", "patient", "order", "treatment", "address", "payment"),
  getOrder: writes("orders_read", "patient", "order", "treatment", "address", "payment"),
  listOrderHistory: writes("orders_read", "patient", "order"),
  replaceOrderAddress: writes("order_changed", "patient", "order", "address"),
  createReorder: writes("order_created", "patient", "order", "treatment", "address", "payment"),
  requestOrderAction: writes("order_action_requested", "patient", "order"),
  listOrderActionRequests: writes("orders_read", "patient", "order", "treatment", "address", "payment"),
  listOrderMessages: writes("orders_read", "patient", "order"),
  sendOrderMessage: writes("message_sent", "patient", "order"),
  createRenewalRequest: writes("renewal_requested", "patient", "treatment"),
  getRenewalRequest: writes("prescriptions_read", "patient", "treatment"),
  createRefillSchedule: writes("schedule_created", "patient", "order", "treatment", "address", "payment"),
  listRefillSchedules: writes("schedules_read", "patient", "order", "address"),
  getRefillSchedule: writes("schedules_read", "patient", "order", "address"),
  skipRefill: writes("schedule_changed", "patient", "order"),
  pauseRefillSchedule: writes("schedule_changed", "patient", "order"),
  resumeRefillSchedule: writes("schedule_changed", "patient", "order"),
  cancelRefillSchedule: writes("schedule_changed", "patient", "order"),
  fillRefillNow: writes("order_created", "patient", "order", "treatment", "address", "payment"),
  createWebhookEndpoint: writes("endpoint_created", "endpoint"),
  listWebhookEndpoints: notAudited(NO_PATIENT),
  getWebhookEndpoint: notAudited(NO_PATIENT),
  updateWebhookEndpoint: writes("endpoint_changed", "endpoint"),
  removeWebhookEndpoint: writes("endpoint_removed", "endpoint"),
  testWebhookEndpoint: writes("endpoint_tested", "endpoint"),
  redeliverFailedWebhooks: writes("events_redelivered", "endpoint"),
  getWebhookStatistics: notAudited(NO_PATIENT),
  listWebhookEvents: writes("events_read", "patient", "treatment", "order"),
  getWebhookEvent: writes("events_read", "patient", "treatment", "order"),
  listWebhookAttempts: notAudited("It shows the partner's own HTTP answers, and no event body."),
  redeliverWebhookEvent: writes("events_redelivered", "endpoint"),
  listStatements: notAudited("It shows sums of an account, and no patient."),
  getStatement: writes("statement_read", "patient", "order", "payment"),
  listRequests: notAudited("It shows no bodies, no path values and no patient."),
  getRequest: notAudited("It shows no bodies, no path values and no patient."),
  listShippingMethods: notAudited(NO_PATIENT),
  listBrands: notAudited(NO_PATIENT),
  listProducts: notAudited(NO_PATIENT),
  listOrderActions: notAudited(NO_PATIENT),
  listOrderStatusReasons: notAudited(NO_PATIENT),
  simulate: writes("sandbox_used", "patient"),
  receiveScript: writes("message_received", "patient", "identity", "contact", "address", "treatment"),
  receiveFhir: writes("message_received", "patient", "identity", "contact", "address", "treatment"),
  issueToken: writes("token_issued", "credential"),
  revokeToken: writes("token_revoked", "credential"),
  introspectToken: notAudited("It tells a program about its own token, and changes nothing."),
  getServerMetadata: notAudited(NO_PATIENT),
} as const satisfies Record<OperationId, AuditRule>;

export type AuditedOperation = {
  [Id in OperationId]: (typeof partnerAudit)[Id] extends { writes: unknown } ? Id : never;
}[OperationId];
