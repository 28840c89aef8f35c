import { listAccounts } from "../db/accounts.ts";
import { deleteKeptAnswers } from "../db/idempotency.ts";
import { deleteFingerprints } from "../db/place-order.ts";
import { deleteExpiredTokens } from "../db/tokens.ts";
import type { Deps } from "../deps.ts";
import { KEPT_FOR_MS } from "./idempotently.ts";

const BITE = 5_000;

/** Deletes expired tokens, old idempotent answers and fingerprints of old orders, so that their tables stay bounded. */
export async function tidy(deps: Deps): Promise<{ tokens: number; answers: number; fingerprints: number }> {
  const now = deps.now();
  const before = new Date(now.getTime() - KEPT_FOR_MS);
  const removed = { tokens: 0, answers: 0, fingerprints: 0 };
  for (const { account_id } of await listAccounts(deps.db)) {
    removed.tokens += await inBites(() => deleteExpiredTokens(deps.db, account_id, now, BITE));
    removed.answers += await inBites(() => deleteKeptAnswers(deps.db, account_id, before, BITE));
    removed.fingerprints += await inBites(() => deleteFingerprints(deps.db, account_id, before, BITE));
  }
  return removed;
}

async function inBites(bite: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await bite();
    total += count;
    if (count < BITE) return total;
  }
}
