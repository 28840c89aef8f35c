import {
  COUNSELING_DAYS,
  type CounselingState,
  callStates,
  type DashboardCounseling,
  type Environment,
  everyFillStates,
} from "@pestle/contract";
import { type CounselingPlace, listCounseling as listRows } from "../../../db/fulfillment/counseling.ts";
import type { Deps } from "../../../deps.ts";
import { withKeysOfNow } from "../../../vault/vault.ts";
import { counselingFill } from "./counseling-fill.ts";

const DAY_MS = 24 * 3_600_000;

/** A page of the call list, and the place of the next page. It derives from shipments, so a shipment writes nothing for it. */
export async function listCounseling(
  deps: Deps,
  show: CounselingState,
  environment: Environment | null,
  after: CounselingPlace | null,
  limit: number,
): Promise<Pick<DashboardCounseling, "fills"> & { next: CounselingPlace | null }> {
  const since = new Date(deps.now().getTime() - COUNSELING_DAYS * DAY_MS);
  const states = { call_states: callStates, every_states: everyFillStates };
  // One extra row shows whether there is a next page.
  const rows = await listRows(deps.db, { show, environment, since, ...states, after, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  return {
    fills: await withKeysOfNow(deps, async () => shown.map((row) => counselingFill(deps, row))),
    next: rows.length > limit ? shown.at(-1)! : null,
  };
}
