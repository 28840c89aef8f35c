import type { ExceptionId, Order } from "@pestle/contract";
import { listUnpaid, listUnpaidAccounts } from "../../db/orders/orders.ts";
import { listAsked, markDone } from "../../db/orders/payments.ts";
import type { Deps } from "../../deps.ts";
import { system } from "../../domain/orders/order.ts";
import { CURRENCY, orderAnswer } from "../../domain/orders/order-answer.ts";
import type { Outcome, PaymentEntry } from "../../domain/orders/order-change.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { apart } from "../operations/apart.ts";
import { LostRaces, write } from "../write.ts";
import { type LoadedOrder, loadChangingOrder } from "./load-order.ts";
import { changeOrder } from "./save-change.ts";

const PAYMENT_DECLINED: ExceptionId = 80;

/** Each attempt has its own key, so the provider processes an attempt that is sent twice only once. */
export const authorisationKey = (
  { order, row }: Pick<LoadedOrder, "order" | "row">,
  payment_attempt = row.payment_attempt,
) => `${order.order_number}-${payment_attempt}`;

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
        got =
          asked.status === "declined" ? null : { reference: asked.reference, authorised_as: authorisationKey(loaded) };
        return savePayment(deps, loaded, asked);
      },
    });
  } catch (error) {
    if (!(error instanceof LostRaces)) throw error;
    const { order, prescriptions, rules } = await withKeysOfNow(deps, load);
    return orderAnswer(order, prescriptions, rules);
  }
}

async function savePayment(
  deps: Deps,
  loaded: LoadedOrder,
  asked: NonNullable<Awaited<ReturnType<typeof ask>>>,
): Promise<Order> {
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
    ...(declined ? { raises: [PAYMENT_DECLINED] } : { ends: [PAYMENT_DECLINED] }),
    payments: [
      ...(row.payment_reference === null ? [] : [entry("void")]),
      ...(declined ? [] : [entry("authorisation")]),
    ],
  };
  const columns = { payment_reference: declined ? null : asked.reference };
  return (await changeOrder(deps, deps.db, loaded, outcome, { actor: system, columns })).order;
}

async function ask(deps: Deps, loaded: LoadedOrder) {
  const { order_number, amount_cents } = loaded.order;
  const { payment_reference: reference, payment_attempt } = loaded.row;
  const token = loaded.payment_token();
  const payments = deps.payments[loaded.environment];
  try {
    // A new card replaces an authorized one whose capture failed or that the pharmacy questioned.
    if (reference !== null) {
      const authorised_as = authorisationKey(loaded, payment_attempt - 1);
      await payments.void({ key: `${authorised_as}-void`, reference, authorised_as });
    }
    return await payments.authorise({ key: authorisationKey(loaded), amount_cents, currency: CURRENCY, token });
  } catch (error) {
    deps.log.warn(
      { order_number, fault: (error as Error).name },
      "the payment provider did not answer an authorization request",
    );
    return undefined;
  }
}

async function letGo(deps: Deps, loaded: LoadedOrder, got: { reference: string; authorised_as: string }) {
  const { order_number } = loaded.order;
  try {
    await deps.payments[loaded.environment].void({ key: `${got.authorised_as}-void`, ...got });
  } catch (error) {
    deps.log.warn({ order_number, fault: (error as Error).name }, "an authorization could not be voided");
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
  const asked = await listAsked(deps.db, account_id, which.before ?? null, which.order_number ?? null, MOST_AT_ONCE);
  for (const entry of asked) {
    const { order_number, payment_entry_id, kind, amount_cents, payment_reference, payment_attempt } = entry;
    const payments = deps.payments[entry.environment];
    const key = payment_entry_id;
    try {
      if (kind === "void") {
        const authorised_as = `${order_number}-${payment_attempt}`;
        await payments.void({ key, reference: payment_reference, authorised_as });
      } else {
        await payments.refund({ key, amount_cents, reference: payment_reference! });
      }
      await markDone(deps.db, account_id, order_number, payment_entry_id);
    } catch (error) {
      deps.log.warn({ order_number, kind, fault: (error as Error).name }, "a payment entry could not be settled");
    }
  }
}
