import { type Database, sql } from "../server/src/db/db.ts";

const reset = sql<[account_id: string], { closed: boolean }>`
update account a
set clock_offset_s = 0, clock_goal_s = 0
where a.account_id = $1
returning exists (select from statement s where s.account_id = a.account_id) as closed`;

/**
 * Turns an account's clock back to real time for the next story. No real account can do that, so this also opens the
 * months that the clock of the last story closed.
 */
export const resetClock = (db: Database, account_id: string): Promise<void> =>
  db.transaction(async (tx) => {
    const row = await tx.row(reset, [account_id]);
    if (row?.closed !== true) return;
    // A closed month never changes: the tables' triggers see to it.
    await tx.raw("set local session_replication_role = replica");
    await tx.raw("delete from statement where account_id = $1", [account_id]);
    await tx.raw("update ledger set closed_until = 'epoch', closed_month = null where account_id = $1", [account_id]);
    await tx.raw("set local session_replication_role = origin");
  });
