import { newestRoot } from "../../../db/operations/audit-roots.ts";
import type { Deps } from "../../../deps.ts";
import { chainAll } from "./chain-entries.ts";
import { shipRoots, unshippedRoots } from "./ship-roots.ts";
import { signWhenDue } from "./sign-root.ts";

/** Signs the root of the hour, and ships every root that a destination lacks. */
export async function signAndShip(
  deps: Pick<Deps, "db" | "vault" | "now" | "roots_to" | "metrics" | "log">,
): Promise<void> {
  await chainAll(deps.db);
  const root = await signWhenDue(deps);
  if (root !== undefined)
    deps.log.info({ size: root.size, root: root.root, key_id: root.key_id }, "signed an audit root");
  await shipRoots(deps);
  const unshipped = await unshippedRoots(
    deps.db,
    deps.roots_to.map(({ name }) => name),
  );
  deps.metrics.setAuditRoots((await newestRoot(deps.db))?.at, unshipped);
  for (const { name, waiting, fault } of unshipped)
    if (fault !== null) deps.log.warn({ destination: name, waiting, fault }, "audit roots are not shipped");
}
