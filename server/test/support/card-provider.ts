import type { Payments } from "../../src/adapters/payments/payments.ts";
import type { TestApp } from "./test-app.ts";

type Card = { key: string; reference: string; token: string; authorised: number; captured: number; refunded: number };

export const moments = ["before", "after"] as const;
type Moment = (typeof moments)[number];

/**
 * A fake card payment provider with its own ledger: a key takes effect once, a released authorization cannot be
 * captured, and a refund needs a capture. `plays` run once, before the next call of a kind or between the call and
 * its answer.
 */
export function useCardProvider(app: { deps: Pick<TestApp["deps"], "payments"> }) {
  const cards = new Map<string, Card>();
  const answered = new Map<string, unknown>();
  const calls: string[] = [];
  const plays: Record<Moment, { [Call in keyof Payments]?: () => Promise<unknown> }> = { before: {}, after: {} };
  const play = async (moment: Moment, call: keyof Payments) => {
    const happens = plays[moment][call];
    delete plays[moment][call];
    await happens?.();
  };
  const own = {
    cards,
    calls,
    plays,
    /** The authorized and captured amounts of an order, over all its attempts. */
    booksOf(order_number: string) {
      const of = [...cards.values()].filter(({ key }) => key.startsWith(order_number));
      const sum = (amount: (card: Card) => number) => of.reduce((total, card) => total + amount(card), 0);
      return {
        held: sum(({ authorised }) => authorised),
        taken: sum(({ captured, refunded }) => captured - refunded),
      };
    },
  };
  const once = async <Done>(call: keyof Payments, key: string, happen: () => Done): Promise<Done> => {
    calls.push(`${call} ${key}`);
    await play("before", call);
    const done = answered.has(key) ? (answered.get(key) as Done) : happen();
    answered.set(key, done);
    await play("after", call);
    return done;
  };
  app.deps.payments.sandbox = {
    authorise: ({ key, amount_cents, token }) =>
      once("authorise", key, () => {
        if (token === "tok_declined") return { status: "declined" as const };
        const reference = `card_${key}`;
        cards.set(reference, { key, reference, token, authorised: amount_cents, captured: 0, refunded: 0 });
        return { status: "authorized" as const, reference };
      }),
    capture: ({ key, amount_cents, reference }) =>
      once("capture", key, () => {
        const card = cards.get(reference)!;
        if (card.token === "tok_declined_at_capture" || amount_cents > card.authorised) {
          return { status: "declined" as const };
        }
        Object.assign(card, { authorised: 0, captured: amount_cents });
        return { status: "captured" as const, amount_cents };
      }),
    void: ({ key, authorised_as }) =>
      once("void", key, () => {
        const card = [...cards.values()].find((one) => one.key.startsWith(`${authorised_as}-`));
        if (card !== undefined) Object.assign(card, { authorised: 0, refunded: card.captured });
      }),
    refund: ({ key, amount_cents, reference }) =>
      once("refund", key, () => {
        const card = cards.get(reference)!;
        if (card.refunded + amount_cents > card.captured) throw new Error("more than was captured");
        card.refunded += amount_cents;
      }),
  };
  return own;
}
