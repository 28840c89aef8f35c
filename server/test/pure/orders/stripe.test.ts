import { existsSync, readdirSync, readFileSync } from "node:fs";
import { paymentDeclines } from "@pestle/contract";
import Stripe from "stripe";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { declineOf } from "../../../src/adapters/payments/stripe/decline-codes.ts";
import { isSigned } from "../../../src/adapters/payments/stripe/event-signature.ts";
import { readIntent } from "../../../src/adapters/payments/stripe/stripe-intent.ts";
import { STRIPE_VERSION, stripePayments } from "../../../src/adapters/payments/stripe/stripe-payments.ts";
import { openProviderClient, ProviderUnavailable } from "../../../src/adapters/providers/provider-client.ts";
import { createProviderWatch } from "../../../src/adapters/providers/provider-watch.ts";
import { PaymentRefused } from "../../../src/domain/orders/provider-payment.ts";
import { type StripeStandIn, startStripe } from "../../support/stand-ins/stripe.ts";

let stripe: StripeStandIn;
let moved_ms = 0;
beforeAll(async () => {
  stripe = await startStripe();
});
beforeEach(() => {
  stripe.faults = () => undefined;
  stripe.revoked = false;
  stripe.calls.length = 0;
  moved_ms = 0;
});
afterAll(() => stripe.stop());

const watch = createProviderWatch({ observeProvider: () => {}, setBreaker: () => {} });
const open = (secret_key = stripe.secret_key, base_url = stripe.base_url) =>
  stripePayments({
    client: openProviderClient({
      provider: "stripe",
      base_url,
      headers: { authorization: `Bearer ${secret_key}`, "stripe-version": STRIPE_VERSION },
      watch,
      ticks: () => Date.now(),
      now: () => new Date(),
    }),
    webhook_secret: stripe.webhook_secret,
    return_url: "https://pharmacy.example/",
    now: () => new Date(Date.now() + moved_ms),
  });
let number = 0;
const ask = (token = "pm_card_visa", amount_cents = 1695) => {
  const order_number = `PS-${++number}`;
  const key = `${order_number}-1-${amount_cents}`;
  return { key, amount_cents, currency: "USD", token, about: { account_id: "a1", order_number } };
};
const authorized = async (amount_cents = 1695) => {
  const request = ask("pm_card_visa", amount_cents);
  const made = await open().authorise(request);
  if (made.status !== "authorized") throw new Error("declined");
  return { ...request, reference: made.reference };
};

describe("the stand-in", () => {
  test("serves Stripe's own library", async () => {
    const { port } = new URL(stripe.base_url);
    const sdk = new Stripe(stripe.secret_key, { host: "127.0.0.1", port, protocol: "http", maxNetworkRetries: 0 });
    const intent = await sdk.paymentIntents.create(
      {
        amount: 1000,
        currency: "usd",
        capture_method: "manual",
        confirm: true,
        off_session: true,
        payment_method: "pm_card_visa",
        metadata: { order_number: "SDK" },
      },
      { idempotencyKey: "sdk-1" },
    );
    expect(intent).toMatchObject({ status: "requires_capture", amount_capturable: 1000 });
    const captured = await sdk.paymentIntents.capture(intent.id, { amount_to_capture: 700 });
    expect(captured).toMatchObject({ status: "succeeded", amount_received: 700 });
    const refund = await sdk.refunds.create({ payment_intent: intent.id, amount: 200 });
    expect(refund).toMatchObject({ status: "succeeded", amount: 200 });
    expect((await sdk.refunds.list({ payment_intent: intent.id })).data).toHaveLength(1);
    expect((await sdk.paymentIntents.list({ limit: 1 })).data[0]?.id).toBe(intent.id);
    const full = await sdk.paymentIntents.retrieve(intent.id, { expand: ["latest_charge.balance_transaction"] });
    expect(full.latest_charge).toMatchObject({ amount_refunded: 200, balance_transaction: { fee: 50 } });
    const same = { amount: 999, currency: "usd", payment_method: "pm_card_visa" };
    await expect(sdk.paymentIntents.create(same, { idempotencyKey: "sdk-1" })).rejects.toMatchObject({
      type: "StripeIdempotencyError",
    });
    await expect(
      sdk.paymentIntents.create({ ...same, payment_method: "pm_card_chargeDeclined", confirm: true }),
    ).rejects.toMatchObject({ type: "StripeCardError", code: "card_declined" });
    await expect(sdk.paymentIntents.cancel(intent.id)).rejects.toMatchObject({
      code: "payment_intent_unexpected_state",
    });
    const event = stripe.books.events.at(-1)!;
    const body = JSON.stringify(event);
    expect(sdk.webhooks.constructEvent(body, stripe.sign(body), stripe.webhook_secret).id).toBe(event.id);
  });

  test("refuses what Stripe refuses", async () => {
    const call = (path: string, init: RequestInit = {}) =>
      fetch(`${stripe.base_url}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${stripe.secret_key}`, "stripe-version": "1", ...init.headers },
      });
    const form = (fields: Record<string, string>) => ({ method: "POST", body: new URLSearchParams(fields).toString() });
    const encoded = { "content-type": "application/x-www-form-urlencoded" };
    expect((await fetch(`${stripe.base_url}/v1/balance`)).status).toBe(401);
    expect((await call("/v1/nothing")).status).toBe(404);
    expect((await call("/v1/payment_intents", { method: "POST", body: "{}" })).status).toBe(415);
    const unknown = { ...form({ amount: "100", currency: "usd", color: "red" }), headers: encoded };
    expect((await call("/v1/payment_intents", unknown)).status).toBe(400);
    const { reference } = await authorized();
    const more = { ...form({ amount_to_capture: "1696" }), headers: encoded };
    expect((await call(`/v1/payment_intents/${reference}/capture`, more)).status).toBe(400);
  });
});

