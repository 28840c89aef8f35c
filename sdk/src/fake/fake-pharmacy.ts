import type { ExceptionId } from "@pestle/contract/partner";
import type { PestleOptions } from "../client.ts";
import { operationAddresses } from "../generated/addresses.ts";
import type { CreatedWebhookEndpoint, MedicationRequest, Order, SimulatedPrescription } from "../generated/records.ts";
import type { PartnerOperation } from "../operations.ts";
import { signForTestAsync } from "../sign-for-test.ts";
import type { WebhookBody } from "../webhook-body.ts";
import { openBook, receivePrescription } from "./fake-book.ts";
import { addEndpoint, type FakeCall, plays } from "./fake-operations.ts";
import { orderOf, raise, walkTo } from "./fake-orders.ts";
import { FAKE_URL, Refusal, refuse, refuseWith } from "./refusal.ts";

export type FakePharmacyOptions = {
  /** Your program's clock (default: the real one). */
  now?: () => Date;
  /** Receives the webhooks (default: the global `fetch`, for a receiver that listens). */
  deliver?: (request: Request) => Promise<Response>;
};
/** A request that the fake pharmacy answered. */
export type FakeRequest = {
  /** Undefined for the token server, and for an unknown path. */
  operation_id: PartnerOperation | undefined;
  method: string;
  path: string;
  body: unknown;
  status: number;
};
export type DeliveredWebhook = { event: WebhookBody; url: string; status: number };

/** A pharmacy in your own process. Its orders move when your test moves them. */
export type FakePharmacy = {
  /** For `createPestle`: credentials, addresses and the transport. */
  readonly options: Required<Pick<PestleOptions, "client_id" | "client_secret" | "base_url" | "auth_url" | "fetch">>;
  readonly fetch: typeof globalThis.fetch;
  /** Every request so far, oldest first. */
  readonly requests: readonly FakeRequest[];
  /** Every event so far, oldest first, whether or not an endpoint subscribes to it. */
  readonly events: readonly WebhookBody[];
  /** A prescription arrives, with its patient. Fields that you omit have example values. */
  prescription(fields?: SimulatedPrescription): MedicationRequest;
  order(order_number: string): Order;
  /** The pharmacy works on the order until it has this status, step by step. */
  move(order_number: string, to: "Filling" | "Shipped" | "Delivered" | "Canceled"): Order;
  /** The pharmacy raises an exception (64 to 80), which holds the order. */
  hold(order_number: string, exception_id: ExceptionId): Order;
  /** The bank declines the card: exception 80. */
  decline(order_number: string): Order;
  /** The next order gets these exceptions when it is created. */
  holdNext(...exception_ids: ExceptionId[]): void;
  /** The next request gets this answer instead: to test what your program does about 429, 500 and 503. */
  failNext(status: 429 | 500 | 503): void;
  addEndpoint(endpoint: {
    url: string;
    secret: string;
    events?: CreatedWebhookEndpoint["events"];
  }): CreatedWebhookEndpoint;
  /** Signs and sends every webhook that no receiver has accepted yet, in order. */
  deliverWebhooks(): Promise<DeliveredWebhook[]>;
  /** Moves the pharmacy's clock forward. */
  advance(seconds: number): void;
};

const CLIENT = { client_id: "fake-client", client_secret: "fake-client-secret" } as const;
const TOKEN_LIFETIME_S = 3600;
const REPEATED_WITHIN_MS = 60_000;

