import { createAnswerCache } from "./answer-cache.ts";
import { checkOptions } from "./check-options.ts";
import { assertionSigner, type PrivateKey } from "./client-assertion.ts";
import { Unauthorized } from "./errors.ts";
import {
  type AnswerOf,
  addressOf,
  type BodyOf,
  type PartnerOperation,
  type PathOf,
  type QueryOf,
} from "./operations.ts";
import { type Catalogue, catalogueOf } from "./resources/catalogue.ts";
import { type Continuity, continuityOf } from "./resources/continuity.ts";
import { type Events, eventsOf } from "./resources/events.ts";
import { type Orders, ordersOf } from "./resources/orders.ts";
import { type Patients, patientsOf } from "./resources/patients.ts";
import { type Prescriptions, prescriptionsOf } from "./resources/prescriptions.ts";
import { type RefillSchedules, refillSchedulesOf } from "./resources/refill-schedules.ts";
import { type Requests, requestsOf } from "./resources/requests.ts";
import { type Simulate, simulateOf } from "./resources/simulate.ts";
import { type Statements, statementsOf } from "./resources/statements.ts";
import { type WebhookEndpoints, webhookEndpointsOf } from "./resources/webhook-endpoints.ts";
import { type ClientProof, createTokenSource, requestToken } from "./token.ts";
import {
  type Answer,
  type Deadline,
  type Method,
  type Outgoing,
  send,
  type Travel,
  withDeadline,
} from "./transport.ts";

export type PestleOptions = {
  client_id: string;
  /** Required, unless you give a `private_key`. */
  client_secret?: string;
  /**
   * Signs a client assertion for each token (`private_key_jwt`), so that the secret is not sent. Register the public key
   * with the credential first.
   */
  private_key?: PrivateKey;
  /** The `kid` of the private key, if the credential has several keys. Default: the `kid` of a JWK. */
  key_id?: string;
  /** The partner API. */
  base_url: string;
  /** The token server of the credentials' environment. */
  auth_url: string;
  /** Default: `partners`. Empty for credentials without scopes. */
  scope?: string;
  /** The time limit of a call including retries (default: 30 s). */
  deadline_ms?: number;
  /** The maximum number of retries (default: as many as the deadline allows). */
  retries?: number;
  /** The time limit of one attempt (default: 10 s). */
  attempt_timeout_ms?: number;
  /** How many responses to cache in memory for conditional requests (default: none). */
  keep_answers?: number;
} & Partial<Omit<Travel, "retries" | "attempt_timeout_ms">>;

export type CallOptions = { signal?: AbortSignal; deadline_ms?: number };
export type WriteOptions = CallOptions & {
  /** Set your own if another process may retry the call. By default each call gets a new key. */
  idempotency_key?: string;
};
/** A method that changes a record and returns it. With `minimal: true`, the answer has no body (204). */
export type ChangeMethod<Given extends unknown[], Changed> = {
  (...given: [...Given, options: CallOptions & { minimal: true }]): Promise<void>;
  (...given: [...Given, options?: CallOptions & { minimal?: false }]): Promise<Changed>;
};
export type RequestOptions = WriteOptions & {
  query?: { readonly [name: string]: string | number | boolean | readonly string[] | undefined };
  body?: unknown;
  headers?: { readonly [name: string]: string };
};
/** Calls an operation from the contract's table, typed by its row. */
export type Call = <Id extends PartnerOperation>(
  operation_id: Id,
  given: CallGiven<Id>,
  options?: WriteOptions & { minimal?: boolean },
) => Promise<AnswerOf<Id>>;
type CallGiven<Id extends PartnerOperation> = ([keyof PathOf<Id>] extends [never] ? unknown : { path: PathOf<Id> }) &
  ([BodyOf<Id>] extends [undefined] ? unknown : { body: BodyOf<Id> }) & { query?: QueryOf<Id> };

export type Pestle = Catalogue & {
  /** Calls any operation of the API, with the usual tokens, retries and errors. */
  request<Body = unknown>(method: Method, path: `/${string}`, options?: RequestOptions): Promise<Answer<Body>>;
  orders: Orders;
  patients: Patients;
  webhookEndpoints: WebhookEndpoints;
  events: Events;
  prescriptions: Prescriptions;
  statements: Statements;
  requests: Requests;
  continuity: Continuity;
  refillSchedules: RefillSchedules;
  simulate: Simulate;
};

const DEADLINE_MS = 30_000;
const ATTEMPT_TIMEOUT_MS = 10_000;

/** A client for one account. Reuse it: it holds the access token. */
export function createPestle(options: PestleOptions): Pestle {
  checkOptions(options);
  const { client_id, scope = "partners", deadline_ms = DEADLINE_MS } = options;
  const base_url = withoutEndSlash(options.base_url);
  const auth_url = withoutEndSlash(options.auth_url);
  const travel: Travel = {
    // Looked up per request, so that instrumentation can replace the global fetch later.
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    now: options.now ?? (() => new Date()),
    random: options.random ?? Math.random,
    sleep: options.sleep ?? sleep,
    retries: options.retries ?? Number.POSITIVE_INFINITY,
    attempt_timeout_ms: options.attempt_timeout_ms ?? ATTEMPT_TIMEOUT_MS,
  };
  const cache = createAnswerCache(options.keep_answers ?? 0);
  const credentials = { client_id, proof: proofOf(options), auth_url, scope };
  // All callers share a token request, so it has its own deadline.
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
      // The token was revoked or expired: renew it once. If the new one is refused too, throw.
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
  const call: Call = async (operation_id, given, { minimal = false, ...write } = {}) => {
    const { path: ids = {}, query, body } = given as { path?: object; query?: object; body?: unknown };
    if ("body" in given && (typeof body !== "object" || body === null || Array.isArray(body))) {
      throw new TypeError(`The body of ${operation_id} must be an object.`);
    }
    const { method, path } = addressOf(operation_id, ids as PathOf<typeof operation_id>);
    const asked = {
      ...write,
      body,
      ...(query && { query: query as NonNullable<RequestOptions["query"]> }),
      ...(minimal && { headers: { prefer: "return=minimal" } }),
    };
    return (await request<AnswerOf<typeof operation_id>>(method, path, asked)).body;
  };

  return {
    request,
    ...catalogueOf(call),
    orders: ordersOf(call, { travel, deadline_ms }),
    patients: patientsOf(call),
    webhookEndpoints: webhookEndpointsOf(call),
    events: eventsOf(call, travel),
    prescriptions: prescriptionsOf(call),
    statements: statementsOf(call),
    requests: requestsOf(call),
    continuity: continuityOf(call),
    refillSchedules: refillSchedulesOf(call),
    simulate: simulateOf(call),
  };
}

function proofOf({ client_secret = "", private_key, key_id }: PestleOptions): ClientProof {
  return private_key === undefined ? { client_secret } : { sign: assertionSigner(private_key, key_id) };
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

/** Rejects with the signal's reason if that comes first. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
  });
}

const withoutEndSlash = (url: string) => url.replace(/\/+$/, "");

/** Resolves to the value, or rejects with the signal's reason if that comes first. */
async function inTime<Value>(value: Value | Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (!(value instanceof Promise)) return value;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
