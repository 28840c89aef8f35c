import type { PaymentDecline } from "@pestle/contract";

/** The provider refuses a call, and another try alone would not change that. A person must look. */
export class PaymentRefused extends Error {
  override name = "PaymentRefused";
  /** The provider's own code, such as `api_key_expired`. */
  readonly code: string;
  constructor(code: string) {
    super(`the payment provider refuses the call (${code})`);
    this.code = code;
  }
}

/** A payment as the provider has it now. */
export type ProviderPayment = {
  reference: string;
  /** Whose payment it is. Null if it does not come from this service. */
  of: { account_id: string; order_number: string; key: string } | null;
  state: "declined" | "waiting" | "authorized" | "captured" | "canceled";
  amount_cents: number;
  captured_cents: number;
  refunded_cents: number;
  /** What the provider keeps of the charge, if it says so. */
  fee_cents: number | null;
  disputed: boolean;
  /** When the bank lets an authorization go. */
  expires_at: Date | null;
  decline: PaymentDecline | null;
  /** Where the patient confirms the payment, while it waits for that. */
  url: string | null;
};

/** A movement of money in the provider's books. A refund is negative. */
export type ProviderMovement = {
  reference: string | null;
  kind: "charge" | "refund" | "other";
  amount_cents: number;
  fee_cents: number;
};

/** The order that a call is about. */
export type About = { account_id: string; order_number: string };
