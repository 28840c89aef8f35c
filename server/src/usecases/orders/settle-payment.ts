import type { ExceptionId, Order } from "@pestle/contract";
import { listUnpaid, listUnpaidAccounts } from "../../db/orders/orders.ts";
import { type AskedEntry, listAsked, markDone, noteEntryProblem } from "../../db/orders/payments.ts";
import type { Deps } from "../../deps.ts";
import { system } from "../../domain/orders/order.ts";
import { CURRENCY, orderAnswer } from "../../domain/orders/order-answer.ts";
import type { Outcome, PaymentEntry } from "../../domain/orders/order-change.ts";
import { PaymentRefused } from "../../domain/orders/provider-payment.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { apart } from "../operations/apart.ts";
import { LostRaces, write } from "../write.ts";
import { type LoadedOrder, loadChangingOrder } from "./load-order.ts";
import { type Authorization, askOnRecord, keepsRecords } from "./payments/ask-on-record.ts";
import { attemptName, authorizationKey } from "./payments/authorization-key.ts";
import { declineSituations } from "./payments/decline-situations.ts";
import { tryAgainAt } from "./payments/next-check.ts";
import { releaseStrays } from "./payments/release-authorization.ts";
import { changeOrder } from "./save-change.ts";

const PAYMENT_DECLINED: ExceptionId = 80;

/**
 * Authorizes the patient's card right after the order is saved, outside every transaction. A declined card holds the
 * order with exception 80; an authorization ends that hold. Sending the same attempt again authorizes nothing twice.
 */
export async function settlePayment(deps: Deps, account_id: string, order_number: string): Promise<Order> {
  let got: { reference: string; authorised_as: string } | null = null;
  const load = () => loadChangingOrder(deps, deps.db, account_id, order_number);
  try {
    return await write(deps, {
      transaction: "never",
      attempt: async () => {
        const loaded = await load();
        const { order, prescriptions, rules } = loaded;
        if (order.payment_status !== "pending") {
          // Canceled during the call: the void may have reached the provider before the authorization did.
          if (got !== null && order.payment_status === "voided") await letGo(deps, loaded, got);
          return orderAnswer(order, prescriptions, rules);
        }
        const asked = await ask(deps, loaded);
        // The order stays saved with a pending payment, and the job retries.
        if (asked === undefined) return orderAnswer(order, prescriptions, rules);
        got = asked.status === "declined" ? null : { reference: asked.reference, authorised_as: attemptName(loaded) };
        const saved = await savePayment(deps, loaded, asked);
        const replaced = loaded.row.payment_reference !== null && keepsRecords(deps.payments[loaded.environment]);
        if (replaced) await letEarlierGo(deps, account_id, order_number);
        return saved;
      },
    });
  } catch (error) {
    if (!(error instanceof LostRaces)) throw error;
    const { order, prescriptions, rules } = await withKeysOfNow(deps, load);
    return orderAnswer(order, prescriptions, rules);
  }
}

async function savePayment(deps: Deps, loaded: LoadedOrder, asked: Authorization): Promise<Order> {
  const { order, row } = loaded;
  const declined = asked.status === "declined";
  const entry = (kind: PaymentEntry["kind"]): PaymentEntry => ({
    kind,
    amount_cents: order.amount_cents,
    reason_id: null,
    state: "done",
  });
  const outcome: Outcome = {
    after: { order: { ...order, payment_status: asked.status } },
    ...(asked.status === "declined"
      ? { raises: [PAYMENT_DECLINED], situations: declineSituations(asked) }
      : { ends: [PAYMENT_DECLINED] }),
    payments: [
      ...(row.payment_reference === null ? [] : [entry("void")]),
      ...(declined ? [] : [entry("authorisation")]),
    ],
  };
  const columns = { payment_reference: asked.status === "declined" ? null : asked.reference };
  return (await changeOrder(deps, deps.db, loaded, outcome, { actor: system, columns })).order;
}

