import { listAccounts } from "../db/accounts.ts";
import { deleteKeptAnswers } from "../db/idempotency.ts";
import { deleteFingerprints } from "../db/place-order.ts";
import { deleteExpiredTokens } from "../db/tokens.ts";
import type { Deps } from "../deps.ts";
import { KEPT_FOR_MS } from "./idempotently.ts";
import { inBites } from "./in-bites.ts";
import { tidyWebhooks } from "./tidy-webhooks.ts";

const BITE = 5_000;

/**
 * Deletes expired tokens, old idempotent answers, fingerprints of old orders and old events, so that their tables stay
 * bounded.
 */
export async function tidy(deps: Deps): Promise<{ tokens: number; answers: number; fingerprints: number }> {
  const now = deps.now();
  const before = new Date(now.getTime() - KEPT_FOR_MS);
  const removed = { tokens: 0, answers: 0, fingerprints: 0 };
  for (const { account_id } of await listAccounts(deps.db)) {
    removed.tokens += await inBites(BITE, () => deleteExpiredTokens(deps.db, account_id, now, BITE));
    removed.answers += await inBites(BITE, () => deleteKeptAnswers(deps.db, account_id, before, BITE));
    removed.fingerprints += await inBites(BITE, () => deleteFingerprints(deps.db, account_id, before, BITE));
  }
  await tidyWebhooks(deps);
  return removed;
}
