export type {
  ActionKey,
  ActionRequest,
  AddressInput,
  AuditProof,
  AuditRoot,
  Brand,
  ContinuityEntry,
  ErrorEntry,
  EventType,
  HashedEntry,
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
export type { Catalogue, ProductFilter } from "./catalogue.ts";
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
export type { Continuity } from "./continuity.ts";
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
export type { EventFilter, EventPage, Events, FollowOptions, WebhookEvent } from "./events.ts";
export type { Listing } from "./listing.ts";
export type { AnswerOf, BodyOf, PartnerOperation, QueryOf, Sent } from "./operations.ts";
export type { DryRun, OrderActionInput, OrderFilter, Orders } from "./orders.ts";
export type { Patients } from "./patients.ts";
export type { Prescriptions } from "./prescriptions.ts";
export type { RefillScheduleFilter, RefillSchedules } from "./refill-schedules.ts";
export type { Simulate, SimulationAnswerOf, SimulationOf } from "./simulate.ts";
export type { Statements } from "./statements.ts";
export type { Answer } from "./transport.ts";
export { type AuditTrust, ProofRefused, verifyAuditProof } from "./verify-audit-proof.ts";
export type { WebhookEndpoints } from "./webhook-endpoints.ts";
export * as webhooks from "./webhooks.ts";
export { signForTest, verifyStandardWebhook, verifyWebhook } from "./webhooks.ts";
