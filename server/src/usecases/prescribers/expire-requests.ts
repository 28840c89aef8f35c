import { expireRequests, listSendingAccounts } from "../../db/prescribers/due-messages.ts";
import type { Deps } from "../../deps.ts";
import { expiredBefore } from "../../domain/prescribers/prescriber-request.ts";
import { accountNow } from "../../domain/values/account-clock.ts";

/** Ends the requests of an account that no prescriber answered in time, on the account's clock. */
export async function expireDueRequests(deps: Pick<Deps, "db" | "now">, account_id: string): Promise<void> {
  for (const { clock_offset_s } of await listSendingAccounts(deps.db, account_id)) {
    await expireRequests(deps.db, account_id, expiredBefore(accountNow(deps.now(), clock_offset_s)));
  }
}
