import { magicCards, type PaymentDecline } from "@pestle/contract";
import type { About } from "../../domain/orders/provider-payment.ts";
import { ProviderMissing } from "../providers/provider-missing.ts";
import type { PaymentRecords } from "./payment-records.ts";

/**
 * The payment provider for patient payments. Every call carries its own key, so a call repeated after a timeout takes
 * effect once. Called outside transactions; a job retries a call that throws.
 *
 * A provider with payment intents fits directly: `authorise` confirms an intent with manual capture and returns its id as
 * `reference`, which the other calls pass back; `key` is the idempotency key.
 */
export interface Payments {
  /** `known`: an earlier call with the same key, whose answer may be lost. */
  authorise(request: Keyed & { currency: string; token: string; known?: KnownCall }): Promise<Authorisation>;
  /** At most the authorized amount. */
  capture(request: Keyed & { reference: string }): Promise<Capture>;
  /** Voids the authorization made under a key and refunds what was captured since. Does nothing if there is none. */
  void(request: { key: string; reference: string | null; authorised_as: string }): Promise<void>;
  refund(request: Keyed & { reference: string }): Promise<void>;
  /** Absent for a simulator, which forgets every call. */
  records?: PaymentRecords;
}
type Keyed = { key: string; amount_cents: number; about?: About };
/** When we first sent it, and the provider's id if we know it. */
type KnownCall = { asked_at: Date; reference: string | null };

/** A repeated call with the same key returns the amount captured the first time. */
export type Capture =
  /** `returned_cents`: what an earlier call had charged beyond this amount, and what went back. */
  | { status: "captured"; amount_cents: number; returned_cents?: number; fee_cents?: number | null }
  | { status: "declined"; decline?: PaymentDecline };
export type Authorisation =
  | { status: "authorized"; reference: string; expires_at?: Date | null }
  /** `reference` and `url`: the patient can still confirm the payment there. */
  | { status: "declined"; decline?: PaymentDecline; reference?: string; url?: string | null };

const DECLINED_LATER = "sim_declined_";

/** A simulated payment provider that accepts every card but two. */
export const simulatedPayments: Payments = {
  async authorise({ key, token }) {
    if (token === magicCards.declined.token) return { status: "declined" };
    const later = token === magicCards.declined_at_capture.token;
    return { status: "authorized", reference: `${later ? DECLINED_LATER : "sim_"}${key}` };
  },
  async capture({ reference, amount_cents }) {
    return reference.startsWith(DECLINED_LATER) ? { status: "declined" } : { status: "captured", amount_cents };
  },
  async void() {},
  async refund() {},
};

/** The same for production, which knows no magic cards. */
export const simulatedInProduction: Payments = {
  ...simulatedPayments,
  authorise: async ({ key }) => ({ status: "authorized", reference: `sim_${key}` }),
};

/** Production without a payment provider. An order that needs one is refused before it is saved. */
export const noPayments: Payments = {
  authorise: async () => refuse(),
  capture: async () => refuse(),
  // Orders of an earlier provider, or of the simulator, whose calls cannot be made now. The job tries them again.
  void: async () => refuse(),
  refund: async () => refuse(),
};

function refuse(): never {
  throw new ProviderMissing("payments");
}
