import { operatorAccounts } from "../../db/accounts/accounts.ts";
import {
  finishMessage,
  listReceivers,
  listWaiting,
  messagePlace,
  noteFailure,
  type WaitingMessage,
} from "../../db/intake/messages.ts";
import { insertReview } from "../../db/intake/reviews.ts";
import type { Deps } from "../../deps.ts";
import type { IntakeFormat } from "../../domain/intake/intake-format.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { sealAnswer, sealFacts } from "./message-answer.ts";
import { processMessage, receivePrescription } from "./receive-prescription.ts";

/** The process that received a message has this long to finish before this job takes over. */
const GRACE_MS = 10_000;
const MOST_AT_ONCE = 100;
const MOST_ATTEMPTS = 5;

/**
 * Processes stored messages that were left unfinished because the process ended or the database became unreachable. A
 * message that keeps failing goes to a person for review. Returns the number of finished messages.
 */
export async function processWaiting(
  deps: Deps,
  formatOf: (message: Pick<WaitingMessage, "format" | "receiver">) => IntakeFormat,
): Promise<number> {
  const before = new Date(deps.now().getTime() - GRACE_MS);
  let done = 0;
  for (const { account_id } of await operatorAccounts(deps.db, deps.serves ?? null)) {
    for (const waiting of await listWaiting(deps.db, account_id, before, MOST_ATTEMPTS, MOST_AT_ONCE)) {
      if (await takeUp(deps, account_id, waiting, formatOf(waiting))) done += 1;
    }
  }
  return done;
}

async function takeUp(deps: Deps, account_id: string, waiting: WaitingMessage, format: IntakeFormat): Promise<boolean> {
  const { intake_message_id, sender, sender_message_id, body_sealed } = waiting;
  try {
    const place = messagePlace(account_id, sender, sender_message_id);
    const body = await withKeysOfNow(deps, async () => deps.vault.open(body_sealed, place));
    const read = format.read(body);
    if (!read.ok) throw new Error("the message cannot be read");
    const { envelope } = read.message;
    if (envelope.message_id !== null && envelope.message_id !== sender_message_id) {
      // A reader failed on it before, so it is stored under its body's hash. Now that it is readable, use its own id.
      const caller = { account_id, credential_id: sender.replace(/^credential /, "") };
      const { answer } = await receivePrescription(deps, format, caller, body);
      const key = { account_id, sender, sender_message_id };
      await withKeysOfNow(deps, () =>
        finishMessage(deps.db, account_id, intake_message_id, sealAnswer(deps.vault, key, answer), deps.now()),
      );
      return true;
    }
    const receivers = await listReceivers(deps.db, account_id, envelope.to);
    const stored = { ...waiting, account_id, kind: read.message.content.kind };
    await processMessage(deps, format, { message: read.message, stored, receivers });
    return true;
  } catch (error) {
    deps.log.error(
      { account_id, intake_message_id, fault: (error as Error).name },
      "a stored message could not be processed",
    );
    const failed = await noteFailure(deps.db, account_id, intake_message_id);
    if (failed?.attempts === MOST_ATTEMPTS) {
      const entry = { account_id, kind: "processing_failed" as const, intake_message_id };
      const { attempts } = failed;
      await withKeysOfNow(deps, () =>
        insertReview(deps.db, {
          ...entry,
          reasons: [],
          facts_sealed: sealFacts(deps.vault, entry, { attempts }),
          created_at: deps.now(),
        }),
      );
    }
    return false;
  }
}
