import {
  clearRecheckDue,
  findRecheckDue,
  listOpenOrders,
  listOpenOrdersOf,
  listOrdersHeldBy,
  listOrdersOfEnded,
  listRecheckDue,
  saveFindings,
} from "../../db/orders/rechecks.ts";
import type { Deps } from "../../deps.ts";
import { type Actor, isOpen, system } from "../../domain/orders/order.ts";
import { decideChange } from "../../domain/orders/order-change.ts";
import { apart } from "../operations/apart.ts";
import { write } from "../write.ts";
import { loadChangingOrder } from "./load-order.ts";
import { changeOrder, sealFindings } from "./save-change.ts";

const MOST_AT_ONCE = 100;
const MOST_PATIENTS = 500;
const DUPLICATE = 68;
const MISSING_RX = 73;

/** Runs the checks again on an open order and saves what they change. With "elsewhere", on the facts of all partners. */
export const recheckOrder = (
  deps: Deps,
  account_id: string,
  order_number: string,
  actor: Actor,
  facts: "own" | "elsewhere" = "own",
): Promise<void> =>
  write(deps, {
    transaction: "on_retry",
    attempt: async (db) => {
      const loaded = await loadChangingOrder(deps, db, account_id, order_number, facts);
      const { standing, found, holds, rules, revision } = loaded;
      if (!isOpen(standing)) return;
      const { open, findings } = decideChange(loaded, {}, rules);
      if (open.map(({ id }) => id).join() !== standing.open.join()) {
        await changeOrder(deps, db, loaded, {}, { actor });
        return;
      }
      const rebased = open.filter(({ id, basis }) => holds.some((hold) => hold.id === id && hold.basis !== basis));
      if (rebased.length === 0 && JSON.stringify(findings) === JSON.stringify(found)) return;
      const sealed = sealFindings(deps, account_id, order_number, findings);
      const bases = rebased.map(({ id, basis }) => ({ exception_id: id, basis }));
      await saveFindings(db, account_id, order_number, revision, sealed, bases);
    },
  });

/**
 * Runs the checks again on a patient's open orders, right after the commit that changed the patient's safety facts. The
 * mark on the patient stays until every order is checked, so a job continues after a crash. Until then no step can pass the
 * order, because each step runs the checks on the current facts (ADR 0024).
 */
export async function recheckPatient(
  deps: Deps,
  account_id: string,
  patient_key: number,
  actor: Actor = system,
  most_pages = 1,
): Promise<void> {
  await apart(deps, { account_id, patient_key }, async () => {
    const marked = await findRecheckDue(deps.db, account_id, patient_key);
    if (marked === undefined) return;
    let after = "";
    for (let page = 1; page <= most_pages; page++) {
      const orders = await listOpenOrders(deps.db, account_id, patient_key, after, MOST_AT_ONCE);
      for (const { order_number } of orders) await recheckOrder(deps, account_id, order_number, actor);
      if (orders.length < MOST_AT_ONCE) return clearRecheckDue(deps.db, account_id, patient_key, marked.revision);
      after = orders.at(-1)!.order_number;
    }
  });
}

/** Frees the patient's orders that were duplicates of this one, after it was canceled or lost an item. */
export async function recheckDuplicates(
  deps: Deps,
  account_id: string,
  order_number: string,
  actor: Actor,
): Promise<void> {
  for (const other of await listOrdersHeldBy(deps.db, account_id, order_number, [DUPLICATE], MOST_AT_ONCE)) {
    await recheckOrder(deps, account_id, other.order_number, actor);
  }
}

/** Holds the open orders of prescriptions that have just ended. */
export async function recheckPrescriptions(
  deps: Deps,
  account_id: string,
  prescription_ids: readonly number[],
): Promise<void> {
  if (prescription_ids.length === 0) return;
  for (const { order_number } of await listOpenOrdersOf(deps.db, account_id, [...prescription_ids])) {
    await apart(deps, { account_id, order_number }, () => recheckOrder(deps, account_id, order_number, system));
  }
}

/**
 * Checks what no request checks: orders whose prescription expired meanwhile, and the work of a process that died between
 * a change and its checks. With `only_account`, handles that account only.
 */
export async function recheckDue(deps: Deps, only_account: string | null = null): Promise<void> {
  const due = await listRecheckDue(deps.db, only_account, MOST_PATIENTS, deps.serves ?? null);
  for (const { account_id, patient_key } of due) {
    await recheckPatient(deps, account_id, patient_key, system, Number.POSITIVE_INFINITY);
  }
  const ended = await listOrdersOfEnded(
    deps.db,
    only_account,
    deps.now(),
    MISSING_RX,
    MOST_PATIENTS,
    deps.serves ?? null,
  );
  for (const { account_id, order_number } of ended) {
    await apart(deps, { account_id, order_number }, () => recheckOrder(deps, account_id, order_number, system));
  }
}
