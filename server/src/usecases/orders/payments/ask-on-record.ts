import { noteAuthorization, rememberAuthorization } from "../../../db/orders/card-authorizations.ts";
import type { Deps } from "../../../deps.ts";
import { CURRENCY } from "../../../domain/orders/order-answer.ts";
import type { LoadedOrder } from "../load-order.ts";
import { authorizationKey } from "./authorization-key.ts";
import { nextCheckOf } from "./next-check.ts";
import { releaseAuthorization } from "./release-authorization.ts";

/** The service has this long to finish a payment before the job compares it with the provider's record. */
const SOON_MS = 60_000;

type Payments = Deps["payments"]["production"];
export type Authorization = Awaited<ReturnType<Payments["authorise"]>>;
export type RecordedPayments = Payments & { records: NonNullable<Payments["records"]> };
export const keepsRecords = (payments: Payments): payments is RecordedPayments => payments.records !== undefined;

/**
 * Asks a provider that keeps books for an authorization. The call is written down first, so that it is found again if
 * the answer gets lost. An earlier one of another amount is released first.
 */
export async function askOnRecord(deps: Deps, payments: RecordedPayments, loaded: LoadedOrder): Promise<Authorization> {
  const { account_id, order, row } = loaded;
  const { order_number, amount_cents } = order;
  const key = authorizationKey(loaded);
  const now = deps.now();
  const check_at = new Date(now.getTime() + SOON_MS);
  const asked = { key, attempt: row.payment_attempt, amount_cents, at: now, check_at };
  const before = await rememberAuthorization(deps.db, account_id, order_number, asked);
  for (const other of before) {
    const unanswered = other.state === "asked" && other.authorization_key !== key;
    if (unanswered) await releaseAuthorization(deps, payments, loaded, other);
  }
  const known = before.find(({ authorization_key }) => authorization_key === key);
  const answer = await payments.authorise({
    key,
    amount_cents,
    currency: CURRENCY,
    token: loaded.payment_token(),
    about: { account_id, order_number },
    ...(known && { known: { asked_at: known.asked_at, reference: known.reference } }),
  });
  const { reference = null } = answer;
  const expires_at = answer.status === "authorized" ? (answer.expires_at ?? null) : null;
  const state = answer.status === "authorized" ? "held" : reference === null ? "declined" : "waiting";
  const next_check_at = nextCheckOf(state, expires_at, deps.now());
  await noteAuthorization(deps.db, account_id, order_number, key, { state, reference, expires_at, next_check_at });
  return answer;
}
