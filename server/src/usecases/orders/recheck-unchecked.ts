import { listUnchecked } from "../../db/orders/orders.ts";
import type { Deps } from "../../deps.ts";
import { isOpen, system } from "../../domain/orders/order.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { apart } from "../operations/apart.ts";
import { untilDecided } from "../until-decided.ts";
import { loadChangingOrder } from "./load-order.ts";
import { changeOrder } from "./save-change.ts";

const MOST_AT_ONCE = 500;

/** Orders that were held because nothing could be checked are checked once it can: those that are safe go on. */
export async function recheckUnchecked(deps: Deps): Promise<void> {
  if ("unfit" in deps.safety.current()) return;
  for (const { account_id, order_number } of await listUnchecked(deps.db, MOST_AT_ONCE)) {
    await apart(deps, { account_id, order_number }, () =>
      untilDecided(deps.db, () =>
        withKeysOfNow(deps, async () => {
          const loaded = await loadChangingOrder(deps, deps.db, account_id, order_number);
          if (isOpen(loaded.standing)) await changeOrder(deps, deps.db, loaded, {}, { actor: system });
        }),
      ),
    );
  }
}