async function ask(deps: Deps, loaded: LoadedOrder): Promise<Authorization | undefined> {
  const { account_id } = loaded;
  const { order_number, amount_cents } = loaded.order;
  const { payment_reference: reference, payment_attempt } = loaded.row;
  const token = loaded.payment_token();
  const payments = deps.payments[loaded.environment];
  try {
    // The earlier authorization goes after the new one is there.
    if (keepsRecords(payments)) return await askOnRecord(deps, payments, loaded);
    // A new card replaces an authorized one whose capture failed or that the pharmacy questioned.
    if (reference !== null) {
      const authorised_as = attemptName(loaded, payment_attempt - 1);
      await payments.void({ key: `${authorised_as}-void`, reference, authorised_as });
    }
    return await payments.authorise({ key: authorizationKey(loaded), amount_cents, currency: CURRENCY, token });
  } catch (error) {
    const { name: fault } = error as Error;
    // Such as a revoked key: the operator must act, and the order waits.
    const refused = error instanceof PaymentRefused && { refused: error.code };
    deps.log.warn(
      { account_id, order_number, fault, ...refused },
      "the payment provider did not answer an authorization request",
    );
    return undefined;
  }
}

/** Releases what the new authorization replaced. A job does it if the provider does not answer now. */
async function letEarlierGo(deps: Deps, account_id: string, order_number: string): Promise<void> {
  const loaded = await loadChangingOrder(deps, deps.db, account_id, order_number);
  const payments = deps.payments[loaded.environment];
  if (!keepsRecords(payments)) return;
  try {
    await releaseStrays(deps, payments, loaded);
  } catch (error) {
    deps.log.warn(
      { account_id, order_number, fault: (error as Error).name },
      "an earlier authorization could not be voided yet",
    );
  }
}

/** A provider that keeps records has the authorization written down, and a job releases it if this fails. */
async function letGo(deps: Deps, loaded: LoadedOrder, got: { reference: string; authorised_as: string }) {
  const { account_id } = loaded;
  const { order_number } = loaded.order;
  const payments = deps.payments[loaded.environment];
  try {
    if (keepsRecords(payments)) return await releaseStrays(deps, payments, loaded);
    await deps.payments[loaded.environment].void({ key: `${got.authorised_as}-void`, ...got });
  } catch (error) {
    deps.log.warn({ account_id, order_number, fault: (error as Error).name }, "an authorization could not be voided");
  }
}

/** The process that saved an order has this long to authorize the card before the job does. */
const GRACE_MS = 30_000;
const MOST_AT_ONCE = 100;

/** Sends authorizations, voids and refunds that a process saved but did not send before it ended. */
export async function settleUnpaid(deps: Deps): Promise<void> {
  for (const { account_id, clock_offset_s } of await listUnpaidAccounts(deps.db, deps.serves ?? null)) {
    const before = new Date(accountNow(deps.now(), clock_offset_s).getTime() - GRACE_MS);
    for (const { order_number } of await listUnpaid(deps.db, account_id, before, MOST_AT_ONCE)) {
      await apart(deps, { account_id, order_number }, () => settlePayment(deps, account_id, order_number));
    }
    await settleAsked(deps, account_id, { before });
  }
}

/** Sends saved voids and refunds to the provider. The job resends those that the provider did not accept. */
export async function settleAsked(
  deps: Deps,
  account_id: string,
  which: { before?: Date; order_number?: string },
): Promise<void> {
  const { before = null, order_number = null } = which;
  const asked = await listAsked(deps.db, account_id, before, order_number, deps.now(), MOST_AT_ONCE);
  for (const entry of asked) {
    const { order_number, payment_entry_id, kind, tries } = entry;
    try {
      await settleEntry(deps, account_id, entry);
      await markDone(deps.db, account_id, order_number, payment_entry_id);
    } catch (error) {
      // A person sees a refusal on System health and on the order, and the job keeps trying.
      const problem = error instanceof PaymentRefused ? error.code : null;
      const next_try_at = tryAgainAt(tries, deps.now());
      await noteEntryProblem(deps.db, account_id, order_number, payment_entry_id, problem, next_try_at);
      deps.log.warn(
        { account_id, order_number, kind, fault: (error as Error).name, ...(problem && { refused: problem }) },
        "a payment entry could not be settled",
      );
    }
  }
}

async function settleEntry(deps: Deps, account_id: string, entry: AskedEntry): Promise<void> {
  const { order_number, payment_entry_id: key, kind, amount_cents, payment_reference, payment_attempt } = entry;
  const payments = deps.payments[entry.environment];
  if (kind === "refund") {
    const about = { account_id, order_number };
    return payments.refund({ key, amount_cents, reference: payment_reference!, about });
  }
  if (keepsRecords(payments)) {
    return releaseStrays(deps, payments, await loadChangingOrder(deps, deps.db, account_id, order_number));
  }
  const authorised_as = `${order_number}-${payment_attempt}`;
  await payments.void({ key, reference: payment_reference, authorised_as });
}
