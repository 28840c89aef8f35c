import { listMessagingAccounts, queuePatientMessages } from "../../db/patients/patient-messages.ts";
import type { EnvironmentDeps } from "../../deps.ts";
import { LATEST_MS } from "../../domain/patients/decide-message.ts";
import { accountNow } from "../../domain/values/account-clock.ts";

/** An order that has been on hold for as long is delayed. */
const DELAYED_MS = 24 * 3_600_000;
/** Most runs look only at what changed lately. The first run, and one an hour, look at a whole day. */
const SHORT_LOOK_MS = 15 * 60_000;
const WHOLE_LOOK_EVERY_MS = 3_600_000;
const MOST_AT_ONCE = 1_000;

/**
 * Queues messages about orders that shipped, arrived or are delayed, where the partner passed consent. A job, so
 * that no order costs a statement more. Returns the function that the job runs.
 */
export function patientMessageQueue(deps: EnvironmentDeps): () => Promise<void> {
  let looked_at_all_ms = Number.NEGATIVE_INFINITY;
  return async () => {
    const real_now = deps.now();
    const whole = real_now.getTime() - looked_at_all_ms >= WHOLE_LOOK_EVERY_MS;
    for (const { account_id, clock_offset_s } of await listMessagingAccounts(deps.db, null, deps.serves)) {
      const now = accountNow(real_now, clock_offset_s);
      const ago = (ms: number) => new Date(now.getTime() - ms);
      await queuePatientMessages(deps.db, account_id, {
        now,
        since: ago(whole ? LATEST_MS : SHORT_LOOK_MS),
        held_before: ago(DELAYED_MS),
        held_since: ago(DELAYED_MS + LATEST_MS),
        most: MOST_AT_ONCE,
      });
    }
    if (whole) looked_at_all_ms = real_now.getTime();
  };
}
