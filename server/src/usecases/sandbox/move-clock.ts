import { advanceAccountClock } from "../../db/accounts/accounts.ts";
import { announce } from "../../db/bus.ts";
import type { Tx } from "../../db/db.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { refuse } from "../../domain/values/refusals.ts";

/** At most ten years per move and a hundred in total: beyond that every date rule would be meaningless. */
export const LONGEST_ADVANCE_S = 315_360_000;
const FARTHEST_OFFSET_S = 3_153_600_000;

/** Moves a sandbox account's own clock forward and returns the account's time. */
export async function moveClock(tx: Tx, account_id: string, advance_seconds: number, now: Date): Promise<Date> {
  const moved = await advanceAccountClock(tx, account_id, advance_seconds, FARTHEST_OFFSET_S);
  if (moved === undefined) return refuse(42200, "simulation.advance_seconds");
  await announce(tx, { kind: "account", account_id });
  return accountNow(now, moved.clock_offset_s);
}
