export type {
  Brand,
  ErrorEntry,
  EventType,
  OrderAction,
  OrderStatusReason,
  Product,
  ShippingMethod,
  WebhookBody,
  WebhookBodyOf,
} from "@pestle/contract";
export {
  type CallOptions,
  createPestle,
  type Pestle,
  type PestleOptions,
  type ProductFilter,
  type RequestOptions,
  type WriteOptions,
} from "./client.ts";
export {
  Conflict,
  NotFound,
  PestleError,
  RateLimited,
  RequestRefused,
  Unauthorized,
  Unavailable,
  WebhookRefused,
} from "./errors.ts";
export type { Answer } from "./transport.ts";
export {
  type RawBody,
  signForTest,
  verifyStandardWebhook,
  verifyWebhook,
  type WebhookRequestHeaders,
} from "./webhooks.ts";
