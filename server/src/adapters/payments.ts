/**
 * Where a patient's money comes from. Every call carries a key of its own, so that one that is sent again after a
 * timeout happens once. Called outside every transaction; a call that throws is made again later.
 *
 * A provider with payment intents fits as it is: `authorise` confirms an intent that is captured by hand and gives its
 * id as `reference`, the others name that id; `key` goes out as the idempotency key.
 */
export interface Payments {
  authorise(request: Keyed & { currency: string; token: string }): Promise<Authorisation>;
  /** At most what was authorised. */
  capture(request: Keyed & { reference: string }): Promise<Capture>;
  /** Lets go of what was authorised under a key, and gives back what was captured meanwhile. Nothing there is fine. */
  void(request: { key: string; reference: string | null; authorised_as: string }): Promise<void>;
  refund(request: Keyed & { reference: string }): Promise<void>;
}
type Keyed = { key: string; amount_cents: number };

/** Asked again under the same key, it tells what was taken the first time. */
type Capture = { status: "captured"; amount_cents: number } | { status: "declined" };
type Authorisation = { status: "authorized"; reference: string } | { status: "declined" };

/** The sandbox's card that is always declined, and the one that is declined when it is charged. */
const DECLINED_TOKEN = "tok_declined";
const DECLINED_LATER_TOKEN = "tok_declined_at_capture";
const DECLINED_LATER = "sim_declined_";

/** Stands in for a payment provider: every card is good but two. */
export const simulatedPayments: Payments = {
  async authorise({ key, token }) {
    if (token === DECLINED_TOKEN) return { status: "declined" };
    return { status: "authorized", reference: `${token === DECLINED_LATER_TOKEN ? DECLINED_LATER : "sim_"}${key}` };
  },
  async capture({ reference, amount_cents }) {
    return reference.startsWith(DECLINED_LATER) ? { status: "declined" } : { status: "captured", amount_cents };
  },
  async void() {},
  async refund() {},
};
