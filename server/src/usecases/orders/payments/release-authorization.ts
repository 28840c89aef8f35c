import {
  type CardAuthorization,
  listAuthorizations,
  noteAuthorization,
  noteCharge,
  noteCheck,
} from "../../../db/orders/card-authorizations.ts";
import type { Deps } from "../../../deps.ts";
import { CURRENCY } from "../../../domain/orders/order-answer.ts";
import { PaymentRefused } from "../../../domain/orders/provider-payment.ts";
import { isStray } from "../../../domain/orders/reconcile-payment.ts";
import type { LoadedOrder } from "../load-order.ts";
import type { RecordedPayments } from "./ask-on-record.ts";
import { tryAgainAt } from "./next-check.ts";
import { paidOrder } from "./paid-order.ts";

/**
 * Lets an authorization go, and returns what it charged. If it has no answer, the same call under its key tells whether
 * it exists.
 */
export async function releaseAuthorization(
  deps: Deps,
  payments: RecordedPayments,
  loaded: LoadedOrder,
  one: CardAuthorization,
): Promise<void> {
  const { account_id } = loaded;
  const { order_number, authorization_key, amount_cents, asked_at } = one;
  const about = { account_id, order_number };
  let { reference } = one;
  if (reference === null) {
    const found = await payments.authorise({
      key: authorization_key,
      amount_cents,
      currency: CURRENCY,
      token: loaded.payment_token(),
      about,
      known: { asked_at, reference: null },
    });
    reference = found.reference ?? null;
    const state = reference === null ? "declined" : "held";
    const next_check_at = reference === null ? null : deps.now();
    await noteAuthorization(deps.db, account_id, order_number, authorization_key, { state, reference, next_check_at });
    if (reference === null) return;
  }
  const released = await payments.records.release(reference, about);
  const { fee_cents } = await payments.records.find(reference, about);
  const when = { at: deps.now(), account_at: loaded.rules.now, next_check_at: null, state: "released" } as const;
  if (released.captured_cents > 0) {
    await noteCharge(deps.db, account_id, order_number, reference, { ...released, fee_cents }, when);
  } else {
    const none = { state: "released", next_check_at: null } as const;
    await noteAuthorization(deps.db, account_id, order_number, authorization_key, none);
  }
}

/** Releases every authorization that the order does not need. The job soon tries one again that fails. */
export async function releaseStrays(deps: Deps, payments: RecordedPayments, loaded: LoadedOrder): Promise<void> {
  const { account_id, order } = loaded;
  for (const one of await listAuthorizations(deps.db, account_id, order.order_number)) {
    const open = one.state !== "released" && one.state !== "declined";
    if (!open || !isStray(paidOrder(loaded), one)) continue;
    try {
      await releaseAuthorization(deps, payments, loaded, one);
    } catch (error) {
      const problem = error instanceof PaymentRefused ? error.code : one.problem;
      const { order_number, authorization_key, tries } = one;
      const again = tryAgainAt(tries, deps.now());
      await noteCheck(deps.db, account_id, order_number, authorization_key, problem, again);
      throw error;
    }
  }
}
