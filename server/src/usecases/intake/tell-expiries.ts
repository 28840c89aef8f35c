import { type DueNotice, listDueNotices, listNoticeAccounts, saveNotice } from "../../db/intake/expiry-notices.ts";
import type { Deps } from "../../deps.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { expiryNotice } from "../../domain/webhooks/rx-status-changed.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { apart } from "../operations/apart.ts";
import { openPatientId } from "../patients/patient-rows.ts";
import { statusEvent } from "./status-event.ts";
import { openWritten } from "./written.ts";

const MOST_AT_ONCE = 100;

/**
 * Tells partners which prescriptions expire soon and which have expired, by the accounts' clocks. Each prescription
 * sends each of the two events once, in this order, however far a clock moves. With `only_account`, handles that account.
 */
export async function tellExpiries(deps: Deps, only_account: string | null = null): Promise<void> {
  const real_now = deps.now();
  for (const account of await listNoticeAccounts(deps.db, only_account, deps.serves ?? null, real_now)) {
    const { account_id } = account;
    const now = accountNow(real_now, account.clock_offset_s);
    let told = 0;
    do {
      told = 0;
      for (const due of await listDueNotices(deps.db, account_id, now, MOST_AT_ONCE)) {
        const { prescription_id } = due;
        if (await apart(deps, { account_id, prescription_id }, () => tell(deps, { ...account, now }, due))) told += 1;
      }
      // A round without success ends the loop: what fails stays due.
    } while (told > 0);
  }
}

/** Returns true, so that the caller can count what did not fail. */
const tell = (deps: Deps, account: Parameters<typeof statusEvent>[4], due: DueNotice): Promise<boolean> =>
  withKeysOfNow(deps, async () => {
    const { account_id, now } = account;
    const { prescription_id } = due;
    const fact = { ...openWritten(deps.vault, account_id, due), patient_id: openPatientId(deps, account_id, due) };
    const { change, next_at } = expiryNotice(due);
    const event = change && (await statusEvent(deps, deps.db, change, fact, account));
    await saveNotice(deps.db, { account_id, prescription_id, now, next_at, event });
    return true;
  });
