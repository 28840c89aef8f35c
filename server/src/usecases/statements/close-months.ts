import { isConflict } from "../../db/conflict.ts";
import { closeMonth, findLedger, listOpenLedgers } from "../../db/statements/statements.ts";
import type { Deps } from "../../deps.ts";
import { closesAt, openMonth } from "../../domain/statements/months.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { apart } from "../operations/apart.ts";

/** Closes the months that ended long enough ago by the accounts' clocks, or only those of one account. */
export async function closeMonths(deps: Deps, only_account?: string): Promise<void> {
  for (const { account_id, clock_offset_s } of await listOpenLedgers(deps.db, deps.serves ?? null)) {
    if (only_account !== undefined && only_account !== account_id) continue;
    const now = accountNow(deps.now(), clock_offset_s);
    await apart(deps, { account_id }, async () => {
      while (await closeNext(deps, account_id, now));
    });
  }
}

/** Closes the oldest month with lines. Returns false if it is not due. */
async function closeNext({ db, config }: Deps, account_id: string, now: Date): Promise<boolean> {
  const ledger = await findLedger(db, account_id);
  if (ledger === undefined || ledger.first_open_at === null) return false;
  const month = openMonth(config.TIME_ZONE, ledger, ledger.first_open_at);
  if (closesAt(month) > now) return false;
  try {
    await closeMonth(db, account_id, ledger.closed_until, month, now);
  } catch (error) {
    // Another process closed it.
    if (!isConflict(error)) throw error;
  }
  return true;
}
