import { randomBytes } from "node:crypto";

export type Intent = {
  id: string;
  object: "payment_intent";
  amount: number;
  amount_capturable: number;
  amount_received: number;
  currency: string;
  capture_method: string;
  created: number;
  canceled_at: number | null;
  cancellation_reason: string | null;
  customer: string | null;
  metadata: Record<string, string>;
  payment_method: string | null;
  latest_charge: string | null;
  last_payment_error: Record<string, unknown> | null;
  next_action: { type: "redirect_to_url"; redirect_to_url: { url: string; return_url: string } } | null;
  status: "requires_payment_method" | "requires_action" | "requires_capture" | "succeeded" | "canceled";
  livemode: true;
};
export type Charge = {
  id: string;
  object: "charge";
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  captured: boolean;
  created: number;
  disputed: boolean;
  refunded: boolean;
  payment_intent: string;
  metadata: Record<string, string>;
  balance_transaction: string | null;
  payment_method_details: { type: "card"; card: { capture_before: number } };
  status: "succeeded";
};
export type Refund = {
  id: string;
  object: "refund";
  amount: number;
  charge: string;
  payment_intent: string;
  created: number;
  metadata: Record<string, string>;
  status: "succeeded";
};
export type Transaction = {
  id: string;
  object: "balance_transaction";
  amount: number;
  fee: number;
  net: number;
  created: number;
  currency: string;
  type: "charge" | "refund" | "adjustment";
  source: string;
};
type StripeEvent = {
  id: string;
  object: "event";
  api_version: string;
  created: number;
  livemode: true;
  type: string;
  data: { object: Record<string, unknown> };
};

type OrdersMoney = { held: number; taken: number };

export class StripeError extends Error {
  readonly status: number;
  readonly body: Record<string, unknown>;
  constructor(status: number, body: Record<string, unknown> & { message: string }) {
    super(body.message);
    this.status = status;
    this.body = body;
  }
}

/** What a payment method does when it is charged. Stripe's test cards have these names. */
const declines: Record<string, { code: string; decline_code?: string }> = {
  pm_card_chargeDeclined: { code: "card_declined", decline_code: "generic_decline" },
  pm_card_chargeDeclinedInsufficientFunds: { code: "card_declined", decline_code: "insufficient_funds" },
  pm_card_chargeDeclinedFraudulent: { code: "card_declined", decline_code: "fraudulent" },
  pm_card_chargeDeclinedLostCard: { code: "card_declined", decline_code: "lost_card" },
  pm_card_chargeDeclinedExpiredCard: { code: "expired_card" },
  pm_card_chargeDeclinedIncorrectCvc: { code: "incorrect_cvc" },
  pm_card_chargeDeclinedProcessingError: { code: "processing_error" },
};
const AUTHENTICATES = "pm_card_authenticationRequired";
const UNKNOWN = "pm_unknown";

const AUTHORIZED_FOR_S = 7 * 24 * 60 * 60;
const FEE_SHARE = 0.029;
const FEE_FIXED_CENTS = 30;

