import { createReceiver, fetchHandler, type ReceiverOptions } from "./receiver.ts";

/** Receives webhooks in a route of Next's app router: `export const POST = receiveWebhooks(options)`. */
export const receiveWebhooks = (options: ReceiverOptions) => fetchHandler(createReceiver(options));
