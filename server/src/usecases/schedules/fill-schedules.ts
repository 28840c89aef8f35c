import { isConflict } from "../../db/conflict.ts";
import { listDueSchedules, listScheduleAccounts, type ScheduleAccount } from "../../db/schedules/due-schedules.ts";
import type { ScheduleRow } from "../../db/schedules/schedules.ts";
import type { Deps } from "../../deps.ts";
import { decideDue } from "../../domain/schedules/schedule.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { apart } from "../operations/apart.ts";
import { someAtOnce } from "../operations/some-at-once.ts";
import { transact } from "../write.ts";
import { fillDueSchedule } from "./fill-schedule.ts";
import { notifyRefill } from "./notify-refill.ts";
import { keepSchedule, type OpenedSchedule, openSchedule, type ScheduleKey, takeSchedule } from "./schedule-rows.ts";

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
    let due: ScheduleRow[];
    let moved: boolean;
    do {
      moved = false;
      due = await listDueSchedules(deps.db, account.account_id, now, MOST_AT_ONCE);
      await someAtOnce(due, async (row) => {
        const key = { account_id: account.account_id, schedule_id: row.schedule_id };
        if (await apart(deps, key, () => catchUp(deps, row, account))) moved = true;
      });
      // A full page can hide later ones. A page on which nothing moved would come again.
    } while (moved && due.length === MOST_AT_ONCE);
  }
}

/** Takes all steps of a schedule that are due. Returns whether it took any. Each step loads the schedule again and locks it. */
async function catchUp(deps: Deps, row: ScheduleRow, account: ScheduleAccount): Promise<boolean> {
  let found = await withKeysOfNow(deps, async () => openSchedule(deps, account.account_id, row));
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const after = await takeStep(deps, found, account);
    if (after === null) return steps > 0;
    found = after;
  }
  return true;
}

/** Returns the schedule after the step, or null if no step is due or another process was first. */
async function takeStep(deps: Deps, found: OpenedSchedule, account: ScheduleAccount): Promise<OpenedSchedule | null> {
  const step = decideDue(found.schedule, found.facts);
  if (step === null) return null;
  try {
    if ("notify" in step) return await notifyRefill(deps, found, account);
    if ("fill" in step) return await fillDueSchedule(deps, found, account);
    return await change(deps, found);
  } catch (error) {
    // Another process changed the schedule; the next round starts from the new state.
    if (isConflict(error)) return null;
    throw error;
  }
}

const change = (deps: Deps, key: ScheduleKey): Promise<OpenedSchedule | null> =>
  transact(deps, async (tx) => {
    const opened = await takeSchedule(deps, tx, key);
    const step = decideDue(opened.schedule, opened.facts);
    if (step === null || !("changed" in step)) return null;
    return keepSchedule(deps, tx, opened, step.changed);
  });
