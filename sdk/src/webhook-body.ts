import type { WebhookBodies } from "./generated/records.ts";

/** The body of one type of event. */
export type WebhookBodyOf<Type extends keyof WebhookBodies> = WebhookBodies[Type];
/** Any event. `event_type` discriminates. */
export type WebhookBody = WebhookBodies[keyof WebhookBodies];
