import { setTimeout as delay } from "node:timers/promises";
import { createAnswerCache } from "./answer-cache.ts";
import { type Catalogue, catalogueOf } from "./catalogue.ts";
import { Unauthorized } from "./errors.ts";
import { type Events, eventsOf } from "./events.ts";
import {
  type AnswerOf,
  addressOf,
  type BodyOf,
  type PartnerOperation,
  type PathOf,
  type QueryOf,
} from "./operations.ts";
import { type Orders, ordersOf } from "./orders.ts";
import { type Patients, patientsOf } from "./patients.ts";
import { type Simulate, simulateOf } from "./simulate.ts";
import { createTokenSource, requestToken } from "./token.ts";
import {
  type Answer,
  type Deadline,
  type Method,
  type Outgoing,
  send,
  type Travel,
  withDeadline,
} from "./transport.ts";
import { type WebhookEndpoints, webhookEndpointsOf } from "./webhook-endpoints.ts";

export type PestleOptions = {
  client_id: string;
  client_secret: string;
  /** The partner API. */
  base_url: string;
  /** The token server of the credentials' environment. */
  auth_url: string;
  /** `partners` unless told otherwise; empty for credentials without scopes. */
  scope?: string;
  /** For a whole call with its retries, 30 s unless told otherwise. */
  deadline_ms?: number;
  /** How often a request is sent again, 4 times unless told otherwise. */
  retries?: number;
  /** After this long without an answer an attempt counts as lost, 10 s unless told otherwise. */
  attempt_timeout_ms?: number;
  /** So many answers are kept in memory and asked for conditionally, none unless told otherwise. */
  keep_answers?: number;
} & Partial<Omit<Travel, "retries" | "attempt_timeout_ms">>;

export type CallOptions = { signal?: AbortSignal; deadline_ms?: number };
export type WriteOptions = CallOptions & {
  /** Yours, when a retry may come from another process; else one is made for each call. */
  idempotency_key?: string;
};
export type RequestOptions = WriteOptions & {
  query?: { readonly [name: string]: string | number | boolean | readonly string[] | undefined };
  body?: unknown;
  headers?: { readonly [name: string]: string };
};
/** An operation of the contract's tables, with the types that its row gives it. */
export type Call = <Id extends PartnerOperation>(
  operation_id: Id,
  given: CallGiven<Id>,
  options?: WriteOptions,
) => Promise<AnswerOf<Id>>;
type CallGiven<Id extends PartnerOperation> = ([keyof PathOf<Id>] extends [never] ? unknown : { path: PathOf<Id> }) &
  ([BodyOf<Id>] extends [undefined] ? unknown : { body: BodyOf<Id> }) & { query?: QueryOf<Id> };

export type Pestle = Catalogue & {
  /** Any operation of the API, with tokens, retries and errors as everywhere else. */
  request<Body = unknown>(method: Method, path: `/${string}`, options?: RequestOptions): Promise<Answer<Body>>;
  orders: Orders;
  patients: Patients;
  webhookEndpoints: WebhookEndpoints;
  events: Events;
  simulate: Simulate;
};

const DEADLINE_MS = 30_000;
const RETRIES = 4;
const ATTEMPT_TIMEOUT_MS = 10_000;

/** A client for one account. Keep it: it holds the access token. */
export function createPestle(options: PestleOptions): Pestle {
  const { client_id, client_secret, scope = "partners", deadline_ms = DEADLINE_MS } = options;
  const base_url = address("base_url", options.base_url);
  const auth_url = address("auth_url", options.auth_url);
  const travel: Travel = {
    // Looked up at each request, so that instrumentation which replaces the global one later is seen.
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    now: options.now ?? (() => new Date()),
    random: options.random ?? Math.random,
    sleep: options.sleep ?? ((ms, signal) => delay(ms, undefined, { signal })),
    retries: options.retries ?? RETRIES,
    attempt_timeout_ms: options.attempt_timeout_ms ?? ATTEMPT_TIMEOUT_MS,
  };
  const cache = createAnswerCache(options.keep_answers ?? 0);
  const credentials = { client_id, client_secret, auth_url, scope };
  // All callers share a token request, so its deadline is its own and none of theirs.
  const issue = () => withDeadline(travel.now, deadline_ms, undefined, (own) => requestToken(travel, credentials, own));
  const tokens = createTokenSource(issue, travel.now);

  const sendAuthorized = async (outgoing: Outgoing, deadline: Deadline, mayRenew = true): Promise<Answer> => {
    const access_token = await inTime(tokens.get(), deadline.signal);
    outgoing.headers.set("authorization", `Bearer ${access_token}`);
    try {
      return await send(travel, outgoing, deadline);
    } catch (error) {
      if (!(error instanceof Unauthorized && error.error === "invalid_token")) throw error;
      tokens.drop(access_token);
      // Revoked or expired meanwhile: a new one, once. If that is refused too, the caller has to know.
      if (!mayRenew) throw error;
      return sendAuthorized(outgoing, deadline, false);
    }
  };

  const request: Pestle["request"] = async <Body>(method: Method, path: string, given: RequestOptions = {}) => {
    const outgoing = outgoingOf(base_url, method, path, given);
    const complete = cache.ask(outgoing);
    return withDeadline(travel.now, given.deadline_ms ?? deadline_ms, given.signal, async (deadline) => {
      return complete(await sendAuthorized(outgoing, deadline)) as Answer<Body>;
    });
  };
  const call: Call = async (operation_id, given, write) => {
    const { path: ids = {}, query, body } = given as { path?: object; query?: object; body?: unknown };
    const { method, path } = addressOf(operation_id, ids as PathOf<typeof operation_id>);
    const asked = { ...write, body, ...(query && { query: query as NonNullable<RequestOptions["query"]> }) };
    return (await request<AnswerOf<typeof operation_id>>(method, path, asked)).body;
  };

  return {
    request,
    ...catalogueOf(call),
    orders: ordersOf(call, { travel, deadline_ms }),
    patients: patientsOf(call),
    webhookEndpoints: webhookEndpointsOf(call),
    events: eventsOf(call, travel),
    simulate: simulateOf(call),
  };
}

function outgoingOf(base_url: string, method: Method, path: string, given: RequestOptions): Outgoing {
  if (!path.startsWith("/")) throw new TypeError("path must start with a slash.");
  const url = new URL(base_url + path);
  for (const [name, value] of Object.entries(given.query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) url.searchParams.append(name, String(one));
  }
  const headers = new Headers(given.headers);
  headers.set("accept", "application/json");
  if (given.body !== undefined) headers.set("content-type", "application/json");
  if (method === "POST") {
    const key = given.idempotency_key ?? headers.get("idempotency-key") ?? crypto.randomUUID();
    headers.set("idempotency-key", key);
  }
  return { method, url, headers, body: given.body === undefined ? undefined : JSON.stringify(given.body) };
}

/** What both servers ask for: https, or plain http that does not leave the machine. */
function address(name: string, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const local = url?.protocol === "http:" && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol !== "https:" && !local) throw new TypeError(`${name} must be an https address.`);
  return value.replace(/\/+$/, "");
}

/** The value, or the signal's reason if that comes first. */
async function inTime<Value>(value: Value | Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (!(value instanceof Promise)) return value;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
