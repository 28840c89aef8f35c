import type { About, ProviderMovement, ProviderPayment } from "../../domain/orders/provider-payment.ts";

/**
 * A provider that keeps books of its own. Ours are compared with them, and each authorization is written down before the
 * call, so that one whose answer got lost can be found and released.
 */
export type PaymentRecords = {
  find(reference: string, about?: About): Promise<ProviderPayment>;
  /** Lets an authorization go, or returns what was charged. Says what was charged and returned in total. */
  release(reference: string, about?: About): Promise<{ captured_cents: number; returned_cents: number }>;
  movements(from: Date, to: Date): Promise<ProviderMovement[]>;
  /** The payment that a signed message of the provider is about; null for a message about something else. */
  readEvent(body: Buffer, signature: string | undefined, now: Date): { reference: string } | null | "not_signed";
};