/** Payment intents, charges, refunds and the balance, with the rules by which Stripe moves them. */
export function openBooks(now: () => number) {
  const intents = new Map<string, Intent>();
  const charges = new Map<string, Charge>();
  const refunds = new Map<string, Refund>();
  const transactions: Transaction[] = [];
  const events: StripeEvent[] = [];
  const seconds = () => Math.floor(now() / 1000);
  const id = (prefix: string) => `${prefix}_${randomBytes(12).toString("hex")}`;

  const tell = (type: string, object: Record<string, unknown>) =>
    void events.push({
      id: id("evt"),
      object: "event",
      api_version: "2025-08-27.basil",
      created: seconds(),
      livemode: true,
      type,
      data: { object: structuredClone(object) },
    });
  const book = (type: Transaction["type"], amount: number, fee: number, source: string): string => {
    const made = id("txn");
    const row = { amount, fee, net: amount - fee, created: seconds(), currency: "usd", type, source };
    transactions.push({ id: made, object: "balance_transaction", ...row });
    return made;
  };
  const intent = (of: string): Intent => {
    const found = intents.get(of);
    if (found === undefined) {
      throw new StripeError(404, {
        type: "invalid_request_error",
        code: "resource_missing",
        param: "intent",
        message: `No such payment_intent: '${of}'`,
      });
    }
    return found;
  };
  const chargeOf = (of: Intent) => charges.get(of.latest_charge!)!;
  const unexpected = (of: Intent, doing: string) =>
    new StripeError(400, {
      type: "invalid_request_error",
      code: "payment_intent_unexpected_state",
      message: `This PaymentIntent could not be ${doing} because it has a status of ${of.status}.`,
      payment_intent: { ...of },
    });

  /** The bank's answer to a confirmation. */
  const confirm = (of: Intent, off_session: boolean, return_url: string | null) => {
    const method = of.payment_method!;
    const declined =
      method === AUTHENTICATES && off_session
        ? { code: "authentication_required", decline_code: "authentication_required" }
        : declines[method];
    if (declined !== undefined) {
      of.status = "requires_payment_method";
      of.last_payment_error = { type: "card_error", ...declined, message: "Your card was declined." };
      tell("payment_intent.payment_failed", of);
      throw new StripeError(402, {
        type: "card_error",
        ...declined,
        message: "Your card was declined.",
        payment_intent: { ...of },
      });
    }
    if (method === AUTHENTICATES) {
      const url = `https://hooks.stripe.test/redirect/authenticate/${of.id}`;
      of.status = "requires_action";
      of.next_action = { type: "redirect_to_url", redirect_to_url: { url, return_url: return_url ?? "" } };
      tell("payment_intent.requires_action", of);
      return;
    }
    authorize(of);
  };
  const authorize = (of: Intent) => {
    const charge: Charge = {
      id: id("ch"),
      object: "charge",
      amount: of.amount,
      amount_captured: 0,
      amount_refunded: 0,
      captured: false,
      created: seconds(),
      disputed: false,
      refunded: false,
      payment_intent: of.id,
      metadata: { ...of.metadata },
      balance_transaction: null,
      payment_method_details: { type: "card", card: { capture_before: seconds() + AUTHORIZED_FOR_S } },
      status: "succeeded",
    };
    charges.set(charge.id, charge);
    of.latest_charge = charge.id;
    of.next_action = null;
    of.status = "requires_capture";
    of.amount_capturable = of.amount;
    tell("payment_intent.amount_capturable_updated", of);
    if (of.capture_method === "automatic") capture(of, of.amount);
  };
  const capture = (of: Intent, amount: number) => {
    const charge = chargeOf(of);
    of.status = "succeeded";
    of.amount_capturable = 0;
    of.amount_received = amount;
    charge.captured = true;
    charge.amount_captured = amount;
    const fee = Math.round(amount * FEE_SHARE) + FEE_FIXED_CENTS;
    charge.balance_transaction = book("charge", amount, fee, charge.id);
    tell("payment_intent.succeeded", of);
    tell("charge.captured", charge);
  };
  const refund = (of: Intent, amount: number, metadata: Record<string, string>): Refund => {
    const charge = chargeOf(of);
    charge.amount_refunded += amount;
    charge.refunded = charge.amount_refunded === charge.amount_captured;
    const made: Refund = {
      id: id("re"),
      object: "refund",
      amount,
      charge: charge.id,
      payment_intent: of.id,
      created: seconds(),
      metadata,
      status: "succeeded",
    };
    refunds.set(made.id, made);
    book("refund", -amount, 0, made.id);
    tell("charge.refunded", charge);
    return made;
  };

  const moneyByOrder = (): Map<string, OrdersMoney> => {
    const money = new Map<string, OrdersMoney>();
    for (const { metadata, latest_charge, amount_capturable, amount_received } of intents.values()) {
      const order_number = metadata["order_number"] ?? "";
      const { held, taken } = money.get(order_number) ?? { held: 0, taken: 0 };
      const returned = latest_charge === null ? 0 : charges.get(latest_charge)!.amount_refunded;
      money.set(order_number, { held: held + amount_capturable, taken: taken + amount_received - returned });
    }
    return money;
  };

  return {
    intents,
    charges,
    refunds,
    transactions,
    events,
    intent,
    createIntent(params: URLSearchParams): Intent {
      const amount = whole(params, "amount");
      if (amount < 50) {
        throw new StripeError(400, {
          type: "invalid_request_error",
          code: "amount_too_small",
          param: "amount",
          message: "Amount must be at least $0.50 usd",
        });
      }
      const method = params.get("payment_method");
      requireMethod(method);
      const made: Intent = {
        id: id("pi"),
        object: "payment_intent",
        amount,
        amount_capturable: 0,
        amount_received: 0,
        currency: required(params, "currency").toLowerCase(),
        capture_method: oneOf(params, "capture_method", ["automatic", "manual"]),
        created: seconds(),
        canceled_at: null,
        cancellation_reason: null,
        customer: params.get("customer"),
        metadata: metadataOf(params),
        payment_method: method,
        latest_charge: null,
        last_payment_error: null,
        next_action: null,
        status: "requires_payment_method",
        livemode: true,
      };
      if (params.has("off_session") && params.get("confirm") !== "true") {
        throw new StripeError(400, {
          type: "invalid_request_error",
          param: "off_session",
          message: "off_session needs confirm.",
        });
      }
      intents.set(made.id, made);
      tell("payment_intent.created", made);
      if (params.get("confirm") === "true") confirm(made, params.get("off_session") === "true", null);
      return made;
    },
    confirmIntent(of: string, params: URLSearchParams): Intent {
      const found = intent(of);
      if (found.status !== "requires_payment_method") throw unexpected(found, "confirmed");
      requireMethod(params.get("payment_method") ?? found.payment_method);
      found.payment_method = params.get("payment_method") ?? found.payment_method;
      confirm(found, params.get("off_session") === "true", params.get("return_url"));
      return found;
    },
    captureIntent(of: string, params: URLSearchParams): Intent {
      const found = intent(of);
      if (found.status !== "requires_capture") throw unexpected(found, "captured");
      const amount = params.has("amount_to_capture") ? whole(params, "amount_to_capture") : found.amount;
      if (amount > found.amount_capturable) {
        throw new StripeError(400, {
          type: "invalid_request_error",
          code: "amount_too_large",
          param: "amount_to_capture",
          message: "The amount could not be captured because it is greater than the remaining amount.",
        });
      }
      capture(found, amount);
      return found;
    },
    cancelIntent(of: string, reason: string | null = null): Intent {
      const found = intent(of);
      if (found.status === "succeeded" || found.status === "canceled") throw unexpected(found, "canceled");
      found.status = "canceled";
      found.amount_capturable = 0;
      found.canceled_at = seconds();
      found.cancellation_reason = reason;
      found.next_action = null;
      tell("payment_intent.canceled", found);
      return found;
    },
    createRefund(params: URLSearchParams): Refund {
      const found = intent(required(params, "payment_intent"));
      if (found.status !== "succeeded") throw unexpected(found, "refunded");
      const charge = chargeOf(found);
      if (charge.refunded) {
        throw new StripeError(400, {
          type: "invalid_request_error",
          code: "charge_already_refunded",
          message: "Charge has already been refunded.",
        });
      }
      const left = charge.amount_captured - charge.amount_refunded;
      const amount = params.has("amount") ? whole(params, "amount") : left;
      if (amount > left) {
        throw new StripeError(400, {
          type: "invalid_request_error",
          param: "amount",
          message: "Refund amount is greater than unrefunded amount on charge.",
        });
      }
      return refund(found, amount, metadataOf(params));
    },
    sourceOf: ({ source }: Transaction) =>
      charges.get(source) ?? refunds.get(source) ?? { id: source, object: "dispute" },

    /** The patient proves to the bank who they are. */
    authenticate: (of: string) => authorize(intent(of)),
    /** The bank lets the money go. */
    expire(of: string): void {
      this.cancelIntent(of, "automatic");
    },
    /** A person refunds or captures in Stripe's own dashboard. */
    refundByHand: (of: string, amount: number) => refund(intent(of), amount, {}),
    captureByHand: (of: string) => capture(intent(of), intent(of).amount_capturable),
    dispute(of: string): void {
      const charge = chargeOf(intent(of));
      charge.disputed = true;
      const made = { id: id("dp"), object: "dispute", amount: charge.amount_captured, charge: charge.id };
      book("adjustment", -charge.amount_captured, 1500, made.id);
      tell("charge.dispute.created", { ...made, payment_intent: of, status: "needs_response" });
    },
    /** The money of an order, over all its payment intents: authorized, and charged less refunds. */
    moneyOf: (order_number: string): OrdersMoney => moneyByOrder().get(order_number) ?? { held: 0, taken: 0 },
    moneyByOrder,
  };
}

