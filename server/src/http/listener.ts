import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import Fastify, { type ConnectionError, type FastifyInstance, type FastifyRequest } from "fastify";
import { type Config, WrongSetting } from "../config.ts";
import type { Grant } from "../db/accounts/tokens.ts";
import type { Deps } from "../deps.ts";
import { faultOf, OAuthRefusal, RequestProblems, StatusRefusal } from "../domain/values/refusals.ts";
import { type Answer, NOT_CACHED, send } from "./answer.ts";
import { errorAnswer, statusAnswer, tokenServerErrorAnswer, unkept } from "./errors.ts";
import { strangerLimit } from "./front-door.ts";

export type ListenerName = "partner" | "auth" | "sandbox_auth";

declare module "fastify" {
  interface FastifyInstance {
    /** Every route there is, so that a test can hold each one to the conventions. */
    routes: { method: string; url: string }[];
    /** What every answer of this listener needs to know (`send`). */
    house: { readonly stranger_headers: Readonly<Record<string, string>>; closing: boolean };
  }
  interface FastifyRequest {
    grant: Grant | undefined;
    /** Codes or names of what was refused, for the log. */
    refused: string | undefined;
  }
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const TIMEOUT_CHECK_EVERY_MS = 1_000;
// Longer than the idle time of common load balancers, so that they close first.
const KEEP_ALIVE_MS = 72_000;
const LARGEST_HEADERS_BYTES = 16 * 1024;
const LONGEST_PARAMETER = 200;
const HEALTH = new Set(["/healthz", "/readyz"]);

/** A listener with everything that holds for all its answers; routes are added to it. */
export function createListener(deps: Deps, name: ListenerName): FastifyInstance {
  const http = {
    maxHeaderSize: LARGEST_HEADERS_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_EVERY_MS,
    requireHostHeader: false,
  };
  const tls = tlsOptions(deps.config);
  const refusal = name === "partner" ? errorAnswer : tokenServerErrorAnswer;
  const notFound = refusal(new StatusRefusal(404))!;
  const fault = name === "partner" ? statusAnswer(500) : unkept(statusAnswer(500));
  const insecure = (request: FastifyRequest) =>
    deps.config.TRUST_PROXY > 0 && !cameOverHttps(request) && !HEALTH.has(request.url);
  const app = Fastify({
    ...(tls === undefined ? { http } : { https: { ...http, ...tls } }),
    logger: false,
    genReqId: () => randomUUID(),
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    trustProxy: (_address: string, hop: number) => hop < deps.config.TRUST_PROXY,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    clientErrorHandler: (error, socket) =>
      answerBroken(socket as Socket, () => answerRaw(socket as Socket, name, refusal(brokenRequest(error))!)),
    frameworkErrors: (error, request, reply) => {
      reply.header("x-request-id", request.id);
      const thrown = insecure(request as FastifyRequest) ? httpsRequired() : error;
      send(request as FastifyRequest, reply, refusal(thrown) ?? notFound);
    },
  }) as unknown as FastifyInstance;

  const routes: { method: string; url: string }[] = [];
  app.decorate("routes", routes);
  app.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat()) routes.push({ method: one, url });
  });

  app.decorate("house", { stranger_headers: name === "partner" ? strangerLimit : {}, closing: false });
  app.addHook("preClose", (done) => {
    app.house.closing = true;
    done();
  });
  app.decorateRequest("grant", undefined);
  app.decorateRequest("refused", undefined);
  // Bodies are read by whoever wants them (body.ts), so that each gets its own type, size and error.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));

  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    if (insecure(request)) return done(httpsRequired());
    // The router takes the first character for a slash, and would find a page behind `*`.
    if (request.url.startsWith("*")) return done(new StatusRefusal(404));
    done();
  });
  app.setNotFoundHandler((request, reply) => send(request, reply, notFound));
  app.setErrorHandler((error, request, reply) => {
    // An unknown path is that and nothing else, whatever its Content-Type; HTTPS alone is asked for before.
    const known = request.is404 && !(error instanceof RequestProblems) ? notFound : refusal(error);
    request.refused = refusedNames(error);
    if (known === undefined) deps.log.error({ request_id: request.id, err: faultOf(error) }, "unexpected fault");
    return send(request, reply, known ?? fault);
  });
  app.addHook("onResponse", (request, reply, done) => {
    logAndMeasure(deps, name, request, reply.statusCode, reply.elapsedTime);
    done();
  });
  const server = app.server as Server;
  server.on("connect", (_request, socket: Socket) => {
    // Node has let go of this socket: without a listener a caller that hangs up would end the process.
    socket.on("error", () => socket.destroy());
    answerRaw(socket, name, notFound);
  });
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  return app;
}

