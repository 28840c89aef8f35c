export { WebhookRefused } from "./errors.ts";
export type { EventType } from "./generated/records.ts";
export {
  type EventFacts,
  type Gap,
  type Heard,
  hear,
  type Inbox,
  type InboxOptions,
  type InboxStore,
  openInbox,
} from "./inbox.ts";
export { createMemoryStore } from "./memory-store.ts";
export {
  createReceiver,
  fastifyPlugin,
  fetchHandler,
  type NodeRequestLike,
  type NodeResponseLike,
  nodeHandler,
  type Receive,
  type ReceiverOptions,
} from "./receiver.ts";
export { type SignedDelivery, signForTest, signForTestAsync, type ToSign } from "./sign-for-test.ts";
export {
  type RawBody,
  type ServiceDelivery,
  type StandardDelivery,
  type VerifyOptions,
  verify,
  verifyAsync,
  verifyStandardWebhook,
  verifyStandardWebhookAsync,
  verifyWebhook,
  verifyWebhookAsync,
  type WebhookRequestHeaders,
  type WebhookSecrets,
} from "./verify-webhook.ts";
export type { WebhookBody, WebhookBodyOf } from "./webhook-body.ts";
