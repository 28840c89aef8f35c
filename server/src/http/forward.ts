import { type Agent, request as ask, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Elsewhere, EnvironmentDeps, PerEnvironment } from "../deps.ts";
import { type Span, within } from "../domain/operations/span.ts";
import { StatusRefusal } from "../domain/values/refusals.ts";
import { LARGEST_BODY_BYTES, readBody } from "./body.ts";

type Headers = Record<string, string | string[] | number | undefined>;
type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Error codes or names, from the process that served a request to the one that logs it. Callers never see it. */
export const REFUSED_HEADER = "x-refused";

/** Everything that a handler reads. No header of a caller can pose as one of ours, because no other one is sent on. */
const READ_HEADERS = ["accept", "authorization", "content-type", "idempotency-key", "if-none-match", "prefer"] as const;
/** About the connection between the two processes, or set by this one. */
const OWN_HEADERS = new Set(["connection", "keep-alive", "transfer-encoding", "date", REFUSED_HEADER]);
const RETRY_AFTER_S = 1;
/** Longer than any statement may take. A process that says nothing for this long does not work. */
const SILENT_AFTER_MS = 60_000;
/** The other process refuses it in its own order of checks, and needs no byte of the caller's to do so. */
const TOO_LARGE = Buffer.alloc(LARGEST_BODY_BYTES + 1);

/** Serves a request here, or forwards it to the process that serves its environment. */
export function forwarding(per: PerEnvironment, { reads_body }: { reads_body: boolean }, handler: Handler): Handler {
  return (request, reply) => {
    const deps = per[request.grant!.environment];
    return deps.elsewhere === undefined
      ? handler(request, reply)
      : forward(deps, deps.elsewhere, request, reply, reads_body);
  };
}

/**
 * Forwards a request that passed the front door. It waits here for its body and its turn, so that a slow sender occupies
 * nothing in the other process, and a full line costs it nothing.
 */
async function forward(
  { admission }: EnvironmentDeps,
  to: Elsewhere,
  request: FastifyRequest,
  reply: FastifyReply,
  reads_body: boolean,
): Promise<FastifyReply> {
  const read = reads_body ? await readBody(request.raw) : undefined;
  const body = read === "too large" ? TOO_LARGE : read;
  request.sent = read === "too large" ? undefined : read;
  const party = request.grant!.account_id;
  await admission.enter(party);
  let answered: IncomingMessage;
  try {
    answered = await within(
      request.span,
      "forward to the sandbox",
      (span) => answerOf(to, request, reply, body, span),
      "client",
    );
  } finally {
    // A caller that reads slowly keeps a connection, but no place.
    admission.leave(party);
  }
  const refused = answered.headers[REFUSED_HEADER];
  if (typeof refused === "string") request.refused = refused;
  const headers: Headers = { ...reply.getHeaders(), ...forwardedAnswer(answered.headers) };
  // As for any answer (answer.ts): the last one of a connection says so.
  if (reply.server.house.closing || request.raw.isPaused()) headers["connection"] = "close";
  reply.hijack();
  reply.raw.writeHead(answered.statusCode ?? 500, headers);
  answered.on("error", () => {});
  answered.on("close", () => {
    // The other process ended in the middle of its answer. Only a broken connection tells the caller that it is not whole.
    if (!answered.complete) reply.raw.destroy();
  });
  answered.pipe(reply.raw);
  return reply;
}

/** Resolves with the start of the answer. If there is none, the caller may try again. */
function answerOf(
  { socket_path, agent }: Elsewhere,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Buffer | undefined,
  span: Span | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const socketPath = socket_path();
    // A caller that hung up while it was in line needs no answer.
    if (socketPath === undefined || reply.raw.destroyed) return reject(new StatusRefusal(503, RETRY_AFTER_S));
    const { method, url, id, ip } = request;
    const { traceparent } = span ?? {};
    const headers = forwardedRequest(request.headers, { id, address: ip ?? "", length: body?.length, traceparent });
    const sent = ask({ socketPath, agent, method, path: url, headers, timeout: SILENT_AFTER_MS });
    const giveUp = () => {
      sent.destroy();
      dropIdle(agent);
    };
    sent.on("timeout", giveUp);
    sent.on("response", (answered) => {
      // From here on, only the reader decides how long it takes (connections.ts).
      sent.off("timeout", giveUp);
      resolve(answered);
    });
    sent.on("error", () => reject(new StatusRefusal(503, RETRY_AFTER_S)));
    reply.raw.on("close", () => {
      if (!reply.raw.writableFinished) sent.destroy();
    });
    sent.end(body);
  });
}

/** What broke one connection in silence broke the idle ones, too: each would cost a repeated request its patience. */
export function dropIdle({ freeSockets }: Agent): void {
  for (const socket of Object.values(freeSockets).flat()) socket?.destroy();
}

type Forwarded = { id: string; address: string; length: number | undefined; traceparent?: string | undefined };

/** The headers for the other process, which trusts the request id, the address and the trace in them. */
export function forwardedRequest(
  headers: IncomingHttpHeaders,
  { id, address, length, traceparent }: Forwarded,
): Headers {
  const sent: Headers = { host: "sandbox", "x-request-id": id, "x-forwarded-for": address };
  for (const name of READ_HEADERS) {
    const value = headers[name];
    if (value !== undefined) sent[name] = value;
  }
  if (length !== undefined) sent["content-length"] = length;
  if (traceparent !== undefined) sent["traceparent"] = traceparent;
  return sent;
}

/** The headers of the other process's answer that are for the caller. */
export function forwardedAnswer(headers: IncomingHttpHeaders): Headers {
  const kept: Headers = {};
  for (const name in headers) if (!OWN_HEADERS.has(name)) kept[name] = headers[name];
  return kept;
}
