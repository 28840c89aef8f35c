import { joined } from "@pestle/contract/partner";
import { WebhookRefused } from "./errors.ts";
import type { Inbox } from "./inbox.ts";
import { type RawBody, verifyAsync, type WebhookRequestHeaders, type WebhookSecrets } from "./verify-webhook.ts";
import type { WebhookBody } from "./webhook-body.ts";

/** Processes a request and returns the response status. */
export type Receive = (rawBody: RawBody, headers: WebhookRequestHeaders) => Promise<number>;

export type ReceiverOptions = WebhookSecrets & {
  inbox: Inbox;
  /** Receives an error from your own handler. The response is 500, and the pharmacy tries again. */
  onError?: (error: unknown) => void;
};

const PARSED =
  "The body was parsed before it could be verified. Register the route before the parser, or keep the raw bytes.";
/** Larger than any event. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Verifies and processes a delivery: 204 on success, 401 if the pharmacy did not send it. */
export function createReceiver({ inbox, onError, ...secrets }: ReceiverOptions): Receive {
  return async (rawBody, headers) => {
    try {
      const event = await verified(rawBody, headers, secrets);
      if (event === undefined) return 401;
      await inbox.take(event);
      return 204;
    } catch (error) {
      onError?.(error);
      return 500;
    }
  };
}

async function verified(...given: Parameters<typeof verifyAsync>): Promise<WebhookBody | undefined> {
  try {
    return await verifyAsync(...given);
  } catch (error) {
    if (error instanceof WebhookRefused) return undefined;
    throw error;
  }
}

/** The parts of node:http that we use, so that this package also compiles without Node's types. */
export type NodeRequestLike = AsyncIterable<unknown> & {
  readonly method?: string | undefined;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly readableEnded: boolean;
  readonly body?: unknown;
  /** The bytes, if a parser kept them beside the parsed body. */
  readonly rawBody?: unknown;
};
export type NodeResponseLike = { readonly headersSent: boolean; writeHead(status: number): { end(): unknown } };

/**
 * For `http.createServer(nodeHandler(receive))`, and for Express and similar: `app.post("/hook", nodeHandler(receive))`
 * before any body parser, or after one that keeps the raw bytes (`express.raw`).
 */
export function nodeHandler(receive: Receive) {
  return async (
    request: NodeRequestLike,
    response: NodeResponseLike,
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

async function receiveFrom(request: NodeRequestLike, receive: Receive): Promise<number> {
  const body = await readBody(request);
  return body === undefined ? 413 : receive(body, request.headers);
}

/** For frameworks that use Request and Response: `export const POST = fetchHandler(receive)`. */
export const fetchHandler =
  (receive: Receive) =>
  (request: Request): Promise<Response> =>
    answerTo(receive, request);

/** The response to a request of a web-standard framework. */
export async function answerTo(
  receive: Receive,
  request: Pick<Request, "method" | "headers" | "arrayBuffer">,
): Promise<Response> {
  if (request.method !== "POST") return new Response(null, { status: 405 });
  const body = new Uint8Array(await request.arrayBuffer());
  const status = body.length > MOST_BYTES ? 413 : await receive(body, request.headers);
  return new Response(null, { status });
}

/** The part of Fastify we use, so that this package does not depend on it. */
type FastifyLike = {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    options: { parseAs: "buffer"; bodyLimit: number },
    // biome-ignore lint/suspicious/noExplicitAny: Fastify's own type is a Buffer, which only Node has.
    parser: (request: unknown, body: any, done: (error: null, body: unknown) => void) => void,
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
async function readBody(request: NodeRequestLike): Promise<RawBody | undefined> {
  const { body, rawBody } = request;
  if (rawBody instanceof Uint8Array) return rawBody;
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  if (body !== undefined || request.readableEnded) throw new TypeError(PARSED);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += (chunk as Uint8Array).length;
    if (length <= MOST_BYTES) chunks.push(chunk as Uint8Array);
  }
  return length > MOST_BYTES ? undefined : joined(...chunks);
}
