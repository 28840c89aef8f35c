import type { IncomingMessage, ServerResponse } from "node:http";
import type { WebhookBody } from "@pestle/contract";
import { WebhookRefused } from "./errors.ts";
import type { Inbox } from "./inbox.ts";
import { type RawBody, verify, type WebhookRequestHeaders, type WebhookSecrets } from "./verify-webhook.ts";

/** Takes a request and says with which status to answer it. */
export type Receive = (rawBody: RawBody, headers: WebhookRequestHeaders) => Promise<number>;

export type ReceiverOptions = WebhookSecrets & {
  inbox: Inbox;
  /** What your own work failed with. The pharmacy is answered 500 and tries again. */
  onError?: (error: unknown) => void;
};

/** No event is as long as this. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Verifies a delivery and works on it: 204 when that is done, 401 when the pharmacy did not send it. */
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
 * For `http.createServer(nodeHandler(receive))`, and for Express and its kind: `app.post("/hook", nodeHandler(receive))`
 * before any parser of bodies, or behind one that leaves the bytes as they are (`express.raw`).
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
      // Express tells whoever runs it; without it there is nobody to tell but the caller, if he is still there.
      if (next !== undefined) next(error);
      else if (!response.headersSent) response.writeHead(500).end();
    }
  };
}

async function receiveFrom(request: IncomingMessage & { body?: unknown }, receive: Receive): Promise<number> {
  const body = await readBody(request);
  return body === undefined ? 413 : receive(body, request.headers);
}

/** For whatever speaks the web's own types: `export const POST = fetchHandler(receive)`. */
export function fetchHandler(receive: Receive) {
  return async (request: Request): Promise<Response> => {
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const body = new Uint8Array(await request.arrayBuffer());
    const status = body.length > MOST_BYTES ? 413 : await receive(body, request.headers);
    return new Response(null, { status });
  };
}

/** As much of Fastify as is needed, so that this package need not know it. */
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

/** `app.register(fastifyPlugin(receive), { path: "/hook" })`. Bodies of your other routes are parsed as before. */
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

/** The bytes as they came; undefined if there are too many. */
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
