import {
  type CardAuthorization,
  listAccountsToCheck,
  listAuthorizations,
  listAuthorizationsToCheck,
  noteAuthorization,
  noteCharge,
  noteCheck,
  noteDispute,
} from "../../../db/orders/card-authorizations.ts";
import type { Deps } from "../../../deps.ts";
import { type Actor, system } from "../../../domain/orders/order.ts";
import type { Outcome } from "../../../domain/orders/order-change.ts";
import { PaymentRefused, type ProviderPayment } from "../../../domain/orders/provider-payment.ts";
import { isStray, type Reconciling, reconcilePayment } from "../../../domain/orders/reconcile-payment.ts";
import { apart } from "../../operations/apart.ts";
import { type LoadedOrder, loadChangingOrder } from "../load-order.ts";
import { type ChangeBy, changeOrder } from "../save-change.ts";
import { settlePayment } from "../settle-payment.ts";
import { keepsRecords, type RecordedPayments } from "./ask-on-record.ts";
import { nextCheckOf, RECENT_MS, tomorrow, tryAgainAt } from "./next-check.ts";
import { paidOrder } from "./paid-order.ts";
import { releaseAuthorization } from "./release-authorization.ts";

const MOST_AT_ONCE = 200;
/** The reason of a refund that a person made in the provider's dashboard. They do not give one of ours. */
const REFUNDED_BY_HAND = 104;
/** Someone at the pharmacy, who did not sign in here. */
const STAFF: Actor = { roles: ["operator"], person_id: null };

/**
 * Compares every open and every recent payment with the provider's record, about once a day, and puts right what differs.
 * Authorizations without an answer come after a minute, and those that are about to end a day before.
 */
export async function checkPayments(deps: Deps): Promise<void> {
  for (const { account_id } of await listAccountsToCheck(deps.db, deps.serves ?? null, deps.now())) {
    for (const one of await listAuthorizationsToCheck(deps.db, account_id, deps.now(), MOST_AT_ONCE)) {
      const { order_number, authorization_key } = one;
      await apart(deps, { account_id, order_number }, () =>
        checkPayment(deps, account_id, order_number, authorization_key),
      );
    }
  }
}

/** Compares one payment. `seen`: the provider's record, if it was just read. */
export async function checkPayment(
  deps: Deps,
  account_id: string,
  order_number: string,
  key: string,
  seen?: ProviderPayment,
): Promise<void> {
  const loaded = await loadChangingOrder(deps, deps.db, account_id, order_number);
  const payments = deps.payments[loaded.environment];
  const all = await listAuthorizations(deps.db, account_id, order_number);
  const one = all.find(({ authorization_key }) => authorization_key === key);
  if (one === undefined) return;
  const note = (problem: string | null, at: Date | null) =>
    noteCheck(deps.db, account_id, order_number, key, problem, at);
  // Another provider serves production now.
  if (!keepsRecords(payments)) return void (await note("other_provider", tomorrow(deps.now())));
  try {
    const problem = await putRight(deps, payments, loaded, one, seen);
    if (problem !== null) await note(problem, tryAgainAt(one.tries, deps.now()));
  } catch (error) {
    const refused = error instanceof PaymentRefused ? error.code : null;
    // A provider that is down is no problem of this payment.
    await noteCheck(deps.db, account_id, order_number, key, refused ?? one.problem, tryAgainAt(one.tries, deps.now()));
    deps.log.warn({ account_id, order_number, fault: (error as Error).name }, "a payment could not be compared");
  }
}

async function putRight(
  deps: Deps,
  payments: RecordedPayments,
  loaded: LoadedOrder,
  one: CardAuthorization,
  seen: ProviderPayment | undefined,
): Promise<string | null> {
  const { account_id, order } = loaded;
  const { order_number } = order;
  const about = { account_id, order_number };
  if (one.reference === null && seen === undefined) {
    if (isStray(paidOrder(loaded), one)) {
      await releaseAuthorization(deps, payments, loaded, one);
      return null;
    }
    // Behind the others, if the provider gives no answer again.
    const again = tryAgainAt(one.tries, deps.now());
    await noteCheck(deps.db, account_id, order_number, one.authorization_key, null, again);
    await settlePayment(deps, account_id, order_number);
    return null;
  }
  const theirs = seen ?? (await payments.records.find(one.reference!, about));
  const ours = { ...one, reference: theirs.reference, expires_at: theirs.expires_at ?? one.expires_at };
  await noteTheirs(deps, loaded, ours, theirs);
  let problem: string | null = null;
  for (const step of reconcilePayment(paidOrder(loaded), ours, theirs, deps.now())) {
    problem = (await take(deps, payments, loaded, ours, step)) ?? problem;
  }
  return problem;
}

