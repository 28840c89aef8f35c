import type { IncomingMessage, ServerResponse } from "node:http";
import type { WebhookBody } from "@pestle/contract";
import { WebhookRefused } from "./errors.ts";
import type { Inbox } from "./inbox.ts";
import { type RawBody, verify, type WebhookRequestHeaders, type WebhookSecrets } from "./verify-webhook.ts";

/** Processes a request and returns the response status. */
export type Receive = (rawBody: RawBody, headers: WebhookRequestHeaders) => Promise<number>;

export type ReceiverOptions = WebhookSecrets & {
  inbox: Inbox;
  /** Receives an error from your own handler. The response is 500, and the pharmacy tries again. */
  onError?: (error: unknown) => void;
};

/** Larger than any event. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Verifies and processes a delivery: 204 on success, 401 if the pharmacy did not send it. */
export function createReceiver({ inbox, onError, ...secrets }: ReceiverOptions): Receive {
  return async (rawBody, headers) => {
    try {
      const event = verified(rawBody, headers, secrets);
      if (event === undefined) return 401;
      await inbox.take(event);
      return 204;
    } catch (error) {
      onError?.(error);
      return 500;
    }
  };
}

function verified(...given: Parameters<typeof verify>): WebhookBody | undefined {
  try {
    return verify(...given);
  } catch (error) {
    if (error instanceof WebhookRefused) return undefined;
    throw error;
  }
}

/**
 * For `http.createServer(nodeHandler(receive))`, and for Express and similar: `app.post("/hook", nodeHandler(receive))`
 * before any body parser, or after one that keeps the raw bytes (`express.raw`).
 */
export function nodeHandler(receive: Receive) {
  return async (
    request: IncomingMessage & { body?: unknown },
    response: ServerResponse,
    next?: (error: unknown) => void,
  ): Promise<void> => {
    try {
      const status = request.method === "POST" ? await receiveFrom(request, receive) : 405;
      response.writeHead(status).end();
    } catch (error) {
      // Express reports the error through `next`. Without it, only the sender can be notified.
      if (next !== undefined) next(error);
      else if (!response.headersSent) response.writeHead(500).end();
    }
  };
}

async function receiveFrom(request: IncomingMessage & { body?: unknown }, receive: Receive): Promise<number> {
  const body = await readBody(request);
  return body === undefined ? 413 : receive(body, request.headers);
}

/** For frameworks that use Request and Response: `export const POST = fetchHandler(receive)`. */
export function fetchHandler(receive: Receive) {
  return async (request: Request): Promise<Response> => {
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const body = new Uint8Array(await request.arrayBuffer());
    const status = body.length > MOST_BYTES ? 413 : await receive(body, request.headers);
    return new Response(null, { status });
  };
}

/** The part of Fastify we use, so that this package does not depend on it. */
type FastifyLike = {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    options: { parseAs: "buffer"; bodyLimit: number },
    parser: (request: unknown, body: Buffer, done: (error: null, body: Buffer) => void) => void,
  ): unknown;
  post(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => unknown): unknown;
};
type FastifyRequestLike = { body: unknown; headers: WebhookRequestHeaders };
type FastifyReplyLike = { code(status: number): { send(): unknown } };

/** `app.register(fastifyPlugin(receive), { path: "/hook" })`. Does not affect body parsing of your other routes. */
export function fastifyPlugin(receive: Receive) {
  return async (app: FastifyLike, { path = "/" }: { path?: string }): Promise<void> => {
    app.removeAllContentTypeParsers();
    const options = { parseAs: "buffer", bodyLimit: MOST_BYTES } as const;
    app.addContentTypeParser("*", options, (_request, body, done) => done(null, body));
    app.post(path, async ({ body, headers }, reply) =>
      reply.code(await receive(body instanceof Uint8Array ? body : "", headers)).send(),
    );
  };
}

/** The raw bytes; undefined if there are too many. */
async function readBody(request: IncomingMessage & { body?: unknown }): Promise<RawBody | undefined> {
  const { body } = request;
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  if (body !== undefined || request.readableEnded)
    throw new TypeError("The body was parsed before it could be verified.");
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += (chunk as Buffer).length;
    if (length <= MOST_BYTES) chunks.push(chunk as Buffer);
  }
  return length > MOST_BYTES ? undefined : Buffer.concat(chunks);
}
