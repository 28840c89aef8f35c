import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Environment } from "@pestle/contract";
import Fastify, { type ConnectionError, type FastifyInstance, type FastifyRequest } from "fastify";
import { type Config, WrongSetting } from "../config.ts";
import type { Grant } from "../db/accounts/tokens.ts";
import type { Deps } from "../deps.ts";
import type { Span } from "../domain/operations/span.ts";
import { traceContextOf } from "../domain/operations/trace-context.ts";
import { faultOf, OAuthRefusal, RequestProblems, StatusRefusal } from "../domain/values/refusals.ts";
import { type Answer, NOT_CACHED, send, withRequestId } from "./answer.ts";
import type { JsonObject } from "./body.ts";
import { limitConnections } from "./connections.ts";
import { browserRules, createEdge, HTTPS_ONLY, openEdge } from "./edge.ts";
import { errorAnswer, methodAnswer, statusAnswer, tokenServerErrorAnswer, unkept } from "./errors.ts";
import { REFUSED_HEADER } from "./forward.ts";
import { strangerLimit } from "./front-door.ts";
import { rejectedBody } from "./rejected-body.ts";
import { allowedMethods, type ServedRoute } from "./served-routes.ts";

/** `inner`: what the partner listener of another process forwards to this one (forward.ts). */
export type ListenerName = "partner" | "auth" | "sandbox_auth" | "inner";

declare module "fastify" {
  interface FastifyInstance {
    /** All routes, so that a test can check each one against the conventions. */
    routes: ServedRoute[];
    /** Listener state that every answer needs (`send`). */
    house: { readonly stranger_headers: Readonly<Record<string, string>>; closing: boolean };
  }
  interface FastifyContextConfig {
    /** Whether a wildcard's path has something behind it. */
    exists?: ServedRoute["exists"];
  }
  interface FastifyRequest {
    grant: Grant | undefined;
    /** Error codes or names, for the log. */
    refused: string | undefined;
    /** The body of a request that writes, as it was read. */
    sent: Buffer | JsonObject | undefined;
    /** Set if the request is traced. */
    span: Span | undefined;
  }
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** At most 1 MiB is on its way to a caller, so even 20 KB a second are enough. */
const UNREAD_TIMEOUT_MS = 60_000;
const TIMEOUT_CHECK_EVERY_MS = 1_000;
// Longer than the idle timeout of common load balancers, so that they close first.
const KEEP_ALIVE_MS = 72_000;
const LARGEST_HEADERS_BYTES = 16 * 1024;
const LONGEST_PARAMETER = 200;
/** Our routes have no schemas: `contract` has the tables of their fields. Fastify then loads no schema compilers. */
const NO_SCHEMAS = { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } };

