import type { EnteredLabel } from "@pestle/contract";
import { endLabel, insertLabel, loadNewestLabel, notePrinted } from "../../../db/fulfillment/parcel-labels.ts";
import type { Deps } from "../../../deps.ts";
import { ImpossibleStep } from "../../../domain/orders/order.ts";
import { withKeysOfNow } from "../../../vault/vault.ts";
import { loadChangingOrder } from "../../orders/load-order.ts";
import { write } from "../../write.ts";
import { lotCheck } from "../recall/quarantine-lot.ts";
import { actorOf, auditWork, impossible, requireFree, requireGoodLots, requireStep, type Work } from "../steps.ts";
import { WorkRefusal } from "../work-refusal.ts";
import { enteredLabel } from "./entered-label.ts";
import { carrierOf, makeLabel, newestLabel, sealLabel } from "./parcel-label.ts";
import { voidLabels } from "./void-labels.ts";

/**
 * Someone prints the slip and the label of a packed order. The first time, the carrier makes the label. It keeps its
 * tracking number when it is printed again, unless the address changed. Nothing else about the order changes, and the
 * payment is not captured. A label that the person entered replaces an earlier one.
 */
export async function printOrder(deps: Deps, work: Work, entered?: EnteredLabel): Promise<void> {
  const { account_id, order_number } = work;
  try {
    const printed = await write(deps, {
      transaction: "never",
      attempt: async (db) => {
        const loaded = await withKeysOfNow(deps, () => loadChangingOrder(deps, deps.db, account_id, order_number));
        // The roles that may hand the parcel over may print its label.
        requireStep(loaded, { event: "ship" }, actorOf(work.by));
        requireFree(deps, loaded, work);
        if (loaded.order.address === null) throw new WorkRefusal("no_address");
        await requireGoodLots(lotCheck(deps.db, work.account_id), loaded);
        const newest = await newestLabel(deps, loaded);
        const now = { at: deps.now(), by: work.by.person_id };
        const label_id = newest.label_id + 1;
        const made =
          entered !== undefined
            ? await enteredLabel(deps, loaded, entered)
            : newest.fits
              ? null
              : await makeLabel(deps, loaded, label_id);
        return withKeysOfNow(deps, () =>
          db.transaction(async (tx) => {
            if (made === null) {
              if ((await notePrinted(tx, account_id, order_number, newest.label_id, now)) === 0) return false;
            } else {
              if (newest.printed !== null) await endLabel(tx, account_id, order_number, null);
              const { format, data, ...tracking } = made;
              const content_sealed = sealLabel(deps, loaded, made, label_id);
              const row = { label_id, ...tracking, carrier: carrierOf(loaded), label_format: format, content_sealed };
              const label = { ...row, printed_at: now.at, printed_by: now.by };
              const stored = await insertLabel(tx, account_id, order_number, label);
              // A colleague who printed it at the same time got the same label from the carrier.
              const ready = stored ?? (await loadNewestLabel(tx, account_id, order_number));
              if (ready?.state !== "ready") return false;
            }
            await auditWork(deps, tx, work);
            return true;
          }),
        );
      },
    });
    await voidLabels(deps, account_id, order_number);
    // The order shipped, or was held or canceled, while the carrier made the label.
    if (!printed) throw new WorkRefusal("not_now");
  } catch (error) {
    throw error instanceof ImpossibleStep ? impossible(error, work.by) : error;
  }
}
