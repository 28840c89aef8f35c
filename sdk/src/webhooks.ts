export type { EventType, WebhookBody, WebhookBodyOf } from "@pestle/contract";
export { WebhookRefused } from "./errors.ts";
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
  nodeHandler,
  type Receive,
  type ReceiverOptions,
} from "./receiver.ts";
export { signForTest } from "./sign-for-test.ts";
export {
  type RawBody,
  type VerifyOptions,
  verify,
  verifyStandardWebhook,
  verifyWebhook,
  type WebhookRequestHeaders,
  type WebhookSecrets,
} from "./verify-webhook.ts";