/** Creates a listener with the behavior that all its answers share. The caller adds the routes. */
export function createListener(deps: Deps, name: ListenerName): FastifyInstance {
  const http = {
    // A forwarded request has a few headers more.
    maxHeaderSize: name === "inner" ? 2 * LARGEST_HEADERS_BYTES : LARGEST_HEADERS_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_EVERY_MS,
    requireHostHeader: false,
  };
  const inner = name === "inner";
  const of_api = inner || name === "partner";
  const tls = inner ? undefined : tlsOptions(deps.config);
  const answerOf = of_api ? errorAnswer : tokenServerErrorAnswer;
  // The address is known when the first request arrives.
  const refusal = (error: unknown) => answerOf(error, deps.addresses.base_url);
  const notFound = () => refusal(new StatusRefusal(404))!;
  const fault = () => {
    const answer = statusAnswer(500, deps.addresses.base_url);
    return of_api ? answer : unkept(answer);
  };
  // The other process has checked the connection, and it alone can reach this listener.
  const edge = inner ? openEdge : createEdge(deps.config);
  const routes: ServedRoute[] = [];
  /** The answer where no route matches: 405 if another method has one, or 404. */
  const unserved = (url: string) => {
    const methods = allowedMethods(routes, url);
    if (methods.length === 0) return notFound();
    const answer = methodAnswer(methods.join(", "), deps.addresses.base_url);
    return of_api ? answer : unkept(answer);
  };
  const app = Fastify({
    ...(tls === undefined ? { http } : { https: { ...http, ...tls } }),
    logger: false,
    genReqId: inner ? ({ headers }) => String(headers["x-request-id"]) : () => randomUUID(),
    requestTimeout: REQUEST_TIMEOUT_MS,
    // The other process closes connections that it no longer needs.
    keepAliveTimeout: inner ? 0 : KEEP_ALIVE_MS,
    trustProxy: edge.has_proxies ? edge.trusts : false,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    schemaController: NO_SCHEMAS,
    clientErrorHandler: (error, socket) =>
      answerBroken(socket as Socket, () => {
        const target = targetOfUnknownMethod(error);
        const answer = target === undefined ? refusal(brokenRequest(error))! : unserved(target);
        answerRaw(socket as Socket, name, answer);
      }),
    frameworkErrors: (error, request, reply) => {
      reply.header("x-request-id", request.id).headers(browserRules);
      send(request as FastifyRequest, reply, refusal(edge.refusal(request as FastifyRequest) ?? error) ?? notFound());
    },
  }) as unknown as FastifyInstance;

  app.decorate("routes", routes);
  app.addHook("onRoute", ({ method, url, config }) => {
    for (const one of [method].flat()) routes.push({ method: one, url, exists: config?.exists });
  });

  app.decorate("house", { stranger_headers: name === "partner" ? strangerLimit : {}, closing: false });
  app.addHook("preClose", (done) => {
    app.house.closing = true;
    done();
  });
  app.decorateRequest("grant", undefined);
  app.decorateRequest("refused", undefined);
  app.decorateRequest("sent", undefined);
  app.decorateRequest("span", undefined);
  // Each route reads its own body (body.ts), with its own type, size limit and errors.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));

  addTracing(app, deps, name);
  app.addHook("onRequest", (request, reply, done) => {
    if (inner) return done();
    reply.header("x-request-id", request.id);
    reply.headers(browserRules);
    const refused = edge.refusal(request);
    if (refused !== undefined) return done(refused);
    if (request.protocol === "https") reply.header("strict-transport-security", HTTPS_ONLY);
    // The router treats the first character as a slash, so it would find a page for `*`.
    if (request.url.startsWith("*")) return done(new StatusRefusal(404));
    done();
  });
  app.setNotFoundHandler((request, reply) => send(request, reply, unserved(request.url)));
  app.setErrorHandler((error, request, reply) => {
    // Without a route, the answer is always 404 or 405, regardless of Content-Type. Only HTTPS and Host are checked first.
    const known = request.is404 && !(error instanceof RequestProblems) ? unserved(request.url) : refusal(error);
    request.refused = refusedNames(error);
    if (inner && request.refused !== undefined) reply.header(REFUSED_HEADER, request.refused);
    if (known === undefined) logFault(deps, request, error);
    return send(request, reply, known ?? fault());
  });
  // The other process logs what it forwards, with the time that the caller waited.
  if (inner) return app;
  app.addHook("onResponse", (request, reply, done) => {
    logAndMeasure(deps, name, request, reply.statusCode, reply.elapsedTime);
    done();
  });
  const server = app.server as Server;
  limitConnections(server, {
    most: deps.config.CONNECTIONS,
    most_per_network: deps.config.CONNECTIONS_PER_ADDRESS,
    unread_ms: UNREAD_TIMEOUT_MS,
    exempt: edge.trusts,
  });
  server.on("connect", (request, socket: Socket) => {
    // Node no longer handles errors on this socket. Without a listener, a caller that hangs up would crash the process.
    socket.on("error", () => socket.destroy());
    answerRaw(socket, name, unserved(request.url ?? ""));
  });
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  return app;
}

/** Asked every few seconds, and of no interest. */
const UNTRACED_ROUTES = new Set(["/healthz", "/readyz", "/metrics"]);