describe("a payment", () => {
  test("is authorized, captured in part, and refunded; a repeated call takes effect once", async () => {
    const payments = open();
    const request = ask();
    const made = await payments.authorise(request);
    expect(made).toMatchObject({ status: "authorized" });
    expect(await payments.authorise(request)).toEqual(made);
    const { reference } = made as { reference: string };
    const { account_id, order_number } = request.about;
    expect(stripe.books.intent(reference).metadata).toEqual({
      account: account_id,
      order_number,
      attempt: request.key,
    });
    const capture = { ...request, amount_cents: 1200, reference };
    expect(await payments.capture(capture)).toEqual({
      ...{ status: "captured", amount_cents: 1200, returned_cents: 0, fee_cents: 65 },
    });
    // Charged once, and what a later call asks for less goes back.
    const less = { status: "captured", amount_cents: 1150, returned_cents: 50, fee_cents: 65 };
    expect(await payments.capture({ ...capture, amount_cents: 1150 })).toEqual(less);
    expect(await payments.capture({ ...capture, amount_cents: 1150 })).toEqual(less);
    for (let twice = 0; twice < 2; twice++) await payments.refund({ key: "entry-1", amount_cents: 500, reference });
    expect(stripe.books.moneyOf(order_number)).toEqual({ held: 0, taken: 650 });
    // Stripe forgets keys, and the refund still happens once.
    moved_ms = 30 * 60 * 60 * 1000;
    await payments.refund({ key: "entry-1", amount_cents: 500, reference });
    expect(stripe.books.moneyOf(order_number)).toEqual({ held: 0, taken: 650 });
    expect(await payments.records.find(reference)).toMatchObject({ state: "captured", refunded_cents: 550 });
  });

  for (const fault of ["lose_answer", "lose_request", "double", "server_error", "too_many", "garbage"] as const) {
    test(`survives a fault of the first answer: ${fault}`, async () => {
      const once = () => {
        let left = 1;
        stripe.faults = () => (left-- > 0 ? fault : undefined);
      };
      const payments = open();
      const request = ask();
      once();
      const { reference } = (await payments.authorise(request)) as { reference: string };
      once();
      expect(await payments.capture({ ...request, reference })).toMatchObject({ amount_cents: 1695 });
      once();
      await payments.refund({ key: `${reference}-1`, amount_cents: 600, reference });
      const { order_number } = request.about;
      expect(stripe.books.moneyOf(order_number)).toEqual({ held: 0, taken: 1095 });
      once();
      expect(await payments.records.release(reference)).toEqual({ captured_cents: 1695, returned_cents: 1695 });
      expect(stripe.books.moneyOf(order_number)).toEqual({ held: 0, taken: 0 });
    });
  }

  test("whose every answer is lost is found a day later", async () => {
    const request = ask();
    stripe.faults = () => "lose_answer";
    const asked_at = new Date();
    await expect(open().authorise(request)).rejects.toThrow(ProviderUnavailable);
    stripe.faults = () => undefined;
    moved_ms = 30 * 60 * 60 * 1000;
    const found = await open().authorise({ ...request, known: { asked_at, reference: null } });
    expect(found).toMatchObject({ status: "authorized" });
    expect(stripe.books.moneyOf(request.about.order_number)).toEqual({ held: 1695, taken: 0 });
  });

  test("is released, before and after the capture, once", async () => {
    const payments = open();
    const held = await authorized();
    for (let twice = 0; twice < 2; twice++) {
      expect(await payments.records.release(held.reference)).toEqual({ captured_cents: 0, returned_cents: 0 });
    }
    expect(await payments.capture(held)).toEqual({ status: "declined", decline: "authorization_ended" });
    const charged = await authorized();
    await payments.capture(charged);
    for (let twice = 0; twice < 2; twice++) {
      expect(await payments.records.release(charged.reference)).toMatchObject({ returned_cents: 1695 });
    }
    // A charge that went back pays for nothing.
    expect(await payments.capture(charged)).toMatchObject({ status: "declined" });
  });

  test("that a capture overtakes while it is released goes back", async () => {
    const held = await authorized();
    stripe.faults = ({ path }) => {
      if (!path.endsWith("/cancel")) return undefined;
      stripe.faults = () => undefined;
      stripe.books.captureByHand(held.reference);
      return undefined;
    };
    expect(await open().records.release(held.reference)).toEqual({ captured_cents: 1695, returned_cents: 1695 });
  });

  test("with a known key and another body is found by the key", async () => {
    const request = ask();
    const { reference } = (await open().authorise(request)) as { reference: string };
    const other = { ...request, token: "pm_card_mastercard", known: { asked_at: new Date(), reference: null } };
    expect(await open().authorise(other)).toMatchObject({ status: "authorized", reference });
  });
});

