import { claimLetters, type DueLetter, endLetter, letterPlace } from "../../../db/operations/letters.ts";
import type { Deps } from "../../../deps.ts";
import { MailFailed } from "../../../domain/operations/mail-failed.ts";
import { nextAttemptAt } from "../../../domain/webhooks/retry.ts";
import { withKeysOfNow } from "../../../vault/vault.ts";
import type { PostedLetter } from "./post-letter.ts";

/** An attempt takes at most 15 s; the rest is for saving its result. */
const LEASE_S = 60;
const MOST_AT_ONCE = 20;

/** Hands the due letters to the mail server. One that it does not take is tried again by the webhooks' table. */
export async function sendLetters(deps: Deps): Promise<void> {
  if (deps.mail === null) return;
  const due = await claimLetters(deps.db, deps.now(), LEASE_S, MOST_AT_ONCE);
  // One full or missing mailbox must not stop the others.
  await Promise.all(due.map((letter) => attempt(deps, letter)));
}

async function attempt(deps: Deps, due: DueLetter): Promise<void> {
  const { letter_id, attempts } = due;
  try {
    const letter = await withKeysOfNow(
      deps,
      async () =>
        JSON.parse(deps.vault.open(due.content_sealed, letterPlace(letter_id)).toString("utf8")) as PostedLetter,
    );
    await deps.mail!.send({ ...letter, message_id: letter_id });
    await endLetter(deps.db, due, { state: "sent", error: null, due_at: null });
  } catch (error) {
    if (!(error instanceof MailFailed)) throw error;
    const now = deps.now();
    const due_at = error.final
      ? null
      : nextAttemptAt({ tried: attempts + 1, now, chance: Math.random(), retry_after_s: null });
    const state = due_at === null ? "failed" : "queued";
    deps.log.warn({ letter_id, fault: error.message, state }, "an email could not be sent");
    await endLetter(deps.db, due, { state, error: error.code, due_at });
  }
}
