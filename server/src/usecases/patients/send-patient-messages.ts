import { MOST_NOTIFICATIONS, noMessaging, providers } from "@pestle/contract";
import { insertNotifications } from "../../db/fulfillment/notifications.ts";
import {
  beginSending,
  claimPatientMessages,
  type DuePatientMessage,
  endAttempt,
  listLeads,
  listMessagingAccounts,
  type MessageEnd,
  type MessageProvider,
  type MessagingAccount,
  patientMessagePlace,
} from "../../db/patients/patient-messages.ts";
import { findSmsChoice, SMS_CHOICE_PLACE } from "../../db/patients/sms-choices.ts";
import type { Deps, EnvironmentDeps } from "../../deps.ts";
import { MailFailed } from "../../domain/operations/mail-failed.ts";
import { decideMessage, LATEST_MS, type MessageContent } from "../../domain/patients/decide-message.ts";
import { shownPhone } from "../../domain/patients/notice-text.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { nextAttemptAt } from "../../domain/webhooks/retry.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { openRecord } from "./patient-rows.ts";

/** An attempt takes at most 15 s; the rest is for saving its result. */
const LEASE_S = 60;
const MOST_AT_ONCE = 32;
/** After a lost answer, the provider's list is asked this often, with this pause before each time. */
const MOST_LOOKS = 3;
const LOOK_AFTER_MS = 60_000;

type Account = MessagingAccount & { now: Date };

/**
 * Sends the due messages to patients. A text message is written down as `sending` before the provider is called, and after a
 * lost answer it is looked up and never sent again.
 */
export async function sendPatientMessages(deps: EnvironmentDeps): Promise<void> {
  let room = MOST_AT_ONCE;
  for (const one of await listMessagingAccounts(deps.db, null, deps.serves)) {
    const account = { ...one, now: accountNow(deps.now(), one.clock_offset_s) };
    const due = await claimPatientMessages(deps.db, account.account_id, account.now, LEASE_S, room);
    // One after the other: each counts what the patient received in a day, and a provider limits its rate.
    for (const message of due) await attempt(deps, account, message);
    room -= due.length;
    if (room <= 0) return;
  }
}

/** One attempt. It never throws because of a single message. */
async function attempt(deps: EnvironmentDeps, account: Account, message: DuePatientMessage): Promise<void> {
  const { account_id, message_id } = message;
  try {
    const ended =
      message.state === "sending" ? await lookBack(deps, account, message) : await send(deps, account, message);
    if (ended !== null) await end(deps, account, message, ended);
  } catch (error) {
    deps.metrics.countFault("job");
    deps.log.error({ account_id, message_id, fault: (error as Error).name }, "a message to a patient failed");
  }
}

async function end(deps: EnvironmentDeps, account: Account, message: DuePatientMessage, ended: MessageEnd) {
  const saved = await endAttempt(deps.db, message, ended);
  if (saved > 0 && ended.state === "failed") await tellUndelivered(deps, message, account.now);
}

/** Notifies the staff who lead: a person has to ask the partner for another address or number. */
export async function tellUndelivered(
  { db }: Pick<Deps, "db">,
  { account_id, order_number }: { account_id: string; order_number: string },
  at: Date,
): Promise<void> {
  const person_ids = await listLeads(db);
  if (person_ids.length === 0) return;
  const notification = { account_id, order_number, person_ids, at, kind: "undelivered", caused_by: null } as const;
  await insertNotifications(db, notification, MOST_NOTIFICATIONS);
}

