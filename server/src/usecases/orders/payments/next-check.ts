import type { AuthorizationState } from "../../../db/orders/card-authorizations.ts";
import { RENEWED_BEFORE_MS } from "../../../domain/orders/reconcile-payment.ts";

const MINUTE_MS = 60_000;
/** Every payment that is open or recent is compared with the provider's record about once a day. */
const DAILY_MS = 20 * 60 * MINUTE_MS;
/** The longest pause after a refusal. */
const MOST_PAUSE_MS = 60 * MINUTE_MS;
/** How long after a charge its refunds and disputes are looked for. Later ones come as messages of the provider. */
export const RECENT_MS = 14 * 24 * 60 * MINUTE_MS;

/** When a job looks at the authorization next; null for never. A new charge is looked at soon: its order must ship. */
export function nextCheckOf(state: AuthorizationState, expires_at: Date | null, now: Date): Date | null {
  if (state === "declined" || state === "released") return null;
  if (state === "asked" || state === "charged") return new Date(now.getTime() + 2 * MINUTE_MS);
  const daily = now.getTime() + DAILY_MS;
  if (expires_at === null || state === "waiting") return new Date(daily);
  const renewal = expires_at.getTime() - RENEWED_BEFORE_MS;
  return new Date(Math.max(Math.min(daily, renewal), now.getTime() + MINUTE_MS));
}

/** The next daily comparison. */
export const tomorrow = (now: Date): Date => new Date(now.getTime() + DAILY_MS);

/** The pause grows with each refusal, so that one payment never stops the others. */
export const tryAgainAt = (tries: number, now: Date): Date =>
  new Date(now.getTime() + Math.min(15_000 * 2 ** Math.min(tries, 10), MOST_PAUSE_MS));
