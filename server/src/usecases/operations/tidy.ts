import { NOTIFICATION_DAYS } from "@pestle/contract";
import { listAccounts } from "../../db/accounts/accounts.ts";
import { deleteExpiredAssertions } from "../../db/accounts/credential-limits.ts";
import { deleteOldSessions } from "../../db/accounts/sessions.ts";
import { deleteExpiredTokens } from "../../db/accounts/tokens.ts";
import { deleteOldNotifications } from "../../db/fulfillment/notifications.ts";
import { deleteKeptAnswers } from "../../db/idempotency.ts";
import { deleteOldLetters } from "../../db/operations/letters.ts";
import { deleteOldRequests } from "../../db/operations/request-log.ts";
import { deleteOldUsage } from "../../db/operations/request-usage.ts";
import { deleteFingerprints } from "../../db/orders/place-order.ts";
import type { Deps } from "../../deps.ts";
import { IDLE_MS, LONGEST_SESSION_MS } from "../accounts/sign-in.ts";
import { inBites, tidyWebhooks } from "../webhooks/tidy-webhooks.ts";
import { KEPT_FOR_MS } from "../write.ts";

const BITE = 5_000;
const DAY_MS = 24 * 3600 * 1000;
/** More than a year, so that a month can be compared with the same month a year before. */
const USAGE_DAYS = 400;
/** How long the operator can see that an email was not delivered. */
const LETTER_DAYS = 30;

/**
 * Deletes expired rows, so that their tables stay bounded: tokens, client assertions, stored answers, order fingerprints, requests, events,
 * notifications, letters and sessions.
 */
export async function tidy(
  deps: Deps,
): Promise<{ tokens: number; answers: number; fingerprints: number; requests: number }> {
  const now = deps.now();
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
  const before = new Date(now.getTime() - KEPT_FOR_MS);
  const requests_before = daysAgo(deps.config.REQUEST_LOG_DAYS);
  const removed = { tokens: 0, answers: 0, fingerprints: 0, requests: 0 };
  for (const { account_id } of await listAccounts(deps.db)) {
    removed.tokens += await inBites(BITE, () => deleteExpiredTokens(deps.db, account_id, now, BITE));
    await inBites(BITE, () => deleteExpiredAssertions(deps.db, account_id, now, BITE));
    removed.answers += await inBites(BITE, () => deleteKeptAnswers(deps.db, account_id, before, BITE));
    removed.fingerprints += await inBites(BITE, () => deleteFingerprints(deps.db, account_id, before, BITE));
    removed.requests += await inBites(BITE, () => deleteOldRequests(deps.db, account_id, requests_before, BITE));
    await deleteOldNotifications(deps.db, account_id, daysAgo(NOTIFICATION_DAYS));
    await deleteOldUsage(deps.db, account_id, daysAgo(USAGE_DAYS));
  }
  await deleteOldSessions(deps.db, new Date(now.getTime() - IDLE_MS), new Date(now.getTime() - LONGEST_SESSION_MS));
  await inBites(BITE, () => deleteOldLetters(deps.db, daysAgo(LETTER_DAYS), BITE));
  await tidyWebhooks(deps);
  return removed;
}
