import { randomUUID } from "node:crypto";
import { findMessage, messagePlace, type NewMessage, type Receiver, storeMessage } from "../../db/intake/messages.ts";
import { saveIntake } from "../../db/intake/receive-prescription.ts";
import { insertReview } from "../../db/intake/reviews.ts";
import type { Deps } from "../../deps.ts";
import type { IntakeReply } from "../../domain/intake/decide-intake.ts";
import type { IncomingMessage, ReadMessage } from "../../domain/intake/incoming-message.ts";
import type { IntakeFormat, ReplyContext } from "../../domain/intake/intake-format.ts";
import { refusalFor } from "../../domain/intake/intake-refusals.ts";
import { routeMessage } from "../../domain/intake/route-message.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { findAnsweredRequest } from "../prescribers/answer-request.ts";
import { LostRaces, write } from "../write.ts";
import { type Stored, unrouted } from "./intake-changes.ts";
import { openAnswer, sealAnswer, sealFacts } from "./message-answer.ts";
import { hashOfSent, type IntakeCaller, messageIdentity } from "./message-identity.ts";
import { aboutMessage, type Received, recheckAfter, takeFor } from "./take-message.ts";

const READER_FAILED = "007";

/**
 * Receives a message: stores it raw, turns it into a prescription, a cancellation or a refusal, and answers. A repeated
 * message gets the same answer and changes nothing. Three statements: store, load, save.
 */
export async function receivePrescription(
  deps: Deps,
  format: IntakeFormat,
  caller: IntakeCaller,
  body: Buffer,
): Promise<Received> {
  const now = deps.now();
  const read = readGuarded(deps, format, body);
  const message = newMessage(format, caller, body, read, now);
  // A reader that fails says nothing about the message, so it stays unfinished and the job retries it.
  const verdict = read.ok || read.refusal.description_code === READER_FAILED ? null : read.refusal;
  const refused = verdict && format.reply({ kind: "refused", refusal: verdict }, context(read, now));
  const to = read.ok ? read.message.envelope.to : null;
  const stored = await withKeysOfNow(deps, () =>
    storeMessage(
      deps.db,
      sealed(deps, message, body),
      to,
      refused === null ? null : sealAnswer(deps.vault, message, refused),
    ),
  );
  if (stored.new_id !== null) {
    if (refused !== null) return { answer: refused, patient_id: null, prescription_id: null };
    return processOrWait(deps, format, read, { ...message, intake_message_id: stored.new_id }, stored.receivers);
  }
  const before = stored.known;
  if (!before.body_hash.equals(message.body_hash)) return refuseReused(deps, format, message, body, read, before);
  const answered = await withKeysOfNow(deps, async () => openAnswer(deps.vault, message, before));
  if (answered !== null) return { answer: answered, patient_id: null, prescription_id: null };
  // Stored but unfinished: the other process still works on it, or has died. The first to save wins.
  const { intake_message_id } = before;
  return processOrWait(deps, format, read, { ...message, intake_message_id }, stored.receivers);
}

/** A stored message is never lost: if it cannot be processed now, the sender gets `pending` and a job retries. */
async function processOrWait(
  deps: Deps,
  format: IntakeFormat,
  read: ReadMessage,
  stored: Stored,
  receivers: readonly Receiver[],
): Promise<Received> {
  if (!read.ok) {
    const answer = format.reply({ kind: "refused", refusal: read.refusal }, context(read, deps.now()));
    return { answer, patient_id: null, prescription_id: null };
  }
  try {
    return await processMessage(deps, format, { message: read.message, stored, receivers });
  } catch (error) {
    if (error instanceof StatusRefusal && !(error instanceof LostRaces)) throw error;
    const { account_id, intake_message_id } = stored;
    deps.log.error({ account_id, intake_message_id, err: faultName(error) }, "a stored message could not be processed");
    const answer = format.reply({ kind: "pending" }, context(read, deps.now()));
    return { answer, patient_id: null, prescription_id: null };
  }
}

/** Logs only the kind of error, because its text may quote the message. */
const faultName = (error: unknown) =>
  `${(error as Error).name} ${String((error as { code?: unknown }).code ?? "")}`.trim();

type Work = { message: IncomingMessage; stored: Stored; receivers: readonly Receiver[] };

/** Decides on a stored message and saves the result, unless another process finished the message first. */
export const processMessage = (deps: Deps, format: IntakeFormat, work: Work): Promise<Received> =>
  write(deps, {
    transaction: "on_retry",
    attempt: async (db, _, retried) => {
      const { account_id, sender, sender_message_id } = work.stored;
      const known = retried ? await findMessage(db, account_id, sender, sender_message_id) : undefined;
      const answer = known === undefined ? null : openAnswer(deps.vault, work.stored, known);
      if (answer !== null) return { answer, patient_id: null, prescription_id: null };
      return attempt({ ...deps, db }, format, work);
    },
    settle: (received) => recheckAfter(deps, received),
  });

