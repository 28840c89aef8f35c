import { setTimeout as delay } from "node:timers/promises";
import type { Brand, OrderAction, OrderStatusReason, Product, ShippingMethod } from "@pestle/contract";
import { Unauthorized } from "./errors.ts";
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
} & Partial<Omit<Travel, "retries">>;

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
export type ProductFilter = { ndc?: readonly string[]; sku?: readonly string[]; gcn?: readonly string[] };

export type Pestle = {
  /** Any operation of the API, with tokens, retries and errors as everywhere else. */
  request<Body = unknown>(method: Method, path: `/${string}`, options?: RequestOptions): Promise<Answer<Body>>;
  shippingMethods(options?: CallOptions): Promise<ShippingMethod[]>;
  brands(options?: CallOptions): Promise<Brand[]>;
  /** The whole formulary, or the products that any of the values names. */
  products(filter?: ProductFilter, options?: CallOptions): Promise<Product[]>;
  orderActions(options?: CallOptions): Promise<OrderAction[]>;
  orderStatusReasons(options?: CallOptions): Promise<OrderStatusReason[]>;
  /** Sandbox accounts only. */
  simulate: {
    /** Moves the account's own clock forward and tells what it shows then. */
    clock(simulation: { advance_seconds: number }, options?: WriteOptions): Promise<{ now: string }>;
  };
};

const DEADLINE_MS = 30_000;
const RETRIES = 4;

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
  };
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
    return withDeadline(travel.now, given.deadline_ms ?? deadline_ms, given.signal, async (deadline) => {
      return (await sendAuthorized(outgoing, deadline)) as Answer<Body>;
    });
  };
  const read = async <Body>(path: `/${string}`, given?: RequestOptions): Promise<Body> =>
    (await request<Body>("GET", path, given)).body;

  return {
    request,
    shippingMethods: async (call) =>
      (await read<{ shipping_methods: ShippingMethod[] }>("/v1/shipping_methods", call)).shipping_methods,
    brands: async (call) => (await read<{ brands: Brand[] }>("/v1/brands", call)).brands,
    products: async ({ ndc, sku, gcn } = {}, call = {}) => {
      const lists = [ndc, sku, gcn].filter((list) => list !== undefined);
      // Nothing looked for is nothing found. Without this, an empty list would ask for the whole formulary.
      if (lists.length > 0 && lists.every((list) => list.length === 0)) return [];
      return read("/v1/products", { ...call, query: { "ndc[]": ndc, "sku[]": sku, "gcn[]": gcn } });
    },
    orderActions: async (call) =>
      (await read<{ order_actions: OrderAction[] }>("/v1/order_actions", call)).order_actions,
    orderStatusReasons: async (call) =>
      (await read<{ order_status_reasons: OrderStatusReason[] }>("/v1/order_status_reasons", call))
        .order_status_reasons,
    simulate: {
      clock: async (simulation, write) => {
        const body = { simulation_type: "clock", simulation };
        return (await request<{ now: string }>("POST", "/v1/simulate", { ...write, body })).body;
      },
    },
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