const routes = Object.entries(operationAddresses).map(([operation_id, [method, path]]) => ({
  operation_id: operation_id as PartnerOperation,
  method,
  pattern: new RegExp(`^(?:/v1)?${path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
}));

type Kept = { text: string; answer: { status: number; body?: unknown } };

/**
 * A pharmacy for your own tests, without a server: states, transitions, exceptions, actions and errors come from the
 * same tables as the service's. It checks no addresses, drugs or stock, so hold an order yourself to test such a hold.
 */
export function createFakePharmacy(options: FakePharmacyOptions = {}): FakePharmacy {
  let offset_ms = 0;
  const clock = options.now ?? (() => new Date());
  const book = openBook(() => new Date(clock().getTime() + offset_ms));
  const deliver = options.deliver ?? ((request: Request) => globalThis.fetch(request));
  const requests: FakeRequest[] = [];
  const tokens = new Set<string>();
  const keys = new Map<string, Kept>();
  const bodies = new Map<string, { at_ms: number; order_number: string }>();
  let next_holds: ExceptionId[] = [];
  const failures: (429 | 500 | 503)[] = [];
  const advance = (seconds: number) => {
    offset_ms += seconds * 1000;
  };

  function answerToken(request: Request): { status: number; body: unknown } {
    const expected = `Basic ${btoa(`${CLIENT.client_id}:${CLIENT.client_secret}`)}`;
    if (request.headers.get("authorization") !== expected)
      return { status: 401, body: { error: "invalid_client", error_description: "Use the fake pharmacy's options." } };
    const access_token = `fake-token-${book.next()}`;
    tokens.add(access_token);
    return {
      status: 200,
      body: { access_token, token_type: "Bearer", expires_in: TOKEN_LIFETIME_S, scope: "partners" },
    };
  }

  function answerCall(operation_id: PartnerOperation, headers: Headers, text: string, call: FakeCall) {
    const play = plays[operation_id];
    if (play === undefined) {
      const message = `The fake pharmacy does not play ${operation_id}. Test it against the sandbox.`;
      throw new Refusal(501, { error: { error_code: 501, message } });
    }
    const key = headers.get("idempotency-key");
    const kept = key === null ? undefined : keys.get(key);
    if (kept !== undefined && kept.text !== text) refuse(42299, "Idempotency-Key");
    if (kept !== undefined) return { ...kept.answer, replayed: true };
    const creates = operation_id === "createOrder" && call.query.get("dry_run") !== "true";
    if (creates) refuseRepeated(text);
    const answer = play(book, call);
    if (key !== null) keys.set(key, { text, answer: structuredClone(answer) });
    if (creates) {
      const { order_number } = answer.body as Order;
      bodies.set(text, { at_ms: book.now().getTime(), order_number });
    }
    return { ...answer, replayed: false };
  }

  /** The same body within a minute, with another key. */
  function refuseRepeated(text: string): void {
    const before = bodies.get(text);
    if (before === undefined || book.now().getTime() - before.at_ms >= REPEATED_WITHIN_MS) return;
    const { order_number } = before;
    if (orderOf(book, order_number).state !== "Canceled") refuseWith(409, { order_number });
  }

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    init?.signal?.throwIfAborted();
    const url = new URL(request.url);
    const text = await request.text();
    const request_id = crypto.randomUUID();
    const headers = new Headers({ "content-type": "application/json", "x-request-id": request_id });
    const route = routes.find(({ method, pattern }) => method === request.method && pattern.test(url.pathname));
    const body = readJson(text);
    let answer: { status: number; body?: unknown };
    const failure = url.pathname === "/oauth/token" ? undefined : failures.shift();
    try {
      book.request_id = request_id;
      if (failure !== undefined) {
        headers.set("retry-after", "0");
        refuseWith(failure);
      }
      if (url.pathname === "/oauth/token") answer = answerToken(request);
      else {
        const token = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
        if (!tokens.has(token)) throw new Refusal(401, { error: "invalid_token", error_description: "No such token." });
        if (route === undefined) refuseWith(404);
        const path = decoded(route.pattern.exec(url.pathname)?.groups ?? {});
        const takeHolds = () => next_holds.splice(0);
        const call = { path, query: url.searchParams, body, takeHolds, client_id: CLIENT.client_id, advance };
        const { replayed, ...answered } = answerCall(route.operation_id, request.headers, text, call);
        if (replayed) headers.set("idempotent-replayed", "true");
        answer = answered;
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      answer = { status: error.status, body: { ...error.body, request_id } };
    } finally {
      book.request_id = null;
    }
    const { method } = request;
    requests.push({ operation_id: route?.operation_id, method, path: url.pathname, body, status: answer.status });
    return new Response(answer.body === undefined ? null : JSON.stringify(answer.body), {
      status: answer.status,
      headers,
    });
  };

  const changed = (order_number: string, change: (order: ReturnType<typeof orderOf>) => void): Order => {
    const order = orderOf(book, order_number);
    try {
      change(order);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new Error(`The order is ${order.record.order_status}, so the pharmacy cannot do that.`, { cause: error });
    }
    return structuredClone(order.record);
  };

  return {
    options: { ...CLIENT, base_url: FAKE_URL, auth_url: FAKE_URL, fetch },
    fetch,
    requests,
    get events() {
      return book.events.map(({ body }) => body);
    },
    prescription: (fields) => structuredClone(receivePrescription(book, fields)),
    order: (order_number) => structuredClone(orderOf(book, order_number).record),
    move: (order_number, to) => changed(order_number, (order) => walkTo(book, order, to)),
    hold: (order_number, exception_id) => changed(order_number, (order) => raise(book, order, exception_id)),
    decline: (order_number) =>
      changed(order_number, (order) => {
        order.record.payment.status = "declined";
        raise(book, order, 80);
      }),
    holdNext: (...exception_ids) => {
      next_holds = exception_ids;
    },
    failNext: (status) => void failures.push(status),
    addEndpoint: (endpoint) => addEndpoint(book, endpoint, CLIENT.client_id),
    async deliverWebhooks() {
      const delivered: DeliveredWebhook[] = [];
      for (const delivery of book.events.flatMap(({ deliveries }) => deliveries)) {
        if (delivery.delivered) continue;
        const { event, endpoint } = delivery;
        const { url, secret: webhook_secret, signing_secret } = endpoint;
        const { client_secret } = CLIENT;
        const now = book.now();
        const signed = await signForTestAsync({ event, url, client_secret, webhook_secret, signing_secret, now });
        const { headers, rawBody } = signed;
        const { status, ok } = await deliver(new Request(url, { method: "POST", headers, body: rawBody }));
        delivery.attempts += 1;
        delivery.delivered = ok;
        delivered.push({ event, url, status });
      }
      return delivered;
    },
    advance,
  };
}

const decoded = (groups: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));

function readJson(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
