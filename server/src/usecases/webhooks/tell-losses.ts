import { compactAsciiJson } from "@pestle/contract";
import { listAccounts } from "../../db/accounts/accounts.ts";
import { lockUntoldLosses, markTold } from "../../db/operations/database-runs.ts";
import { insertAccountEvent } from "../../db/webhooks/account-events.ts";
import type { Deps } from "../../deps.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { dataLostBody } from "../../domain/webhooks/data-lost.ts";
import { randomEventId } from "../../random.ts";
import { transact } from "../write.ts";
import { sealBody } from "./event-body.ts";

/** By then every process has said what it saw of the server before. */
const SETTLED_AFTER_MS = 5_000;

/** Adds an event to every partner's feed about the time whose writes may be missing. */
export async function tellLosses(deps: Pick<Deps, "db" | "vault" | "now">, settled_after_ms = SETTLED_AFTER_MS) {
  const now = deps.now();
  await transact(deps, async (tx) => {
    for (const loss of await lockUntoldLosses(tx, new Date(now.getTime() - settled_after_ms))) {
      for (const { account_id, partner_id, clock_offset_s } of await listAccounts(tx)) {
        if (partner_id === null) continue;
        const event_id = randomEventId();
        const created_at = accountNow(now, clock_offset_s);
        const body = compactAsciiJson(dataLostBody(event_id, loss, created_at));
        await insertAccountEvent(tx, {
          account_id,
          event_id,
          event_type: "DATA_LOST",
          body_sealed: sealBody(deps.vault, { account_id, event_id }, body),
          created_at,
          only_endpoint_id: null,
        });
      }
      await markTold(tx, loss.loss_id);
    }
  });
}
