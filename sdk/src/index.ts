export type {
  ActionKey,
  ActionRequest,
  AddressInput,
  AuditProof,
  AuditRoot,
  Brand,
  CertifyReport,
  ContinuityEntry,
  ErrorEntry,
  EventType,
  HashedEntry,
  LoggedRequest,
  MedicationRequest,
  Message,
  MessageInput,
  Order,
  OrderAction,
  OrderException,
  OrderRequest,
  OrderStatusReason,
  Patient,
  Product,
  Quote,
  RefillSchedule,
  RefillScheduleInput,
  RenewalRequest,
  RenewalRequestInput,
  ShippingAddressInput,
  ShippingMethod,
  Statement,
  StatementLine,
  TriedOrder,
  WebhookBody,
  WebhookBodyOf,
  WebhookEndpoint,
} from "@pestle/contract";
export {
  type CallOptions,
  type ChangeMethod,
  createPestle,
  type Pestle,
  type PestleOptions,
  type RequestOptions,
  type WriteOptions,
} from "./client.ts";
export { assertionSigner, type PrivateKey, type SignAssertion } from "./client-assertion.ts";
export {
  Conflict,
  type FieldError,
  NotFound,
  PestleError,
  RateLimited,
  RequestRefused,
  Unauthorized,
  Unavailable,
  WebhookRefused,
} from "./errors.ts";
export type { Listing } from "./listing.ts";
export type { AnswerOf, BodyOf, PartnerOperation, QueryOf, Sent } from "./operations.ts";
export type { Catalogue, ProductFilter } from "./resources/catalogue.ts";
export type { Continuity } from "./resources/continuity.ts";
export type { EventFilter, EventPage, Events, FollowOptions, WebhookEvent } from "./resources/events.ts";
export type { DryRun, OrderActionInput, OrderFilter, Orders } from "./resources/orders.ts";
export type { Patients } from "./resources/patients.ts";
export type { Prescriptions } from "./resources/prescriptions.ts";
export type { RefillScheduleFilter, RefillSchedules } from "./resources/refill-schedules.ts";
export type { RequestFilter, Requests } from "./resources/requests.ts";
export type { Simulate, SimulationAnswerOf, SimulationOf } from "./resources/simulate.ts";
export type { Statements } from "./resources/statements.ts";
export type { WebhookEndpoints } from "./resources/webhook-endpoints.ts";
export type { Answer } from "./transport.ts";
export { type AuditTrust, ProofRefused, verifyAuditProof } from "./verify-audit-proof.ts";
export { ReportRefused, verifyCertifyReport } from "./verify-certify-report.ts";
export * as webhooks from "./webhooks.ts";
export { signForTest, verifyStandardWebhook, verifyWebhook } from "./webhooks.ts";
