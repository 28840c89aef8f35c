import { renewLeases } from "../../db/accounts/rate-leases.ts";
import type { Deps } from "../../deps.ts";

/** A lease that was not renewed for this long is taken back: its process died or serves others now. */
const LEASE_S = 3;

/** Tells the other processes which credentials this one serves, and learns what part of each limit it may spend. */
export async function shareLimits(deps: Deps, process_id: string): Promise<void> {
  const { processes, shares } = await renewLeases(deps.db, process_id, deps.limiter.takeActive(), LEASE_S);
  deps.limiter.setShares(processes, shares);
}
