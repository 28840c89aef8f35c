import { insertFillNotice, listNotifiedAccounts, listUnreportedFills } from "../../db/prescribers/fill-notices.ts";
import { prescriberMessagePlace } from "../../db/prescribers/prescriber-messages.ts";
import type { EnvironmentDeps } from "../../deps.ts";
import { fillNotice } from "../../domain/prescribers/fill-notice.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { randomEventId } from "../../random.ts";
import { withKeysOfNow } from "../../vault/vault.ts";

/** How far back a run looks. A service that was stopped for longer sends no notices of what happened before. */
const LOOKS_BACK_MS = 3 * 24 * 3_600_000;
const MOST_AT_ONCE = 100;

/** Queues a notice of each fill that shipped, was canceled or came back, for senders whose route asks for notices. */
export async function queueFillNotices(deps: EnvironmentDeps): Promise<void> {
  for (const { account_id, clock_offset_s } of await listNotifiedAccounts(deps.db, null, deps.serves)) {
    const now = accountNow(deps.now(), clock_offset_s);
    const since = new Date(now.getTime() - LOOKS_BACK_MS);
    for (const fill of await listUnreportedFills(deps.db, account_id, since, MOST_AT_ONCE)) {
      const message_id = randomEventId();
      const place = prescriberMessagePlace("asked_sealed", account_id, message_id);
      const asked = Buffer.from(JSON.stringify(fillNotice(fill.fill, fill.units)));
      await withKeysOfNow(deps, () =>
        insertFillNotice(deps.db, {
          ...fill,
          account_id,
          message_id,
          created_at: now,
          asked_sealed: deps.vault.seal(asked, place),
        }),
      );
    }
  }
}
