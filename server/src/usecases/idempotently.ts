import type { Tx } from "../db/db.ts";
import {
  answerPlace,
  claimKey,
  type IdempotencyClaim,
  keepAnswer,
  loadKeptAnswer,
  replaceAnswer,
} from "../db/idempotency.ts";
import type { Deps } from "../deps.ts";
import { Conflict, refuse } from "../domain/values/refusals.ts";
import { withKeysOfNow } from "../vault/vault.ts";

/** A finished answer, as it is kept and sent: status and body bytes. */
export type FinishedAnswer = {
  status: number;
  body: string;
  replayed?: boolean;
  /** What is left to do once the change is saved, outside its transaction: it gives the body that is sent and kept. */
  settle?: () => Promise<string>;
};

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
  options: {
    /** It writes with one statement, which is all or nothing by itself: without a key it needs no transaction. */
    saves_once?: boolean;
  } = {},
): Promise<FinishedAnswer> {
  if (claim === undefined && options.saves_once) {
    return settled(deps, claim, await withKeysOfNow(deps, () => change(deps.db as unknown as Tx)));
  }
  const done = await withKeysOfNow(deps, () =>
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
  return settled(deps, claim, done);
}

/** Cut off in between, the answer that is kept is the one from before; a job settles what was left. */
async function settled(
  deps: Deps,
  claim: IdempotencyClaim | undefined,
  { settle, ...done }: FinishedAnswer,
): Promise<FinishedAnswer> {
  if (settle === undefined) return done;
  const body = await settle();
  if (claim !== undefined) {
    await withKeysOfNow(deps, () =>
      replaceAnswer(deps.db, claim, deps.vault.seal(Buffer.from(body), answerPlace(claim))),
    );
  }
  return { ...done, body };
}