function tlsOptions(config: Config) {
  if (config.TLS_CERT_FILE === "") return undefined;
  const read = (name: "TLS_CERT_FILE" | "TLS_KEY_FILE") => {
    try {
      return readFileSync(config[name]);
    } catch {
      throw new WrongSetting(`${name} cannot be read. Set it to the path of a readable PEM file.`);
    }
  };
  return { cert: read("TLS_CERT_FILE"), key: read("TLS_KEY_FILE"), minVersion: "TLSv1.2" as const };
}

function cameOverHttps(request: FastifyRequest): boolean {
  const forwarded = request.headers["x-forwarded-proto"];
  return typeof forwarded === "string" && forwarded.split(",").every((hop) => hop.trim().toLowerCase() === "https");
}

const httpsRequired = () => new RequestProblems([{ code: 40010, field: "url" }]);

const REQUEST_LINE = /^([A-Za-z0-9!#$%&'*+.^_`|~-]{1,40}) \/\S* HTTP\/1\.[01]\r\n/;

function brokenRequest({ code, bytesParsed, rawPacket }: ConnectionError): StatusRefusal | RequestProblems {
  if (code === "HPE_HEADER_OVERFLOW") return new RequestProblems([{ code: 40005, field: "header" }]);
  // A method that Node's parser does not know is an unsupported one, if the line it stumbled in is otherwise a request.
  const line = code === "HPE_INVALID_METHOD" ? REQUEST_LINE.exec(String(rawPacket)) : null;
  if (bytesParsed <= (line?.[1]?.length ?? -1)) return new StatusRefusal(404);
  return new RequestProblems([{ code: 40000, field: "request" }]);
}

/**
 * Requests that arrived whole before the broken bytes get their own answers first: a change that was made must not
 * look refused. Node keeps the answer whose turn it is on the socket, under this name, in all its versions.
 */
function answerBroken(socket: Socket, answer: () => void): void {
  const current = (socket as { _httpMessage?: ServerResponse | null })._httpMessage;
  // Whatever else arrives on this connection is of no interest, and would only be found broken again.
  socket.pause();
  if (current?.req.complete) current.once("close", () => answerBroken(socket, answer));
  else if (current?.headersSent) socket.destroy();
  else answer();
}

/** For what never became a request: bytes that are no HTTP, headers over the limit, a client that is too slow. */
function answerRaw(socket: Socket, name: ListenerName, { status, body, headers }: Answer): void {
  if (!socket.writable || socket.destroyed) return void socket.destroy();
  const fields = {
    "x-request-id": randomUUID(),
    etag: body.etag,
    "cache-control": NOT_CACHED,
    ...(name === "partner" ? strangerLimit : {}),
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body.text),
    connection: "close",
    ...headers,
  };
  const lines = Object.entries(fields).map(([header, value]) => `${header}: ${value}\r\n`);
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  socket.end(`${line}${lines.join("")}\r\n${body.text}`, () => socket.destroy());
}

function refusedNames(error: unknown): string | undefined {
  if (error instanceof RequestProblems) return [...new Set(error.problems.map(({ code }) => code))].join(" ");
  return error instanceof OAuthRefusal ? error.error : undefined;
}

function logAndMeasure(
  deps: Deps,
  listener: ListenerName,
  request: FastifyRequest,
  status: number,
  duration_ms: number,
) {
  // The route's pattern, not the address: an address can carry a patient's id.
  const route = request.routeOptions.url ?? "(none)";
  deps.metrics.observeRequest(listener, request.method, route, status, duration_ms / 1000);
  const { id: request_id, method, grant, refused } = request;
  // Those of a partner's program; a network's prescriptions are the pharmacy's own affair.
  if (grant?.scopes.includes("partners")) {
    const { account_id, credential_id } = grant;
    const at = deps.now();
    deps.request_log.add({ account_id, at, request_id, credential_id, method, route, status, duration_ms, refused });
  }
  deps.log.info({
    request_id,
    listener,
    method,
    route,
    status,
    duration_ms: Math.round(duration_ms * 100) / 100,
    account_id: grant?.account_id,
    credential_id: grant?.credential_id,
    refused,
  });
}