/** Null if the result is saved already, or another process holds the message now. */
async function send(
  deps: EnvironmentDeps,
  { environment, now }: Account,
  message: DuePatientMessage,
): Promise<MessageEnd | null> {
  const { account_id, message_id, channel, order_number } = message;
  const sms = deps.sms[environment];
  const provider = providerOf(deps, environment, channel);
  const record = await withKeysOfNow(deps, async () =>
    openRecord(deps, account_id, message.patient_key, message.record_sealed),
  );
  const decision = decideMessage(
    { ...message, record, opted_out: channel === "sms" && (await hasOptedOut(deps, record.phone)) },
    {
      now,
      hours: deps.config.SMS_HOURS,
      pharmacy: { pharmacy: deps.config.PHARMACY_NAME, phone: shownPhone(deps.config.PHARMACY_PHONE) },
      provided: provider !== null,
    },
  );
  if (decision.kind === "suppress") return { state: "suppressed", reason: decision.reason };
  if (decision.kind === "wait") return { state: "queued", due_at: decision.until, tried: false };
  const { content } = decision;
  const begun = await withKeysOfNow(deps, () => {
    const sealed = deps.vault.seal(Buffer.from(JSON.stringify(content)), patientMessagePlace(account_id, message_id));
    return beginSending(deps.db, message, {
      sent_at: now,
      provider: provider!,
      content_sealed: sealed,
      lease_s: LEASE_S,
    });
  });
  if (begun === 0) return null;
  if (provider === "simulated") return { state: "delivered" };
  if (channel === "email") return mailed(deps, now, message, content);
  const report_to = `${deps.addresses.base_url}${providers.twilio.report_path}?account_id=${account_id}&message_id=${message_id}`;
  const about = { account_id, order_number };
  const answer = await sms!.send({ to: content.to, text: content.text, report_to, about });
  switch (answer.kind) {
    case "sent":
      return { state: "sent", provider_id: answer.provider_id };
    case "refused":
      return answer.opted_out
        ? { state: "suppressed", reason: "opted_out" }
        : { state: "failed", reason: `twilio_${answer.code}` };
    case "not_sent":
      return again(now, message, answer.code);
    case "lost":
      return { state: "sending", reason: answer.code, due_at: new Date(now.getTime() + LOOK_AFTER_MS) };
  }
}

/** Who sends by this channel for accounts of an environment; null without a provider. The sandbox sends nothing. */
function providerOf(
  { mail, sms }: Pick<Deps, "mail" | "sms">,
  environment: Account["environment"],
  channel: DuePatientMessage["channel"],
): MessageProvider | null {
  if (environment === "sandbox") return "simulated";
  if (channel === "sms") return sms.production?.provider ?? null;
  return mail === null ? null : "smtp";
}

/** STOP counts for every partner: the number that texts belongs to the pharmacy. */
async function hasOptedOut({ db, vault }: Pick<Deps, "db" | "vault">, phone: string | null): Promise<boolean> {
  if (phone === null) return false;
  return (await findSmsChoice(db, vault.layeredIndex(phone, SMS_CHOICE_PLACE))) === "stop";
}

/** A later attempt, which decides again; failed after the last one of the webhooks' table. */
function again(now: Date, { attempts }: DuePatientMessage, reason: string): MessageEnd {
  const due_at = nextAttemptAt({ tried: attempts + 1, now, chance: Math.random(), retry_after_s: null });
  return due_at === null ? { state: "failed", reason } : { state: "queued", reason, due_at };
}

async function mailed(
  { mail }: Pick<Deps, "mail">,
  now: Date,
  message: DuePatientMessage,
  content: MessageContent,
): Promise<MessageEnd> {
  try {
    await mail!.send({ ...content, message_id: message.message_id });
    return { state: "sent" };
  } catch (error) {
    if (!(error instanceof MailFailed)) throw error;
    return error.final ? { state: "failed", reason: error.code } : again(now, message, error.code);
  }
}

/**
 * An earlier attempt ended without an answer. A letter goes out again under the same Message-ID, as mail servers expect. A text
 * message is looked up at the provider, and stays `unknown` if it is not there: no patient gets it twice.
 */
async function lookBack(
  deps: EnvironmentDeps,
  { environment, now }: Account,
  message: DuePatientMessage,
): Promise<MessageEnd> {
  const { account_id, message_id, channel, attempts } = message;
  const place = patientMessagePlace(account_id, message_id);
  const content = await withKeysOfNow(
    deps,
    async () => JSON.parse(deps.vault.open(message.content_sealed!, place).toString("utf8")) as MessageContent,
  );
  const provider = providerOf(deps, environment, channel);
  if (provider === "simulated") return { state: "delivered" };
  if (channel === "email") {
    const record = openRecord(deps, account_id, message.patient_key, message.record_sealed);
    const { messaging = noMessaging } = record;
    if (!messaging.email) return { state: "unknown", reason: "no_consent" };
    return deps.mail === null ? { state: "unknown", reason: "no_provider" } : mailed(deps, now, message, content);
  }
  const late = now.getTime() - message.created_at.getTime() > LATEST_MS;
  const sms = deps.sms[environment];
  const found = sms === null ? null : await sms.find(content, message.sent_at!);
  if (typeof found === "string") return { state: "sent", provider_id: found };
  // The list can lag behind, and the provider can be down.
  if (late || (found === null && attempts >= MOST_LOOKS)) return { state: "unknown", reason: "lost_answer" };
  return { state: "sending", reason: "lost_answer", due_at: new Date(now.getTime() + LOOK_AFTER_MS) };
}