function requireMethod(method: string | null): void {
  if (method !== null && /^pm_\w+$/.test(method) && method !== UNKNOWN) return;
  throw new StripeError(400, {
    type: "invalid_request_error",
    code: "resource_missing",
    param: "payment_method",
    message: "No such PaymentMethod",
  });
}

function required(params: URLSearchParams, name: string): string {
  const value = params.get(name);
  if (value !== null && value !== "") return value;
  throw new StripeError(400, {
    type: "invalid_request_error",
    code: "parameter_missing",
    param: name,
    message: `Missing required param: ${name}.`,
  });
}

function whole(params: URLSearchParams, name: string): number {
  const value = required(params, name);
  if (/^\d{1,8}$/.test(value)) return Number(value);
  throw new StripeError(400, {
    type: "invalid_request_error",
    code: "parameter_invalid_integer",
    param: name,
    message: `Invalid integer: ${value}`,
  });
}

function oneOf(params: URLSearchParams, name: string, values: readonly [string, ...string[]]): string {
  const value = params.get(name) ?? values[0];
  if (values.includes(value)) return value;
  throw new StripeError(400, { type: "invalid_request_error", param: name, message: `Invalid ${name}` });
}

function metadataOf(params: URLSearchParams): Record<string, string> {
  const named = [...params].flatMap(([name, value]) => {
    const inner = /^metadata\[(\w+)\]$/.exec(name)?.[1];
    return inner === undefined ? [] : [[inner, value] as const];
  });
  return Object.fromEntries(named);
}