/** Without a tracer, a request passes no hook of it. */
function addTracing(app: FastifyInstance, { tracer }: Deps, name: ListenerName): void {
  if (tracer === undefined) return;
  app.addHook("onRequest", (request, _reply, done) => {
    const { method, headers } = request;
    const route = request.routeOptions.url;
    const given = headers["traceparent"];
    const parent = traceContextOf(typeof given === "string" ? given : undefined);
    // The process that forwards a request has decided whether to record it.
    if ((name !== "inner" || parent !== undefined) && !UNTRACED_ROUTES.has(route ?? "")) {
      const attributes = { "http.request.method": method, "http.route": route, "pestle.listener": name };
      request.span = tracer.begin(`${method} ${route ?? "(none)"}`, "server", { parent, attributes });
    }
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { span, grant, refused } = request;
    if (span === undefined) return done();
    span.set({
      "http.response.status_code": reply.statusCode,
      "pestle.request_id": request.id,
      "pestle.account_id": grant?.account_id,
      "pestle.refused": refused,
    });
    span.end(reply.statusCode >= 500 ? String(reply.statusCode) : undefined);
    done();
  });
}

function noCompiler(): never {
  throw new Error("routes have no schemas");
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

const REQUEST_LINE = /^([A-Za-z0-9!#$%&'*+.^_`|~-]{1,40}) (\/\S*) HTTP\/1\.[01]\r\n/;

/** A method that Node's parser does not know is unsupported, not malformed, if the rest of the request line is valid. */
function targetOfUnknownMethod({ code, bytesParsed, rawPacket }: ConnectionError): string | undefined {
  const [, method = "", target] = code === "HPE_INVALID_METHOD" ? (REQUEST_LINE.exec(String(rawPacket)) ?? []) : [];
  return bytesParsed <= method.length ? target : undefined;
}

const brokenRequest = ({ code }: ConnectionError): RequestProblems =>
  new RequestProblems([
    code === "HPE_HEADER_OVERFLOW" ? { code: 40005, field: "header" } : { code: 40000, field: "request" },
  ]);

/**
 * Complete requests before the broken bytes get their own answers first, because a saved change must not look rejected.
 * All versions of Node keep the current response on the socket under this name.
 */
function answerBroken(socket: Socket, answer: () => void): void {
  const current = (socket as { _httpMessage?: ServerResponse | null })._httpMessage;
  // Ignore further input on this connection: parsing it would only fail again.
  socket.pause();
  if (current?.req.complete) current.once("close", () => answerBroken(socket, answer));
  else if (current?.headersSent) socket.destroy();
  else answer();
}

/** Answers input that never became a request: bytes that are not HTTP, headers over the limit, a slow client. */
function answerRaw(socket: Socket, name: ListenerName, { status, headers, ...made }: Answer): void {
  if (!socket.writable || socket.destroyed) return void socket.destroy();
  const request_id = randomUUID();
  const body = withRequestId(made.body, request_id);
  const fields = {
    "x-request-id": request_id,
    ...browserRules,
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

function logFault(deps: Deps, { id: request_id, grant, span }: FastifyRequest, error: unknown): void {
  const { account_id } = grant ?? {};
  deps.log.error({ request_id, account_id, trace_id: span?.trace_id, err: faultOf(error) }, "unexpected fault");
}

function refusedNames(error: unknown): string | undefined {
  if (error instanceof RequestProblems) return [...new Set(error.problems.map(({ code }) => code))].join(" ");
  return error instanceof OAuthRefusal ? error.error : undefined;
}

/** A token server serves one environment. */
const environmentOf: Partial<Record<ListenerName, Environment>> = { auth: "production", sandbox_auth: "sandbox" };

function logAndMeasure(
  deps: Deps,
  listener: ListenerName,
  request: FastifyRequest,
  status: number,
  duration_ms: number,
) {
  // The route's pattern, not the address, because an address can carry a patient's id.
  const route = request.routeOptions.url ?? "(none)";
  const { id: request_id, method, grant, refused, span } = request;
  const environment = grant?.environment ?? environmentOf[listener] ?? "";
  deps.metrics.observeRequest(listener, environment, method, route, status, duration_ms / 1000, span?.trace_id);
  // Partners see these requests. The prescriptions of a network are internal to the pharmacy.
  if (grant?.scopes.includes("partners")) {
    const { account_id, credential_id } = grant;
    const at = deps.now();
    const body = status < 400 ? null : rejectedBody(request.sent);
    deps.request_log.add({
      account_id,
      at,
      request_id,
      credential_id,
      method,
      route,
      status,
      duration_ms,
      refused,
      body,
    });
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
    trace_id: span?.trace_id,
  });
}