/** What the provider says replaces what we last knew. */
async function noteTheirs(deps: Deps, loaded: LoadedOrder, ours: CardAuthorization, theirs: ProviderPayment) {
  const { account_id } = loaded;
  const { order_number, authorization_key } = ours;
  const { reference, expires_at, captured_cents, fee_cents } = theirs;
  const now = deps.now();
  if (theirs.state === "captured") {
    const is_new = ours.captured_cents !== captured_cents;
    const shipped = loaded.order.captured_cents > 0 && loaded.row.payment_reference === reference;
    const moved_at = is_new ? now : (ours.moved_at ?? now);
    const recent = now.getTime() - moved_at.getTime() < RECENT_MS;
    await noteCharge(
      deps.db,
      account_id,
      order_number,
      reference,
      { captured_cents, returned_cents: ours.returned_cents, fee_cents },
      {
        at: moved_at,
        account_at: loaded.rules.now,
        state: ours.state === "released" ? "released" : "charged",
        next_check_at:
          shipped && !recent ? null : is_new && !shipped ? nextCheckOf("charged", null, now) : tomorrow(now),
      },
    );
    return;
  }
  const states = { declined: "declined", waiting: "waiting", authorized: "held", canceled: "released" } as const;
  const state = states[theirs.state];
  const next_check_at = nextCheckOf(state, expires_at, now);
  await noteAuthorization(deps.db, account_id, order_number, authorization_key, {
    ...{ state, reference, expires_at, next_check_at },
  });
}

async function take(
  deps: Deps,
  payments: RecordedPayments,
  loaded: LoadedOrder,
  one: CardAuthorization & { reference: string },
  step: Reconciling,
): Promise<string | null> {
  const { account_id, order } = loaded;
  const { order_number } = order;
  switch (step.do) {
    case "settle":
      await settlePayment(deps, account_id, order_number);
      return null;
    case "take":
      await change(deps, loaded, { after: { order: { ...order, payment_status: "pending" } } });
      await settlePayment(deps, account_id, order_number);
      return null;
    case "renew":
      await change(
        deps,
        loaded,
        { after: { order: { ...order, payment_status: "pending" } } },
        { columns: { payment_attempt: loaded.row.payment_attempt + 1 } },
      );
      await settlePayment(deps, account_id, order_number);
      return null;
    case "release":
      await releaseAuthorization(deps, payments, loaded, one);
      return null;
    case "capture": {
      const { captured_cents: amount_cents } = order;
      const { reference } = one;
      const about = { account_id, order_number };
      const captured = await payments.capture({ key: `${reference}-capture`, amount_cents, reference, about });
      return captured.status === "captured" ? null : "not_charged";
    }
    case "record_refund": {
      const { amount_cents } = step;
      const refunded_cents = order.refunded_cents + amount_cents;
      const payment_status = refunded_cents === order.captured_cents ? "refunded" : order.payment_status;
      const outcome: Outcome = {
        event: "refund",
        after: { order: { ...order, refunded_cents, payment_status } },
        payments: [{ kind: "refund", amount_cents, reason_id: REFUNDED_BY_HAND, state: "done" }],
      };
      await change(deps, loaded, outcome, { actor: STAFF });
      return null;
    }
    case "record_dispute":
      await noteDispute(deps.db, account_id, order_number, one.authorization_key, loaded.rules.now);
      return null;
    case "not_charged":
      return "not_charged";
  }
}

/** Saved only if the order did not change since it was compared. If it did, the next round compares again. */
const change = (deps: Deps, loaded: LoadedOrder, outcome: Outcome, by: Partial<ChangeBy> = {}) =>
  changeOrder(deps, deps.db, loaded, outcome, { actor: system, ...by });
