import type { ExceptionId, Order } from "@pestle/contract";
import { isConflict } from "../../db/conflict.ts";
import { listUnpaid, listUnpaidAccounts } from "../../db/orders/orders.ts";
import { listAsked, markDone } from "../../db/orders/payments.ts";
import type { Deps } from "../../deps.ts";
import { system } from "../../domain/orders/order.ts";
import { CURRENCY, orderAnswer } from "../../domain/orders/order-answer.ts";
import type { PaymentEntry } from "../../domain/orders/order-change.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { apart } from "../operations/apart.ts";
import { type LoadedOrder, loadChangingOrder } from "./load-order.ts";
import { changeOrder } from "./save-change.ts";

const PAYMENT_DECLINED: ExceptionId = 80;
const MOST_TRIES = 5;

/** Each try to get the money has a key of its own, so that the same try sent twice happens once. */
export const authorisationKey = (
  { order, row }: Pick<LoadedOrder, "order" | "row">,
  payment_attempt = row.payment_attempt,
) => `${order.order_number}-${payment_attempt}`;

/**
 * Asks for a patient's money right after the order is saved, outside every transaction; declined, the order is held
 * with exception 80, and an authorisation ends it. Asked again for the same try it happens once.
 */
export async function settlePayment(deps: Deps, account_id: string, order_number: string): Promise<Order> {
  let got: { reference: string; authorised_as: string } | null = null;
  for (let tries = 1; ; tries++) {
    const loaded = await withKeysOfNow(deps, () => loadChangingOrder(deps, deps.db, account_id, order_number));
    const { order, prescriptions, row } = loaded;
    if (order.payment_status !== "pending" || tries > MOST_TRIES) {
      // Canceled while the provider was asked: whoever canceled may have told it before there was anything to let go.
      if (got !== null && order.payment_status === "voided") await letGo(deps, loaded, got);
      return orderAnswer(order, prescriptions);
    }
    const asked = await ask(deps, loaded);
    // The order is saved and stays so: it shows a payment that is pending, and the job asks again.
    if (asked === undefined) return orderAnswer(order, prescriptions);
    const declined = asked.status === "declined";
    got = declined ? null : { reference: asked.reference, authorised_as: authorisationKey(loaded) };
    const entry = (kind: PaymentEntry["kind"]): PaymentEntry => ({
      kind,
      amount_cents: order.amount_cents,
      reason_id: null,
      state: "done",
    });
    try {
      const changed = await changeOrder(
        deps,
        deps.db,
        loaded,
        {
          after: { order: { ...order, payment_status: asked.status } },
          ...(declined ? { raises: [PAYMENT_DECLINED] } : { ends: [PAYMENT_DECLINED] }),
          payments: [
            ...(row.payment_reference === null ? [] : [entry("void")]),
            ...(declined ? [] : [entry("authorisation")]),
          ],
        },
        { actor: system, columns: { payment_reference: declined ? null : asked.reference } },
      );
      return changed.order;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

async function ask(deps: Deps, loaded: LoadedOrder) {
  const { order_number, amount_cents } = loaded.order;
  const { payment_reference: reference, payment_attempt } = loaded.row;
  const token = loaded.payment_token();
  const payments = deps.payments[loaded.environment];
  try {
    // Another card is tried although the one before was authorised: charging it failed, or somebody doubted it.
    if (reference !== null) {
      const authorised_as = authorisationKey(loaded, payment_attempt - 1);
      await payments.void({ key: `${authorised_as}-void`, reference, authorised_as });
    }
    return await payments.authorise({ key: authorisationKey(loaded), amount_cents, currency: CURRENCY, token });
  } catch (error) {
    deps.log.warn({ order_number, fault: (error as Error).name }, "a payment could not be asked for");
    return undefined;
  }
}

async function letGo(deps: Deps, loaded: LoadedOrder, got: { reference: string; authorised_as: string }) {
  const { order_number } = loaded.order;
  try {
    await deps.payments[loaded.environment].void({ key: `${got.authorised_as}-void`, ...got });
  } catch (error) {
    deps.log.warn({ order_number, fault: (error as Error).name }, "an authorisation could not be let go");
  }
}

/** Whoever saved an order is given this long to ask for the money itself. */
const GRACE_MS = 30_000;
const MOST_AT_ONCE = 100;

/** What was saved and never asked for, because the process ended in between: authorisations, voids and refunds. */
export async function settleUnpaid(deps: Deps): Promise<void> {
  for (const { account_id, clock_offset_s } of await listUnpaidAccounts(deps.db)) {
    const before = new Date(accountNow(deps.now(), clock_offset_s).getTime() - GRACE_MS);
    for (const { order_number } of await listUnpaid(deps.db, account_id, before, MOST_AT_ONCE)) {
      await apart(deps, { account_id, order_number }, () => settlePayment(deps, account_id, order_number));
    }
    await settleAsked(deps, account_id, { before });
  }
}

/** Tells the provider of voids and refunds that were saved; those it does not take are told again by the job. */
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
