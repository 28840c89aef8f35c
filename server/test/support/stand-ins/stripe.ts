import { createHash, createHmac, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Charge, type Intent, openBooks, type Refund, StripeError, type Transaction } from "./stripe-books.ts";

/**
 * What happens to a call: its answer gets lost after it took effect, the call gets lost before, it takes effect twice, or
 * the answer is a fault of the service. `hold`: the call takes effect, and its answer waits.
 */
export type StripeFault =
  | "lose_answer"
  | "lose_request"
  | "double"
  | "server_error"
  | "too_many"
  | "garbage"
  | { hold: Promise<unknown> };
export type StripeCall = { method: string; path: string; key: string | null; params: URLSearchParams };
type Answer = { status: number; body: unknown };

const BIGGEST_BODY = 64 * 1024;

/**
 * A strict stand-in for the part of Stripe's API that the service uses, on loopback: form encoding, idempotency keys,
 * the states of a payment intent, refunds, lists, and signed events. `faults` decides what happens to each call.
 */
export async function startStripe(options: { secret_key?: string; now?: () => number } = {}) {
  const secret_key = options.secret_key ?? `sk_live_${randomBytes(12).toString("hex")}`;
  const now = options.now ?? Date.now;
  const books = openBooks(now);
  const kept = new Map<string, { fingerprint: string; answer: Promise<Answer> | Answer }>();
  const calls: StripeCall[] = [];
  const webhook_secret = `whsec_${randomBytes(12).toString("hex")}`;
  /** The signature of a body, as Stripe makes it. */
  const sign = (body: string, at_s = Math.floor(now() / 1000), secret = webhook_secret) =>
    `t=${at_s},v1=${createHmac("sha256", secret).update(`${at_s}.${body}`).digest("hex")}`;
  const own = {
    secret_key,
    webhook_secret,
    sign,
    base_url: "",
    books,
    calls,
    /** A key that Stripe took back, in place of one that it never gave. */
    revoked: false,
    faults: (_call: StripeCall): StripeFault | undefined => undefined,
    /** Sends an event to a webhook endpoint, and returns the status of the answer. */
    async deliver(url: string, event: unknown, { at_s, secret }: { at_s?: number; secret?: string } = {}) {
      const body = JSON.stringify(event);
      const headers = { "content-type": "application/json", "stripe-signature": sign(body, at_s, secret) };
      return (await fetch(url, { method: "POST", body, headers })).status;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  const answerOf = async (call: StripeCall): Promise<Answer> => {
    try {
      return { status: 200, body: route(books, call) };
    } catch (error) {
      if (!(error instanceof StripeError)) throw error;
      return { status: error.status, body: { error: error.body } };
    }
  };
  /** A key returns its first answer again, and refuses another request. Refused parameters are not kept. */
  const once = async (call: StripeCall): Promise<Answer & { replayed?: true }> => {
    const { key, method, path, params } = call;
    if (key === null || method === "GET") return answerOf(call);
    const fingerprint = createHash("sha256").update(`${method} ${path} ${params}`).digest("hex");
    const known = kept.get(key);
    if (known !== undefined) {
      if (known.fingerprint !== fingerprint) throw idempotencyError();
      return { ...(await known.answer), replayed: true };
    }
    const answer = answerOf(call);
    kept.set(key, { fingerprint, answer });
    return answer;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const call = await readCall(request);
    if (request.headers.authorization !== `Bearer ${secret_key}` || own.revoked) {
      return reply(response, { status: 401, body: { error: wrongKey(own.revoked) } });
    }
    if (request.headers["stripe-version"] === undefined) throw new Error("a call without a pinned version");
    calls.push(call);
    const fault = own.faults(call);
    if (fault === "lose_request") return request.socket.destroy();
    if (fault === "server_error") return reply(response, { status: 500, body: { error: { type: "api_error" } } });
    if (fault === "too_many") {
      return reply(response, { status: 429, body: { error: { type: "rate_limit_error", code: "rate_limit" } } });
    }
    try {
      const answer = await once(call);
      if (fault === "double") await once(call);
      if (fault === "lose_answer") return request.socket.destroy();
      if (typeof fault === "object") await fault.hold;
      if (fault === "garbage") return void response.end("<html>It works!</html>");
      reply(response, answer, answer.replayed === true);
    } catch (error) {
      if (!(error instanceof StripeError)) throw error;
      reply(response, { status: error.status, body: { error: error.body } });
    }
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => {
      const status = error instanceof StripeError ? error.status : 400;
      reply(response, { status, body: { error: { type: "invalid_request_error", message: error.message } } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  own.base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return own;
}
export type StripeStandIn = Awaited<ReturnType<typeof startStripe>>;

async function readCall(request: IncomingMessage): Promise<StripeCall> {
  const { pathname, search } = new URL(request.url ?? "", "http://stripe");
  const method = request.method ?? "";
  let body = "";
  for await (const chunk of request) {
    body += chunk;
    if (body.length > BIGGEST_BODY) throw new Error("too large");
  }
  if (method === "POST" && body !== "" && request.headers["content-type"] !== "application/x-www-form-urlencoded") {
    throw new StripeError(415, { type: "invalid_request_error", message: "A body must be form-encoded." });
  }
  const key = request.headers["idempotency-key"];
  return {
    method,
    path: pathname,
    key: typeof key === "string" ? key : null,
    params: new URLSearchParams(method === "POST" ? body : search),
  };
}

function reply(response: ServerResponse, { status, body }: Answer, replayed = false): void {
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  response.setHeader("request-id", `req_${randomBytes(7).toString("hex")}`);
  if (replayed) response.setHeader("idempotent-replayed", "true");
  response.end(JSON.stringify(body));
}

const wrongKey = (revoked: boolean) => ({
  type: "invalid_request_error",
  message: "Invalid API Key provided",
  ...(revoked && { code: "api_key_expired" }),
});
const idempotencyError = () =>
  new StripeError(400, {
    type: "idempotency_error",
    message: "Keys for idempotent requests can only be used with the same parameters they were first used with.",
  });

type Books = ReturnType<typeof openBooks>;
const INTENT = /^\/v1\/payment_intents\/(pi_\w+)(?:\/(confirm|capture|cancel))?$/;
const LIST = ["limit", "starting_after", "created[gte]", "created[lt]", "created[lte]", "expand[]", "expand[0]"];

function route(books: Books, { method, path, params }: StripeCall): unknown {
  const refuseOthers = (...known: string[]) => {
    for (const name of params.keys()) {
      if (known.includes(name) || (known.includes("metadata") && /^metadata\[\w{1,40}\]$/.test(name))) continue;
      throw new StripeError(400, {
        type: "invalid_request_error",
        code: "parameter_unknown",
        param: name,
        message: `Received unknown parameter: ${name}`,
      });
    }
  };
  const expands = new Set([...params.getAll("expand[]"), ...params.getAll("expand[0]")].map((one) => one.trim()));
  const shown = (intent: Intent) => showIntent(books, intent, expands);
  const matched = INTENT.exec(path);
  if (method === "POST" && path === "/v1/payment_intents") {
    refuseOthers(
      ...["amount", "currency", "capture_method", "confirm", "off_session", "payment_method", "customer", "metadata"],
      ...["payment_method_types[]", "payment_method_types[0]", "description", "expand[]", "expand[0]"],
    );
    return shown(books.createIntent(params));
  }
  if (method === "POST" && matched?.[2] === "confirm") {
    refuseOthers("payment_method", "return_url", "off_session", "expand[]", "expand[0]");
    return shown(books.confirmIntent(matched[1]!, params));
  }
  if (method === "POST" && matched?.[2] === "capture") {
    refuseOthers("amount_to_capture", "expand[]", "expand[0]");
    return shown(books.captureIntent(matched[1]!, params));
  }
  if (method === "POST" && matched?.[2] === "cancel") {
    refuseOthers("cancellation_reason", "expand[]", "expand[0]");
    return shown(books.cancelIntent(matched[1]!));
  }
  if (method === "GET" && matched !== null && matched[2] === undefined) {
    refuseOthers("expand[]", "expand[0]");
    return shown(books.intent(matched[1]!));
  }
  if (method === "GET" && path === "/v1/payment_intents") {
    refuseOthers(...LIST);
    return list(path, [...books.intents.values()], params, shown);
  }
  if (method === "POST" && path === "/v1/refunds") {
    refuseOthers("payment_intent", "amount", "reason", "metadata");
    return books.createRefund(params);
  }
  if (method === "GET" && path === "/v1/refunds") {
    refuseOthers(...LIST, "payment_intent");
    const of = params.get("payment_intent");
    const refunds = [...books.refunds.values()].filter(({ payment_intent }) => of === null || payment_intent === of);
    return list(path, refunds, params, (one) => one);
  }
  if (method === "GET" && path === "/v1/balance_transactions") {
    refuseOthers(...LIST, "type");
    return list(path, books.transactions, params, (one: Transaction) => ({
      ...one,
      source: expands.has("data.source") ? books.sourceOf(one) : one.source,
    }));
  }
  if (method === "GET" && path === "/v1/balance") return { object: "balance", livemode: true, available: [] };
  throw new StripeError(404, {
    type: "invalid_request_error",
    message: `Unrecognized request URL (${method}: ${path}).`,
  });
}

function showIntent(books: Books, intent: Intent, expands: ReadonlySet<string>) {
  const charge = intent.latest_charge === null ? null : books.charges.get(intent.latest_charge)!;
  const wants = [...expands].some((one) => /^(data\.)?latest_charge(\.balance_transaction)?$/.test(one));
  const inner = [...expands].some((one) => one.endsWith("latest_charge.balance_transaction"));
  const full = (one: Charge) => ({
    ...one,
    balance_transaction: inner
      ? (books.transactions.find(({ id }) => id === one.balance_transaction) ?? null)
      : one.balance_transaction,
  });
  return { ...intent, latest_charge: wants && charge !== null ? full(charge) : intent.latest_charge };
}

/** Newest first, by pages, as all of Stripe's lists. */
function list<One extends Intent | Refund | Transaction>(
  url: string,
  all: readonly One[],
  params: URLSearchParams,
  show: (one: One) => unknown,
) {
  const bound = (name: string, otherwise: number) => Number(params.get(`created[${name}]`) ?? otherwise);
  const limit = Number(params.get("limit") ?? 10);
  if (!(limit >= 1 && limit <= 100)) {
    throw new StripeError(400, { type: "invalid_request_error", param: "limit", message: "Invalid integer" });
  }
  const found = all
    .filter(({ created }) => created >= bound("gte", 0) && created <= bound("lte", Number.POSITIVE_INFINITY))
    .filter(({ created }) => created < bound("lt", Number.POSITIVE_INFINITY))
    .reverse();
  const after = params.get("starting_after");
  const from = after === null ? 0 : found.findIndex(({ id }) => id === after) + 1;
  if (after !== null && from === 0) {
    throw new StripeError(400, {
      type: "invalid_request_error",
      code: "resource_missing",
      param: "starting_after",
      message: "No such object",
    });
  }
  const data = found.slice(from, from + limit);
  return { object: "list", url, has_more: found.length > from + limit, data: data.map(show) };
}
