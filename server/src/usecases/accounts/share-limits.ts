import { renewLeases } from "../../db/accounts/rate-leases.ts";
import type { Deps } from "../../deps.ts";

/** A lease that was not renewed for this long expires: its process died or no longer serves that credential. */
const LEASE_S = 3;

/** Registers the credentials that this process serves, and gets its share of each credential's rate limit. */
export async function shareLimits(deps: Deps, process_id: string): Promise<void> {
  const { processes, shares } = await renewLeases(deps.db, process_id, deps.limiter.takeActive(), LEASE_S);
  deps.limiter.setShares(processes, shares);
}
