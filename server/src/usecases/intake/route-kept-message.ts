import type { Tx } from "../../db/db.ts";
import {
  findKeptMessage,
  type KeptMessage,
  listReceivers,
  messagePlace,
  type Receiver,
} from "../../db/intake/messages.ts";
import { closeReview } from "../../db/intake/reviews.ts";
import type { Deps } from "../../deps.ts";
import type { IncomingMessage } from "../../domain/intake/incoming-message.ts";
import type { IntakeFormat } from "../../domain/intake/intake-format.ts";
import { intakeRefusals } from "../../domain/intake/intake-refusals.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { transact } from "../write.ts";
import { requireReviewer } from "./require-reviewer.ts";
import { type DecidingDeps, decideFor, saveDecided } from "./take-message.ts";

export type RoutingDeps = DecidingDeps & Pick<Deps, "now">;
export type RoutedMessage = {
  intake_message_id: number;
  patient_id: string | null;
  prescription_id: number | null;
};

/**
 * Processes an unrouted message for the account that an operator chose, as if a routing rule had matched. Its sender
 * already has an answer and gets no second one.
 */
export async function routeKeptMessage(
  deps: RoutingDeps,
  formatOf: (message: Pick<KeptMessage, "format" | "receiver">) => IntakeFormat,
  given: { review_id: number; account_id: string; email: string },
  audit?: (tx: Tx) => Promise<unknown>,
): Promise<RoutedMessage> {
  const { person_id } = await requireReviewer(deps.db, given.email);
  const kept = await findKeptMessage(deps.db, given.review_id, given.account_id);
  if (kept === undefined) throw new AdminRefusal("There is no such entry in the environment of that account.");
  if (kept.review_kind !== "unrouted_message") throw new AdminRefusal("This entry has no message to route.");
  if (kept.resolved_at !== null) throw new AdminRefusal(CLOSED);
  const receivers = await listReceivers(deps.db, kept.account_id, kept.receiver);
  const account = receivers.find(({ account_id }) => account_id === given.account_id);
  if (account === undefined)
    throw new AdminRefusal("The message is addressed to an ID that this account does not have.");

  const format = formatOf(kept);
  const message = await openMessage(deps, kept, format);
  return transact(deps, async (tx) => {
    const routed = await route({ ...deps, db: tx }, tx, format, message, kept, account, given.review_id, person_id);
    await audit?.(tx);
    return routed;
  });
}

const CLOSED = "This entry is already closed.";

async function openMessage(deps: RoutingDeps, kept: KeptMessage, format: IntakeFormat): Promise<IncomingMessage> {
  const place = messagePlace(kept.account_id, kept.sender, kept.sender_message_id);
  const read = format.read(await withKeysOfNow(deps, async () => deps.vault.open(kept.body_sealed, place)));
  if (!read.ok) throw new AdminRefusal(`The message cannot be read: ${sentence(read.refusal)}`);
  return read.message;
}

async function route(
  deps: RoutingDeps,
  tx: Tx,
  format: IntakeFormat,
  message: IncomingMessage,
  kept: KeptMessage,
  account: Receiver,
  review_id: number,
  resolved_by: string,
): Promise<RoutedMessage> {
  const now = deps.now();
  const { account_id, intake_message_id } = kept;
  const stored = { ...kept, kind: message.content.kind };
  const decided = await decideFor(deps, format, message, stored, account, now);
  const { decision, changes, received } = decided;
  if (decision.reply.kind === "refused") {
    // The sender has an acknowledgment, so a person must contact the prescriber and the entry stays open.
    throw new AdminRefusal(`The message cannot be accepted: ${sentence(decision.reply.refusal)}`);
  }
  const outcome = `routed to ${account.account_id}`;
  if ((await closeReview(tx, { account_id, review_id, resolved_at: now, resolved_by, outcome })) === 0) {
    throw new AdminRefusal(CLOSED);
  }
  await saveDecided(tx, { ...decided, changes: { ...changes, message: { ...changes.message, was: "review" } } });
  const { patient_id, prescription_id } = received;
  return { intake_message_id, patient_id, prescription_id };
}

const sentence = ({ description_code }: { description_code: keyof typeof intakeRefusals }) =>
  intakeRefusals[description_code][1];
