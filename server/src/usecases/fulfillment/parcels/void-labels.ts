import { listLabelAccounts, listUnusedLabels, markVoided } from "../../../db/fulfillment/parcel-labels.ts";
import { movePostage } from "../../../db/fulfillment/postage.ts";
import type { Deps } from "../../../deps.ts";

const MOST_AT_ONCE = 100;
const dueNow = ({ now }: Pick<Deps, "now">) => ({ state: null, check_at: now() });

/**
 * Tells the carrier which printed labels no parcel will carry: those of canceled orders, and those that another label
 * replaced. Called after the commit; the job repeats what the carrier did not answer.
 */
export async function voidLabels(deps: Deps, account_id: string, only_order: string | null = null): Promise<void> {
  for (const label of await listUnusedLabels(deps.db, account_id, only_order, MOST_AT_ONCE)) {
    const { order_number, label_id, tracking_no, provider_ref, environment } = label;
    const about = { account_id, order_number };
    try {
      // Postage that Pestle bought is given back by its own job, which also follows the refund.
      if (provider_ref !== null) await movePostage(deps.db, account_id, order_number, provider_ref, dueNow(deps));
      else await deps.carriers[environment].voidLabel({ tracking_no, provider_ref, about });
      await markVoided(deps.db, account_id, order_number, label_id);
    } catch (error) {
      deps.log.warn({ ...about, fault: (error as Error).name }, "the carrier did not answer that a label is void");
    }
  }
}

/** The job: the labels of every account. */
export async function voidUnusedLabels(deps: Deps): Promise<void> {
  for (const { account_id } of await listLabelAccounts(deps.db, deps.serves ?? null)) {
    await voidLabels(deps, account_id);
  }
}
