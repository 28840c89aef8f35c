import { createReceiver, fastifyPlugin, type ReceiverOptions } from "./receiver.ts";

/**
 * Receives webhooks in Fastify: `app.register(receiveWebhooks(options), { path: "/hook" })`. Does not affect how your
 * other routes parse bodies.
 */
export const receiveWebhooks = (options: ReceiverOptions) => fastifyPlugin(createReceiver(options));
