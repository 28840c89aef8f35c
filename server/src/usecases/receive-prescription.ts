import { createHash, randomUUID } from "node:crypto";
import { isConflict } from "../db/conflict.ts";
import { findMessage, messagePlace, type NewMessage, type Receiver, storeMessage } from "../db/intake.ts";
import { type IntakeSave, loadIntakeContext, saveIntake } from "../db/receive.ts";
import { insertReview } from "../db/reviews.ts";
import type { Deps } from "../deps.ts";
import { decideIntake, type IntakeDecision, type IntakeReply, usableIds } from "../domain/decide-intake.ts";
import type { IncomingMessage, IncomingPatient, ReadMessage } from "../domain/incoming-message.ts";
import type { IntakeFormat, ReplyContext } from "../domain/intake-format.ts";
import { refusalFor } from "../domain/intake-refusals.ts";
import { system } from "../domain/order.ts";
import { monthsByState, type PrescriptionRules } from "../domain/prescription.ts";
import { StatusRefusal } from "../domain/refusals.ts";
import { routeMessage } from "../domain/route-message.ts";
import { randomId } from "../random.ts";
import { withKeysOfNow } from "../vault/vault.ts";
import { cancelOrder } from "./cancel-order.ts";
import { changesOf, type Stored, unrouted } from "./intake-changes.ts";
import { accountNow } from "./move-clock.ts";
import { blindIndexes, openRecord } from "./patient-rows.ts";
import { readCatalogue } from "./read-catalogue.ts";

/** Who hands it in: the operator's account, and the credential it came with. */
export type IntakeCaller = { account_id: string; credential_id: string };
export type Received = { answer: string; patient_id: string | null; prescription_id: number | null };

const MOST_TRIES = 8;
const READER_FAILED = "007";

/**
 * Takes a message in: kept raw first, then made a prescription of (or a cancel, or a refusal), then answered. The same
 * message again gets the same answer and changes nothing. Three statements: keep, load, save.
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
  // A fault of the reader's is no verdict on the message: it waits, as one that could not be processed does.
  const verdict = read.ok || read.refusal.description_code === READER_FAILED ? null : read.refusal;
  const refused = verdict && format.reply({ kind: "refused", refusal: verdict }, context(read, now));
  const to = read.ok ? read.message.envelope.to : null;
  const stored = await withKeysOfNow(deps, () => storeMessage(deps.db, sealed(deps, message, body), to, refused));
  if (stored.new_id !== null) {
    if (refused !== null) return { answer: refused, patient_id: null, prescription_id: null };
    return processOrWait(deps, format, read, { ...message, intake_message_id: stored.new_id }, stored.receivers);
  }
  const before =
    stored.intake_message_id == null
      ? await findMessage(deps.db, message.account_id, message.sender, message.sender_message_id)
      : (stored as Required<typeof stored>);
  if (before === undefined) throw new Error("a message that was there a moment ago is gone");
  if (!before.body_hash.equals(message.body_hash)) return refuseReused(deps, format, message, body, read, before);
  if (before.answer !== null) return { answer: before.answer, patient_id: null, prescription_id: null };
  // Stored and not done with: whoever stored it is at it, or has died. Whoever saves first wins.
  const { intake_message_id } = before;
  return processOrWait(deps, format, read, { ...message, intake_message_id }, stored.receivers);
}

/** What is kept is not lost: where it cannot be processed now, the sender is told so and a job takes it up. */
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
    if (error instanceof StatusRefusal) throw error;
    const { intake_message_id } = stored;
    deps.log.error({ intake_message_id, err: faultName(error) }, "a kept message could not be processed");
    const answer = format.reply({ kind: "pending" }, context(read, deps.now()));
    return { answer, patient_id: null, prescription_id: null };
  }
}

/** No more than the kind of error: its text may repeat what was sent. */
const faultName = (error: unknown) =>
  `${(error as Error).name} ${String((error as { code?: unknown }).code ?? "")}`.trim();

export type DecidingDeps = Pick<Deps, "config" | "db" | "vault" | "bus" | "copies">;
type Work = { message: IncomingMessage; stored: Stored; receivers: readonly Receiver[] };

