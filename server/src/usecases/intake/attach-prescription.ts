import { findWaitingItem } from "../../db/intake/due-prescriptions.ts";
import { listOpenOrdersOf } from "../../db/orders/rechecks.ts";
import type { Deps } from "../../deps.ts";
import { system } from "../../domain/orders/order.ts";
import { replacePrescription } from "../../domain/orders/replace-prescription.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { apart } from "../operations/apart.ts";
import { loadChangingOrder } from "../orders/load-order.ts";
import { recheckOrder } from "../orders/recheck-orders.ts";
import { changeOrder } from "../orders/save-change.ts";
import { write } from "../write.ts";
import { readPrescription } from "./written.ts";

const MISSING_RX = 73;

/**
 * Attaches a new prescription to the order that waits for it (exception 73), instead of creating a second order: the order
 * has no prescription yet, or the new one replaces its prescription before a pharmacist approved it. Returns false if no
 * order waits; the caller then creates one.
 */
export async function attachPrescription(deps: Deps, account_id: string, prescription_id: number): Promise<boolean> {
  const find = () => findWaitingItem(deps.db, account_id, prescription_id);
  const waiting = await find();
  if (waiting === undefined) return true;
  const { order_number } = waiting;
  if (order_number === null) return false;
  const load = () => loadChangingOrder(deps, deps.db, account_id, order_number);
  return withKeysOfNow(deps, async () => {
    let loaded = await load();
    if (!loaded.standing.open.includes(MISSING_RX)) {
      // The prescriber may have replaced the prescription a moment ago, and the order is not held yet.
      await recheckOrder(deps, account_id, order_number, system);
      loaded = await load();
    }
    const prescription = (await readPrescription(deps, account_id, prescription_id)) ?? null;
    const waits = loaded.standing.open.includes(MISSING_RX);
    const decided = waits
      ? replacePrescription({ changing: loaded, rules: loaded.rules, prescription }, MISSING_RX, "prescriber")
      : { problems: [] };
    // Either it does not fit, or another process has already attached it; look again to tell which.
    if ("problems" in decided) return (await find()) === undefined;
    await changeOrder(deps, deps.db, loaded, decided.outcome, { actor: system });
    return true;
  });
}

const UNCLEAR_SIG = 69;

/**
 * The prescriber replaced a prescription whose sig was unclear: the held orders take the new one, in both workflows. Orders
 * that it does not fit wait for the partner, as those of any ended prescription.
 */
export async function clarifySigs(
  deps: Deps,
  account_id: string,
  ended_ids: readonly number[],
  prescription_id: number,
): Promise<void> {
  for (const { order_number } of await listOpenOrdersOf(deps.db, account_id, [...ended_ids])) {
    await apart(deps, { account_id, order_number }, () =>
      write(deps, {
        transaction: "on_retry",
        attempt: async (db) => {
          const changing = await loadChangingOrder(deps, db, account_id, order_number);
          if (!changing.standing.open.includes(UNCLEAR_SIG)) return;
          const prescription = (await readPrescription({ db, vault: deps.vault }, account_id, prescription_id)) ?? null;
          const { rules } = changing;
          const decided = replacePrescription({ changing, rules, prescription }, UNCLEAR_SIG, "prescriber");
          if ("outcome" in decided) await changeOrder(deps, db, changing, decided.outcome, { actor: system });
        },
      }),
    );
  }
}
