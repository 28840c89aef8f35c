import { randomUUID } from "node:crypto";
import {
  type About,
  PaymentRefused,
  type ProviderMovement,
  type ProviderPayment,
} from "../../../domain/orders/provider-payment.ts";
import type { ProviderAnswer, ProviderClient } from "../../providers/provider-client.ts";
import { ProviderUnavailable } from "../../providers/provider-client.ts";
import type { Authorisation, Capture, Payments } from "../payments.ts";
import { declineOf } from "./decline-codes.ts";
import { isSigned } from "./event-signature.ts";
import { readIntent } from "./stripe-intent.ts";

/** The version of Stripe's API whose answers we read. */
export const STRIPE_VERSION = "2025-08-27.basil";

/** Stripe keeps keys for 24 hours. Later, a repeated key would be a new call. */
const KEYS_KEPT_MS = 20 * 60 * 60 * 1000;
/** Clocks differ a little. */
const EARLIER_MS = 10 * 60 * 1000;
const PAGE = 100;
const MOST_PAGES = 100;
const MOST_TRIES = 3;
const WITH_CHARGE = ["latest_charge.balance_transaction"];

/** Stripe by payment intents: authorized off-session with manual capture, and captured at shipping. */
export function stripePayments(options: {
  client: Pick<ProviderClient, "call">;
  webhook_secret: string;
  /** Where the bank sends the patient's browser after a confirmation. */
  return_url: string;
  now: () => Date;
}): Payments & Required<Pick<Payments, "records">> {
  const { client, webhook_secret, return_url, now } = options;

  const get = (path: string, query: readonly (readonly [string, string])[], what: string, about?: About) =>
    client.call({
      method: "GET",
      path:
        query.length === 0
          ? path
          : `${path}?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]))}`,
      what,
      ...(about && { about }),
    });
  const send = (path: string, fields: Fields, key: string, what: string, about?: About) =>
    client.call({
      method: "POST",
      path,
      form: formOf(fields),
      idempotency_key: key,
      what,
      ...(about && { about }),
    });

  async function find(reference: string, about?: About): Promise<ProviderPayment> {
    const query = WITH_CHARGE.map((one) => ["expand[]", one] as const);
    return intentIn(await get(`/v1/payment_intents/${pathPart(reference)}`, query, "read payment", about));
  }

  /** All pages of a list, newest first. */
  async function* pages(path: string, query: readonly (readonly [string, string])[], what: string) {
    let after: string | null = null;
    for (let page = 0; page < MOST_PAGES; page++) {
      const more: [string, string][] = after === null ? [] : [["starting_after", after]];
      const { body } = accepted(await get(path, [...query, ["limit", String(PAGE)], ...more], what));
      const { data, has_more } = body as { data?: unknown; has_more?: unknown };
      if (!Array.isArray(data)) throw new ProviderUnavailable("stripe", "garbage");
      yield* data as unknown[];
      const last = (data.at(-1) as { id?: unknown } | undefined)?.id;
      if (has_more !== true || typeof last !== "string") return;
      after = last;
    }
    throw new ProviderUnavailable("stripe", "too_many_pages");
  }

  /** The payment that a call with this key made, by the metadata that it carries. An authorized one comes first. */
  async function lookUp(key: string, asked_at: Date): Promise<ProviderPayment | null> {
    let found: ProviderPayment | null = null;
    const since = String(Math.floor((asked_at.getTime() - EARLIER_MS) / 1000));
    for await (const one of pages("/v1/payment_intents", [["created[gte]", since]], "search payment")) {
      const payment = readIntent(one);
      if (payment?.of?.key !== key) continue;
      if (payment.state === "authorized" || payment.state === "captured") return find(payment.reference);
      found ??= payment;
    }
    return found;
  }

  /** The bank wants the patient to confirm: a confirmation on the session has the link for it. */
  async function askPatient(payment: ProviderPayment, token: string, about?: About): Promise<ProviderPayment> {
    const path = `/v1/payment_intents/${pathPart(payment.reference)}/confirm`;
    const fields = { payment_method: methodOf(token).payment_method, return_url };
    const answer = await send(path, fields, `${payment.reference}-confirm`, "ask patient", about);
    return answer.status === 200 ? intentIn(answer) : find(payment.reference, about);
  }

  async function settled(payment: ProviderPayment, token: string, about?: About): Promise<Authorisation> {
    const { reference, state, expires_at, url, decline } = payment;
    if (state === "authorized" || state === "captured") return { status: "authorized", reference, expires_at };
    if (state === "canceled") return { status: "declined", decline: "authorization_ended" };
    if (state === "waiting" && url === null) throw new ProviderUnavailable("stripe", "processing");
    if (state === "waiting") return { status: "declined", decline: "authentication_required", reference, url };
    if (decline !== "authentication_required") return { status: "declined", decline: decline ?? "card_declined" };
    const asked = await askPatient(payment, token, about);
    return asked.state === "declined"
      ? { status: "declined", decline: asked.decline ?? "card_declined" }
      : settled(asked, token, about);
  }

  const authorise: Payments["authorise"] = async ({ key, amount_cents, currency, token, known, about }) => {
    if (known?.reference != null) return settled(await find(known.reference, about), token, about);
    if (known !== undefined && now().getTime() - known.asked_at.getTime() > KEYS_KEPT_MS) {
      const found = await lookUp(key, known.asked_at);
      if (found !== null) return settled(found, token, about);
    }
    const fields: Fields = {
      amount: String(amount_cents),
      currency: currency.toLowerCase(),
      capture_method: "manual",
      confirm: "true",
      off_session: "true",
      ...methodOf(token),
      "payment_method_types[]": "card",
      "metadata[account]": about?.account_id ?? "",
      "metadata[order_number]": about?.order_number ?? "",
      "metadata[attempt]": key,
      "expand[]": "latest_charge",
    };
    for (let tries = 1; ; tries++) {
      // A key returns its first answer, so a bank that could not process it is asked under another one.
      const own_key = tries === 1 ? key : `${key}-again-${tries}`;
      const answer = await send("/v1/payment_intents", fields, own_key, "authorize payment", about);
      if (answer.status === 200) {
        const made = intentIn(answer);
        if (made.amount_cents !== amount_cents) throw new PaymentRefused("other_amount");
        // The first answer, which may be old.
        const fresh = isReplayed(answer) ? await find(made.reference, about) : made;
        return settled(fresh, token, about);
      }
      const error = errorIn(answer);
      if (error.type === "idempotency_error") {
        const found = await lookUp(key, known?.asked_at ?? now());
        if (found !== null) return settled(found, token, about);
        throw new PaymentRefused("idempotency_error");
      }
      if (answer.status === 402 || error.code === "amount_too_small") {
        const decline = declineOf(error);
        if (decline === "processing_error" && tries < MOST_TRIES) continue;
        const made = readIntent(error.payment_intent);
        if (decline !== "authentication_required" || made === null) return { status: "declined", decline };
        return settled(await find(made.reference, about), token, about);
      }
      if (error.param === "payment_method" || error.param === "customer") {
        return { status: "declined", decline: "unknown_token" };
      }
      throw refusal(answer);
    }
  };

  async function capture({ amount_cents, reference, about }: Parameters<Payments["capture"]>[0]): Promise<Capture> {
    const path = `/v1/payment_intents/${pathPart(reference)}/capture`;
    const fields = { amount_to_capture: String(amount_cents), "expand[]": WITH_CHARGE[0]! };
    // Stripe captures a payment once, so another amount under another key finds it captured.
    const answer = await send(path, fields, `${reference}-capture-${amount_cents}`, "capture payment", about);
    if (answer.status === 401 || answer.status === 403) throw refusal(answer);
    if (answer.status === 402) return { status: "declined", decline: declineOf(errorIn(answer)) };
    const now_is = answer.status === 200 && !isReplayed(answer) ? intentIn(answer) : await find(reference, about);
    if (now_is.state === "captured" && now_is.refunded_cents < now_is.captured_cents) {
      const { captured_cents, refunded_cents, fee_cents } = now_is;
      const kept = Math.min(amount_cents, captured_cents);
      await returnRest(reference, captured_cents - kept - refunded_cents, about);
      return { status: "captured", amount_cents: kept, returned_cents: captured_cents - kept, fee_cents };
    }
    if (now_is.state === "authorized" && answer.status !== 200) throw refusal(answer);
    return { status: "declined", decline: "authorization_ended" };
  }

  /** An earlier capture, whose answer got lost, charged more than the order costs now. */
  async function returnRest(reference: string, amount_cents: number, about?: About): Promise<void> {
    if (amount_cents <= 0) return;
    const fields = { payment_intent: reference, amount: String(amount_cents), "metadata[entry]": `${reference}-rest` };
    accepted(await send("/v1/refunds", fields, `${reference}-rest-${amount_cents}`, "return rest", about));
  }

  async function release(reference: string, about?: About) {
    let refused = "unexpected_state";
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const payment = await find(reference, about);
      const { captured_cents, refunded_cents } = payment;
      if (payment.state === "canceled") return { captured_cents: 0, returned_cents: 0 };
      if (payment.state === "captured" && captured_cents <= refunded_cents) {
        return { captured_cents, returned_cents: refunded_cents };
      }
      const path = `/v1/payment_intents/${pathPart(reference)}/cancel`;
      const answer =
        payment.state === "captured"
          ? await send(
              "/v1/refunds",
              {
                payment_intent: reference,
                amount: String(captured_cents - refunded_cents),
                "metadata[entry]": `${reference}-return`,
              },
              `${reference}-return-${refunded_cents}`,
              "return payment",
              about,
            )
          : // Each try has its own key: a refusal that Stripe repeats would hide that its state changed.
            await send(path, {}, randomUUID(), "void payment", about);
      if (answer.status !== 200) refused = refusal(answer).code;
    }
    const last = await find(reference, about);
    if (last.state === "canceled") return { captured_cents: 0, returned_cents: 0 };
    if (last.state !== "captured" || last.refunded_cents < last.captured_cents) throw new PaymentRefused(refused);
    return { captured_cents: last.captured_cents, returned_cents: last.refunded_cents };
  }

  async function refund({ key, amount_cents, reference, about }: Parameters<Payments["refund"]>[0]): Promise<void> {
    const query = [["payment_intent", reference]] as const;
    for await (const one of pages("/v1/refunds", query, "read refunds")) {
      const { metadata, status } = one as { metadata?: { entry?: unknown } | null; status?: unknown };
      if (metadata?.entry !== key) continue;
      if (status === "failed" || status === "canceled") throw new PaymentRefused(`refund_${status}`);
      return;
    }
    const fields = { payment_intent: reference, amount: String(amount_cents), "metadata[entry]": key };
    const answer = await send("/v1/refunds", fields, key, "refund payment", about);
    if (answer.status === 200) return;
    const { code } = refusal(answer);
    // A person refunded it in Stripe's dashboard.
    if (code === "charge_already_refunded") return;
    throw new PaymentRefused(code);
  }

  async function movements(from: Date, to: Date): Promise<ProviderMovement[]> {
    const seconds = (at: Date) => String(Math.floor(at.getTime() / 1000));
    const query = [
      ["created[gte]", seconds(from)],
      ["created[lt]", seconds(to)],
      ["expand[]", "data.source"],
    ] as const;
    const found: ProviderMovement[] = [];
    for await (const one of pages("/v1/balance_transactions", query, "list movements")) found.push(readMovement(one));
    return found;
  }

  return {
    authorise,
    capture,
    refund,
    async void({ reference }) {
      if (reference !== null) await release(reference);
    },
    records: {
      find,
      release,
      movements,
      readEvent: (body, signature, at) =>
        isSigned(body, signature, webhook_secret, at) ? readEvent(body) : "not_signed",
    },
  };
}