async function attempt(deps: Deps, format: IntakeFormat, { message, stored, receivers }: Work): Promise<Received> {
  const now = deps.now();
  const prescriber = "prescription" in message.content ? message.content.prescription?.prescriber : undefined;
  const routed = routeMessage(receivers, {
    sender: stored.sender,
    prescriber_npi: prescriber?.npi ?? null,
    practice: prescriber?.practice ?? null,
  });
  const account = routed === "undecided" ? await askedBy(deps, receivers, stored, message) : routed;
  if (account === "nobody" || account === "undecided") {
    const reply: IntakeReply =
      account === "nobody" ? { kind: "refused", refusal: refusalFor("002") } : { kind: "in_review" };
    const answer = format.reply(reply, { ...aboutMessage(message, now), prescription_id: null });
    await saveIntake(deps.db, unrouted(deps, stored, message, answer, account, now));
    return { answer, patient_id: null, prescription_id: null };
  }
  const { received } = await takeFor(deps, format, message, stored, account);
  return { ...received, for_account_id: account.account_id };
}

/** Where no rule decides, the answer to a request belongs to the account that asked. */
async function askedBy(
  { db }: Pick<Deps, "db">,
  receivers: readonly Receiver[],
  { sender }: Stored,
  message: IncomingMessage,
): Promise<Receiver | "undecided"> {
  for (const receiver of receivers) {
    if ((await findAnsweredRequest(db, receiver.account_id, sender, message)) !== undefined) return receiver;
  }
  return "undecided";
}

/** A reader that throws is our own fault, so the message is stored anyway and the sender may retry. */
function readGuarded(deps: Deps, format: IntakeFormat, body: Buffer): ReadMessage {
  try {
    return format.read(body);
  } catch (error) {
    deps.log.error({ fault: (error as Error).name, format: format.format }, "a message reader failed");
    return { ok: false, refusal: refusalFor(READER_FAILED), envelope: null, warnings: [] };
  }
}

function newMessage(
  { format }: IntakeFormat,
  caller: IntakeCaller,
  body: Buffer,
  read: ReadMessage,
  now: Date,
): Omit<NewMessage, "body_sealed"> {
  const body_hash = hashOfSent(format, read, body);
  return {
    account_id: caller.account_id,
    format,
    ...messageIdentity(read, caller, body_hash),
    body_hash,
    received_at: now,
    kind: read.ok ? read.message.content.kind : null,
  };
}

function sealed(deps: Deps, message: Omit<NewMessage, "body_sealed">, body: Buffer): NewMessage {
  const place = messagePlace(message.account_id, message.sender, message.sender_message_id);
  return { ...message, body_sealed: deps.vault.seal(body, place) };
}

/** A known message id with different bytes: stores it under its own key, refuses it, and adds a review entry. */
async function refuseReused(
  deps: Deps,
  format: IntakeFormat,
  message: Omit<NewMessage, "body_sealed">,
  body: Buffer,
  read: ReadMessage,
  before: { intake_message_id: number },
): Promise<Received> {
  const now = deps.now();
  const refusal = refusalFor("220");
  const answer = format.reply({ kind: "refused", refusal }, context(read, now));
  const own = { ...message, sender_message_id: `${message.sender_message_id} ${message.body_hash.toString("hex")}` };
  const kept = await withKeysOfNow(deps, () =>
    storeMessage(deps.db, sealed(deps, own, body), null, sealAnswer(deps.vault, own, answer)),
  );
  if (kept.new_id === null) {
    const first = await withKeysOfNow(deps, async () => openAnswer(deps.vault, own, kept.known));
    return { answer: first ?? answer, patient_id: null, prescription_id: null };
  }
  const entry = { account_id: message.account_id, kind: "message_id_reused" as const, intake_message_id: kept.new_id };
  const facts = { first_intake_message_id: before.intake_message_id };
  await withKeysOfNow(deps, () =>
    insertReview(deps.db, {
      ...entry,
      reasons: ["220"],
      facts_sealed: sealFacts(deps.vault, entry, facts),
      created_at: now,
    }),
  );
  return { answer, patient_id: null, prescription_id: null };
}

const context = (read: ReadMessage, now: Date): ReplyContext => ({
  envelope: read.ok ? read.message.envelope : read.envelope,
  warnings: read.ok ? read.message.warnings : read.warnings,
  message_id: randomUUID().replaceAll("-", ""),
  sent_time: now,
  prescription_id: null,
});