/** Decides on a stored message and saves what follows from it, as often as somebody else was faster. */
export async function processMessage(deps: Deps, format: IntakeFormat, work: Work): Promise<Received> {
  for (let tries = 1; ; tries++) {
    try {
      return await withKeysOfNow(deps, () => attempt(deps, format, work));
    } catch (error) {
      if (!isConflict(error) || tries === MOST_TRIES) throw error;
      const { account_id, sender, sender_message_id } = work.stored;
      const known = await findMessage(deps.db, account_id, sender, sender_message_id);
      if (known?.answer != null) return { answer: known.answer, patient_id: null, prescription_id: null };
    }
  }
}

async function attempt(deps: Deps, format: IntakeFormat, { message, stored, receivers }: Work): Promise<Received> {
  const now = deps.now();
  const prescriber = "prescription" in message.content ? message.content.prescription?.prescriber : undefined;
  const account = routeMessage(receivers, {
    sender: stored.sender,
    prescriber_npi: prescriber?.npi ?? null,
    practice: prescriber?.practice ?? null,
  });
  if (account === "nobody" || account === "undecided") {
    const reply: IntakeReply =
      account === "nobody" ? { kind: "refused", refusal: refusalFor("002") } : { kind: "in_review" };
    const answer = format.reply(reply, { ...aboutMessage(message, now), prescription_id: null });
    await saveIntake(deps.db, unrouted(stored, message, answer, account, now));
    return { answer, patient_id: null, prescription_id: null };
  }
  return (await takeFor(deps, format, message, stored, account)).received;
}

/** For the account it is meant for: decided and saved. */
export async function takeFor(
  deps: Deps,
  format: IntakeFormat,
  message: IncomingMessage,
  stored: Stored,
  account: Receiver,
): Promise<{ decision: IntakeDecision; received: Received }> {
  const { decision, changes, received } = await decideFor(deps, format, message, stored, account, deps.now());
  if (decision.orders_to_cancel.length > 0) {
    // Before the message is done with: cut off here, it is taken up again and finds what is left to do.
    for (const order_number of decision.orders_to_cancel) {
      await cancelOrder(deps, deps.db, { account_id: account.account_id, order_number, actor: system });
    }
    return takeFor(deps, format, message, stored, account);
  }
  await saveIntake(deps.db, changes);
  return { decision, received };
}

/** What follows from a stored message for the account it is meant for. Nothing is saved yet. */
export async function decideFor(
  deps: DecidingDeps,
  format: IntakeFormat,
  message: IncomingMessage,
  stored: Stored,
  account: Receiver,
  real_now: Date,
): Promise<{ decision: IntakeDecision; changes: IntakeSave; received: Received }> {
  const { account_id, workflow } = account;
  const now = accountNow(real_now, account.clock_offset_s);
  const patient = patientOf(message);
  const indexes = blindIndexes(deps, account_id, stored.sender, patient);
  const [loaded, { products }] = await Promise.all([
    loadIntakeContext(deps.db, {
      account_id,
      ...indexes,
      wanted_patient_ids: patient === null ? [] : usableIds(patient),
      sender: stored.sender,
      relates_to: message.envelope.relates_to_message_id,
      prescriber_order_number: message.content.kind === "new" ? null : message.envelope.prescriber_order_number,
      with_prescriptions: message.content.kind === "cancel",
      meant_patient_id: patient?.meant_patient_id ?? null,
    }),
    readCatalogue(deps, account_id),
  ]);
  const candidates = loaded.patients.map(({ patient_id, record_sealed, same_id }) => ({
    patient_id,
    same_id,
    record: openRecord(deps, account_id, patient_id, Buffer.from(record_sealed, "base64")),
  }));
  const decision = decideIntake(
    message,
    {
      candidates,
      taken_patient_ids: loaded.taken_patient_ids,
      prescriptions: loaded.prescriptions,
      formulary: products,
    },
    { sender: stored.sender, workflow, rules: prescriptionRules(deps), now, new_patient_id: randomId(8) },
  );
  const prescription_id = decision.prescription === null ? null : loaded.next_prescription_id;
  const patient_id = decision.patient?.patient_id ?? null;
  const ended = loaded.prescriptions.find((one) => one.prescription_id === decision.ended[0]?.prescription_id);
  const answer = format.reply(decision.reply, {
    ...aboutMessage(message, real_now, decision),
    prescription_id,
    patient_id: patient_id ?? ended?.patient_id ?? null,
    ended_prescription_id: ended?.prescription_id ?? null,
  });
  const changes = changesOf(deps, {
    decision,
    message,
    stored,
    account_id,
    workflow,
    prescription_id,
    answer,
    now,
    claim_revision: loaded.claim_revision,
    revision: loaded.patients.find((one) => one.patient_id === patient_id)?.revision ?? 0,
    alias_indexes: indexes.alias_indexes,
  });
  return { decision, changes, received: { answer, patient_id, prescription_id } };
}