type Fields = Readonly<Record<string, string>>;
const formOf = (fields: Fields) => new URLSearchParams(Object.entries(fields));

/** A token is a payment method, or a customer and one of the customer's payment methods: `cus_…:pm_…`. */
function methodOf(token: string): Fields & { payment_method: string } {
  const [customer, method] = token.split(":", 2) as [string, string?];
  return method === undefined ? { payment_method: token } : { customer, payment_method: method };
}

/** An id comes from Stripe or from our database, and must not change the path. */
function pathPart(id: string): string {
  if (!/^\w{1,255}$/.test(id)) throw new PaymentRefused("unknown_reference");
  return id;
}

const isReplayed = ({ headers }: ProviderAnswer): boolean => headers["idempotent-replayed"] === "true";

function accepted(answer: ProviderAnswer): ProviderAnswer {
  if (answer.status !== 200) throw refusal(answer);
  return answer;
}

function intentIn(answer: ProviderAnswer): ProviderPayment {
  const payment = readIntent(accepted(answer).body);
  if (payment === null) throw new ProviderUnavailable("stripe", "garbage");
  return payment;
}

type SentError = { type?: unknown; code?: unknown; decline_code?: unknown; param?: unknown; payment_intent?: unknown };
function errorIn({ body }: ProviderAnswer): SentError {
  const error = (body as { error?: unknown } | null)?.error;
  return typeof error === "object" && error !== null ? error : {};
}

