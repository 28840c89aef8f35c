export * from "./accounts/credential-limits.ts";
export * from "./accounts/passkeys.ts";
export * from "./accounts/quota-draws.ts";
export * from "./accounts/quotas.ts";
export * from "./accounts/request-log.ts";
export * from "./accounts/sso.ts";
export * from "./action-limits.ts";
export * from "./actions.ts";
export { type AuditProof, type AuditRoot, canonicalJson, type HashedEntry } from "./audit/audit-entry.ts";
export * from "./audit/audit-proof.ts";
export * from "./audit/audit-rules.ts";
export * from "./audit/command-audit.ts";
export * from "./audit/job-audit.ts";
export * from "./audit/partner-audit.ts";
export { rootFromPath } from "./audit/proof-steps.ts";
export * from "./audit/web-audit.ts";
export * from "./audit/work-audit.ts";
export * from "./catalogue.ts";
export { certifyRandom } from "./certify/certify-random.ts";
export * from "./certify/certify-report.ts";
export * from "./certify/certify-steps.ts";
export type { ReceiverAnswer, Seen } from "./certify/judge-check.ts";
export * from "./certify/order-checks.ts";
export type { CertifyRun, PlannedDelivery } from "./certify/plan-checks.ts";
export * from "./certify/receiver-checks.ts";
export { readReceiverState } from "./certify/receiver-state.ts";
export { type CertifiedCheck, type CertifyFacts, type CertifyReport, certifyResults } from "./certify/report-steps.ts";
export * from "./continuity.ts";
export * from "./count-reasons.ts";
export * from "./dashboard/dashboard-admin.ts";
export * from "./dashboard/dashboard-api.ts";
export * from "./dashboard/dashboard-clinical.ts";
export * from "./dashboard/dashboard-figures.ts";
export * from "./dashboard/dashboard-messages.ts";
export * from "./dashboard/dashboard-notifications.ts";
export * from "./dashboard/dashboard-order.ts";
export * from "./dashboard/dashboard-orders.ts";
export * from "./dashboard/dashboard-patient.ts";
export * from "./dashboard/dashboard-prescriptions.ts";
export * from "./dashboard/dashboard-providers.ts";
export * from "./dashboard/dashboard-queues.ts";
export * from "./dashboard/dashboard-reviews.ts";
export * from "./dashboard/dashboard-statements.ts";
export * from "./dashboard/dashboard-work.ts";
export * from "./dashboard/mentions.ts";
export * from "./dashboard/review-actions.ts";
export * from "./dashboard/scanned-code.ts";
export * from "./destruction-reasons.ts";
export * from "./docs/find-passages.ts";
export { ASSERTION_TYPE } from "./endpoints/assertion-type.ts";
export { answersMinimal, type Endpoint, type Tag, tags } from "./endpoints/endpoint.ts";
export * from "./endpoints/endpoints.ts";
export * from "./endpoints/loopback.ts";
export * from "./endpoints/oauth.ts";
export * from "./error-bodies.ts";
export * from "./errors.ts";
export * from "./exceptions.ts";
export {
  CITY_MOST_CHARACTERS,
  type DrugSchedule,
  documentTypes,
  drugSchedules,
  genders,
  isPatientId,
  type LabelFormat,
  labelFormats,
  ORDER_NUMBER_PATTERN,
  payers,
  paymentStatuses,
  SAFETY_TEXT_CHARACTERS,
  type SafetyKind,
  type SafetySource,
  type SafetyStatus,
  type ShipmentStatus,
  STREET_MOST_CHARACTERS,
  safetyKindNames,
  safetyKinds,
  safetySources,
  shipmentStatuses,
  type Workflow,
  workflows,
} from "./fields.ts";
export * from "./lifecycle.ts";
export * from "./messages.ts";
export { arazzo } from "./openapi/arazzo.ts";
export * from "./openapi/openapi.ts";
export { openapi30 } from "./openapi/openapi-3-0.ts";
export { postman } from "./openapi/postman.ts";
export * from "./order-actions.ts";
export * from "./override-reasons.ts";
export * from "./payments/payment-declines.ts";
export * from "./portal/hold-words.ts";
export * from "./portal/portal.ts";
export * from "./portal/portal-api.ts";
export * from "./portal/portal-credentials.ts";
export * from "./portal/portal-figures.ts";
export * from "./portal/portal-orders.ts";
export * from "./portal/portal-requests.ts";
export * from "./portal/portal-sandbox.ts";
export * from "./portal/portal-schedules.ts";
export * from "./portal/portal-team.ts";
export * from "./portal/portal-webhooks.ts";
export * from "./practice/counseling.ts";
export * from "./practice/inspection.ts";
export * from "./practice/patient-notices.ts";
export * from "./practice/product-misses.ts";
export * from "./practice/reports.ts";
export * from "./providers.ts";
export * from "./renewals.ts";
export * from "./requests.ts";
export * from "./resources.ts";
export * from "./sandbox/magic-values.ts";
export * from "./schedules/schedules.ts";
export { type FieldKind, type JsonSchema, reading, type Schema, type Static } from "./schema.ts";
export * from "./signature.ts";
export * from "./simulations.ts";
export * from "./statements/csv.ts";
export * from "./statements/statement-csv.ts";
export * from "./statements/statements.ts";
export * from "./web-api.ts";
export * from "./webhooks/compact-ascii-json.ts";
export * from "./webhooks/disable-reasons.ts";
export * from "./webhooks/request-signer.ts";
export * from "./webhooks/sample-events.ts";
export * from "./webhooks/webhook-bodies.ts";
export * from "./webhooks/webhook-headers.ts";
export * from "./webhooks/webhook-records.ts";
export * from "./webhooks/webhook-requests.ts";
export * from "./webhooks/webhooks.ts";
