import { listLabelAccounts, listUnusedLabels, markVoided } from "../../../db/fulfillment/parcel-labels.ts";
import type { Deps } from "../../../deps.ts";
import { labelKey } from "./parcel-label.ts";

const MOST_AT_ONCE = 100;

/**
 * Tells the carrier which printed labels no parcel will carry: those of canceled orders, and those that another label
 * replaced. Called after the commit; the job repeats what the carrier did not answer.
 */
export async function voidLabels(deps: Deps, account_id: string, order_number: string | null = null): Promise<void> {
  for (const label of await listUnusedLabels(deps.db, account_id, order_number, MOST_AT_ONCE)) {
    const { label_id, tracking_no, environment } = label;
    try {
      await deps.carriers[environment].voidLabel({ key: labelKey(label.order_number, label_id), tracking_no });
      await markVoided(deps.db, account_id, label.order_number, label_id);
    } catch (error) {
      const about = { order_number: label.order_number, fault: (error as Error).name };
      deps.log.warn(about, "the carrier did not answer that a label is void");
    }
  }
}

/** The job: the labels of every account. */
export async function voidUnusedLabels(deps: Deps): Promise<void> {
  for (const { account_id } of await listLabelAccounts(deps.db, deps.serves ?? null)) {
    await voidLabels(deps, account_id);
  }
}