function refusal(answer: ProviderAnswer): PaymentRefused {
  const { code, type } = errorIn(answer);
  const named = answer.status === 401 ? (code ?? "invalid_api_key") : (code ?? type);
  return new PaymentRefused(typeof named === "string" && /^\w{1,80}$/.test(named) ? named : `http_${answer.status}`);
}

function readMovement(sent: unknown): ProviderMovement {
  const { type, amount, fee, source } = sent as Record<string, unknown>;
  const { payment_intent } = (source ?? {}) as { payment_intent?: unknown };
  const kinds: Record<string, ProviderMovement["kind"]> = {
    charge: "charge",
    payment: "charge",
    refund: "refund",
    payment_refund: "refund",
  };
  return {
    reference: typeof payment_intent === "string" ? payment_intent : null,
    kind: kinds[String(type)] ?? "other",
    amount_cents: typeof amount === "number" ? amount : 0,
    fee_cents: typeof fee === "number" ? fee : 0,
  };
}

/** Events tell that something changed; the state itself is read from the API, so their order does not matter. */
function readEvent(body: Buffer): { reference: string } | null {
  try {
    const { data } = JSON.parse(body.toString("utf8")) as { data?: { object?: Record<string, unknown> } };
    const { object, id, payment_intent } = data?.object ?? {};
    const reference = object === "payment_intent" ? id : payment_intent;
    return typeof reference === "string" && /^pi_\w{1,200}$/.test(reference) ? { reference } : null;
  } catch {
    return null;
  }
}