describe("a card that is declined", () => {
  const cards = {
    pm_card_chargeDeclined: "card_declined",
    pm_card_chargeDeclinedInsufficientFunds: "insufficient_funds",
    pm_card_chargeDeclinedExpiredCard: "expired_card",
    pm_card_chargeDeclinedIncorrectCvc: "incorrect_cvc",
    pm_card_chargeDeclinedFraudulent: "call_bank",
    pm_card_chargeDeclinedLostCard: "call_bank",
    pm_card_chargeDeclinedProcessingError: "processing_error",
    pm_unknown: "unknown_token",
    tok_visa: "unknown_token",
  } as const;
  for (const [token, decline] of Object.entries(cards)) {
    test(`has a reason that a partner can act on: ${token}`, async () => {
      expect(await open().authorise(ask(token))).toEqual({ status: "declined", decline });
      // The bank may answer another time, and Stripe repeats the answer of a key.
      expect(stripe.calls).toHaveLength(decline === "processing_error" ? 3 : 1);
    });
  }

  test("until the patient confirms the payment has a link", async () => {
    const payments = open();
    const request = ask("pm_card_authenticationRequired");
    const asked = await payments.authorise(request);
    expect(asked).toMatchObject({ status: "declined", decline: "authentication_required" });
    const { reference, url } = asked as { reference: string; url: string };
    expect(url).toMatch(/^https:\/\//);
    expect(await payments.authorise(request)).toEqual(asked);
    stripe.books.authenticate(reference);
    expect(await payments.authorise(request)).toMatchObject({ status: "authorized", reference });
  });

  test("with an unknown reason is a plain decline, and no text tells of fraud", () => {
    expect(declineOf({ code: "card_declined", decline_code: "new_reason" })).toBe("card_declined");
    expect(declineOf({})).toBe("card_declined");
    for (const text of Object.values(paymentDeclines)) expect(text).not.toMatch(/fraud|stolen|lost/i);
  });
});

describe("a call that Stripe refuses", () => {
  test("with a wrong or a revoked key names the reason and no key", async () => {
    const refused = open("sk_live_wrong")
      .authorise(ask())
      .catch((error: Error) => error);
    expect(await refused).toEqual(new PaymentRefused("invalid_api_key"));
    stripe.revoked = true;
    await expect(open().authorise(ask())).rejects.toThrow("api_key_expired");
  });

  test("with no usable answer at all is unavailable", async () => {
    stripe.faults = () => "garbage";
    await expect(open().authorise(ask())).rejects.toThrow(ProviderUnavailable);
  });
});

describe("a signature", () => {
  const body = Buffer.from('{"id":"evt_1"}');
  const now = new Date("2026-03-01T12:00:00Z");
  const at_s = now.getTime() / 1000;
  const sign = (at = at_s, secret = stripe.webhook_secret) => stripe.sign(body.toString(), at, secret);
  const fits = (header: string | undefined, secret = stripe.webhook_secret) => isSigned(body, header, secret, now);

  test("fits its body, its secret and its time", () => {
    expect(fits(sign())).toBe(true);
    expect(fits(`${sign(at_s, "whsec_other")},${sign().split(",")[1]}`)).toBe(true);
    expect(fits(sign(at_s - 299))).toBe(true);
    expect(fits(sign(at_s - 301))).toBe(false);
    expect(fits(sign(at_s + 301))).toBe(false);
    expect(fits(sign(at_s, "whsec_other"))).toBe(false);
    expect(fits(sign(), "")).toBe(false);
    expect(isSigned(Buffer.from("{}"), sign(), stripe.webhook_secret, now)).toBe(false);
    for (const header of [undefined, "", "t=,v1=", "v1=00", `t=${at_s}`, `t=x,v1=${"0".repeat(64)}`, "t=1,v1=zz"]) {
      expect(fits(header)).toBe(false);
    }
  });
});

/** Recorded exchanges with Stripe itself, beside the repository where they exist. */
const RECORDINGS = new URL("../../../../../shared/recordings/stripe/", import.meta.url);
const IS_OURS = /^(POST|GET) \/v1\/(payment_intents(\/\w+(\/(capture|cancel|confirm))?)?|refunds)(\?|$)/;
/** Calls in the recordings that the service does not make. */
const OTHERS = {
  "/v1/customers": "the partner keeps its own customers",
  "/v1/payment_methods": "the partner creates payment methods",
  "/v1/plans": "the service has no subscriptions",
  "/v1/webhook_endpoints": "the operator adds the endpoint in Stripe's dashboard",
  "/v1/charges": "the charge comes with its payment intent",
  "/v1/invoice_payments": "the service has no invoices",
};
describe.skipIf(!existsSync(RECORDINGS))("a recorded exchange", () => {
  type Exchange = { method: string; path: string; status: number; answer: unknown };
  const names = existsSync(RECORDINGS) ? readdirSync(RECORDINGS).filter((name) => name.endsWith(".json")) : [];
  // The recorders hid characters that looked like secrets, and stored such answers as text.
  const shown = (text: string) => text.replaceAll("<VENDOR_ID>", "1").replaceAll("<VENDOR_AUTH_CODE>", "x");
  for (const name of names) {
    const text = shown(readFileSync(new URL(name, RECORDINGS), "utf8"));
    const { exchanges } = JSON.parse(text) as { exchanges: Exchange[] };
    for (const [at, { method, path, status, answer }] of exchanges.entries()) {
      const line = `${method} ${path}`;
      if (!IS_OURS.test(line)) {
        test(`is of another kind, and listed: ${name} ${at}`, () => {
          expect(Object.keys(OTHERS).some((prefix) => path.startsWith(prefix))).toBe(true);
        });
        continue;
      }
      test(`is read: ${name} ${at}`, () => {
        expect(status).toBe(200);
        const sent = (typeof answer === "string" ? JSON.parse(answer) : answer) as {
          id: string;
          object: string;
          amount: number;
          status: string;
          amount_received?: number;
        };
        if (sent.object === "refund") return expect(sent).toMatchObject({ status: "succeeded" });
        expect(readIntent(sent)).toMatchObject({
          reference: sent.id,
          amount_cents: sent.amount,
          captured_cents: sent.amount_received,
          of: null,
        });
      });
    }
  }
});
