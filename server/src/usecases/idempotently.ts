import type { Tx } from "../db/db.ts";
import { answerPlace, claimKey, type IdempotencyClaim, keepAnswer, loadKeptAnswer } from "../db/idempotency.ts";
import type { Deps } from "../deps.ts";
import { Conflict, refuse } from "../domain/refusals.ts";
import { withKeysOfNow } from "../vault/vault.ts";

/** A finished answer, as it is kept and sent: status and body bytes. */
export type FinishedAnswer = { status: number; body: string; replayed?: boolean };

export const KEPT_FOR_MS = 24 * 3600 * 1000;

/**
 * Runs a change once per Idempotency-Key: the answer is kept in the change's own transaction, so a retry gets the
 * same bytes and nothing happens twice; a refused change rolls back and leaves the key free. Without a key it is a
 * plain transaction. The answer is sealed, as it may tell who. A rotation of the keys meanwhile is another try.
 */
export async function idempotently(
  deps: Deps,
  claim: IdempotencyClaim | undefined,
  change: (tx: Tx) => Promise<FinishedAnswer>,
): Promise<FinishedAnswer> {
  return withKeysOfNow(deps, () =>
    deps.db.transaction(async (tx) => {
      if (claim === undefined) return change(tx);
      const now = deps.now();
      const since = new Date(now.getTime() - KEPT_FOR_MS);
      const first = await claimKey(tx, claim, since);
      // After the claim it is read once more: another request may have finished between the two.
      const kept = first.body_sealed !== null ? first : await loadKeptAnswer(tx, claim, since);
      const place = answerPlace(claim);
      if (kept !== undefined) {
        if (!kept.fingerprint.equals(claim.fingerprint)) refuse(42299, "Idempotency-Key");
        const body = deps.vault.open(kept.body_sealed, place).toString("utf8");
        return { status: kept.status, body, replayed: true };
      }
      if (first.claimed !== true) throw new Conflict();
      const answer = await change(tx);
      const body_sealed = deps.vault.seal(Buffer.from(answer.body), place);
      await keepAnswer(tx, claim, { status: answer.status, body_sealed }, now);
      return answer;
    }),
  );
}
