import { isConflict } from "../../db/conflict.ts";
import { listDueSchedules, listScheduleAccounts, type ScheduleAccount } from "../../db/schedules/due-schedules.ts";
import type { Deps } from "../../deps.ts";
import { decideDue } from "../../domain/schedules/schedule.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { apart } from "../operations/apart.ts";
import { someAtOnce } from "../operations/some-at-once.ts";
import { transact } from "../write.ts";
import { fillDueSchedule } from "./fill-schedule.ts";
import { notifyRefill } from "./notify-refill.ts";
import { findSchedule, keepSchedule, type ScheduleKey, takeSchedule } from "./schedule-rows.ts";

const MOST_AT_ONCE = 100;
/** A schedule that is due can follow an order of someone else, then send its notice, and then order. */
const MOST_STEPS = 3;

/**
 * Sends the notices of refill schedules and orders the fills that are due by the accounts' clocks. With `account_id`,
 * only those of this account.
 */
export async function fillSchedules(deps: Deps, account_id: string | null = null): Promise<void> {
  for (const account of await listScheduleAccounts(deps.db, account_id, deps.serves ?? null, deps.now())) {
    const now = accountNow(deps.now(), account.clock_offset_s);
    let due: { schedule_id: string }[];
    let moved: boolean;
    do {
      moved = false;
      due = await listDueSchedules(deps.db, account.account_id, now, MOST_AT_ONCE);
      await someAtOnce(due, async ({ schedule_id }) => {
        const key = { account_id: account.account_id, schedule_id };
        if (await apart(deps, key, () => catchUp(deps, key, account))) moved = true;
      });
      // A full page can hide later ones. A page on which nothing moved would come again.
    } while (moved && due.length === MOST_AT_ONCE);
  }
}

/** Takes all steps of a schedule that are due. Returns whether it took any. */
async function catchUp(deps: Deps, key: ScheduleKey, account: ScheduleAccount): Promise<boolean> {
  let steps = 0;
  while (steps < MOST_STEPS && (await takeStep(deps, key, account))) steps += 1;
  return steps > 0;
}

async function takeStep(deps: Deps, key: ScheduleKey, account: ScheduleAccount): Promise<boolean> {
  const { schedule, facts } = await withKeysOfNow(deps, () => findSchedule(deps, deps.db, key));
  const step = decideDue(schedule, facts);
  if (step === null) return false;
  try {
    if ("notify" in step) return await notifyRefill(deps, key, account);
    if ("fill" in step) return await fillDueSchedule(deps, key, account);
    return await change(deps, key);
  } catch (error) {
    // Another process changed the schedule; the next round starts from the new state.
    if (isConflict(error)) return false;
    throw error;
  }
}

const change = (deps: Deps, key: ScheduleKey): Promise<boolean> =>
  transact(deps, async (tx) => {
    const opened = await takeSchedule(deps, tx, key);
    const step = decideDue(opened.schedule, opened.facts);
    if (step === null || !("changed" in step)) return false;
    await keepSchedule(deps, tx, opened, step.changed);
    return true;
  });
