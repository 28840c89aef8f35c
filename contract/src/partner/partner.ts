/*
 * What a partner's library needs. It imports nothing of Node, so that bundles for browsers and edge runtimes can contain
 * it; the package's main entry does.
 */
export { type ActionKey, actions, isActionKey, orderStatusReasons } from "../actions.ts";
export type { AuditProof, AuditRoot, HashedEntry } from "../audit/audit-entry.ts";
export * from "../audit/crypto-steps.ts";
export { faultOfProof } from "../audit/proof-steps.ts";
export { type CertifyReport, reportFault } from "../certify/report-steps.ts";
export { ASSERTION_TYPE } from "../endpoints/assertion-type.ts";
export { endpoints } from "../endpoints/endpoints.ts";
export type { TokenResponse } from "../endpoints/oauth.ts";
export {
  detailMessage,
  type ErrorCode,
  errorDocUrl,
  type FieldProblem,
  messageOf,
  type StatusErrorCode,
  statusMessages,
  statusOf,
  usualProblems,
} from "../errors.ts";
export { type ExceptionId, exceptionRow } from "../exceptions.ts";
export {
  type HoldableState,
  type OrderState,
  type Role,
  statusOfState,
  type Transition,
  type TransitionEvent,
  toldInOrder,
  transitions,
} from "../lifecycle.ts";
export {
  order as exampleOrder,
  patient as examplePatient,
  prescription as examplePrescription,
  quote as exampleQuote,
  shippedPrescription as exampleShippedPrescription,
} from "../openapi/example-records.ts";
export { orderActions, orderActionsOf } from "../order-actions.ts";
export { actionBody, OrderRequest } from "../requests.ts";
export { type JsonSchema, reading } from "../schema.ts";
export { SimulatedOrder, SimulatedPrescription } from "../simulations.ts";
export { compactAsciiJson } from "../webhooks/compact-ascii-json.ts";
export { standardWebhookHeaders, TIMESTAMP_TOLERANCE_S, webhookHeaders } from "../webhooks/webhook-headers.ts";
export { WebhookEndpointInput } from "../webhooks/webhook-requests.ts";
export { type EventType, usualEventTypes } from "../webhooks/webhooks.ts";