const patientOf = ({ content }: IncomingMessage): IncomingPatient | null =>
  content.kind === "cancel" ? content.target.patient : (content.prescription?.patient ?? null);

export const prescriptionRules = ({ config }: Pick<Deps, "config">): PrescriptionRules => ({
  time_zone: config.TIME_ZONE,
  expiry_months: config.RX_EXPIRY_MONTHS,
  expiry_months_by_state: monthsByState(config.RX_EXPIRY_MONTHS_BY_STATE),
});

/** A reader that throws is a fault of ours: the message is kept all the same, and the sender may try again. */
function readGuarded(deps: Deps, format: IntakeFormat, body: Buffer): ReadMessage {
  try {
    return format.read(body);
  } catch (error) {
    deps.log.error({ fault: (error as Error).name, format: format.format }, "a reader failed");
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
    warnings: [],
  };
}

/**
 * The same bytes in another format, or for another receiver, are another message and get an answer of their own. A
 * SCRIPT message names its receiver itself; beside a FHIR message the address of the request may.
 */
export function hashOfSent(format: IntakeFormat["format"], read: ReadMessage, body: Buffer): Buffer {
  const to = (read.ok ? read.message.envelope : read.envelope)?.to ?? "";
  const beside = format === "fhir" ? `${format} ${to}\n` : "";
  return createHash("sha256").update(beside).update(body).digest();
}

/** What a message is known again by. Who names itself in no way is its credential, what has no id its bytes. */
export function messageIdentity(read: ReadMessage, { credential_id }: IntakeCaller, body_hash: Buffer) {
  const envelope = read.ok ? read.message.envelope : read.envelope;
  return {
    sender: envelope?.from ?? `credential ${credential_id}`,
    sender_message_id: envelope?.message_id ?? `sha256 ${body_hash.toString("hex")}`,
  };
}

function sealed(deps: Deps, message: Omit<NewMessage, "body_sealed">, body: Buffer): NewMessage {
  const place = messagePlace(message.account_id, message.sender, message.sender_message_id);
  return { ...message, body_sealed: deps.vault.seal(body, place) };
}

/** Other bytes under a message id that is taken: kept under a name of its own, refused, and shown to a person. */
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
  const kept = await withKeysOfNow(deps, () => storeMessage(deps.db, sealed(deps, own, body), null, answer));
  if (kept.new_id === null) {
    const known =
      kept.answer ?? (await findMessage(deps.db, own.account_id, own.sender, own.sender_message_id))?.answer;
    return { answer: known ?? answer, patient_id: null, prescription_id: null };
  }
  await insertReview(deps.db, {
    account_id: message.account_id,
    kind: "message_id_reused",
    intake_message_id: kept.new_id,
    reasons: ["220"],
    facts: { first_intake_message_id: before.intake_message_id },
    created_at: now,
  });
  return { answer, patient_id: null, prescription_id: null };
}

const context = (read: ReadMessage, now: Date): ReplyContext => ({
  envelope: read.ok ? read.message.envelope : read.envelope,
  warnings: read.ok ? read.message.warnings : read.warnings,
  message_id: randomUUID().replaceAll("-", ""),
  sent_time: now,
  prescription_id: null,
});

const aboutMessage = (message: IncomingMessage, now: Date, decision?: IntakeDecision) => ({
  envelope: message.envelope,
  warnings: [...message.warnings, ...(decision?.warnings ?? []).map((code) => ({ code, path: null }))],
  message_id: randomUUID().replaceAll("-", ""),
  sent_time: now,
});
