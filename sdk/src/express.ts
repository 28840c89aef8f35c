import { createReceiver, nodeHandler, type ReceiverOptions } from "./receiver.ts";

/**
 * Receives webhooks in Express: `app.post("/hook", receiveWebhooks(options))`. Register it before `express.json()`, or
 * let the parser keep the raw bytes: `express.json({ verify: keepRawBody })`.
 */
export const receiveWebhooks = (options: ReceiverOptions) => nodeHandler(createReceiver(options));

/** For the option `verify` of Express's body parsers: the signature covers the bytes as they came. */
export function keepRawBody(request: object, _response: unknown, rawBody: Uint8Array): void {
  Object.assign(request, { rawBody });
}
