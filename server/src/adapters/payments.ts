/**
 * Where a patient's money comes from. Every call carries a key of its own, so that one that is sent again after a
 * timeout happens once. Called outside every transaction.
 */
export interface Payments {
  authorise(request: { key: string; amount_cents: number; currency: string; token: string }): Promise<Authorisation>;
}

type Authorisation = { status: "authorized"; reference: string } | { status: "declined" };

/** The sandbox's card that is always declined. */
const DECLINED_TOKEN = "tok_declined";

/** Stands in for a payment provider: every card is good but one. */
export const simulatedPayments: Payments = {
  async authorise({ key, token }) {
    return token === DECLINED_TOKEN ? { status: "declined" } : { status: "authorized", reference: `sim_${key}` };
  },
};
