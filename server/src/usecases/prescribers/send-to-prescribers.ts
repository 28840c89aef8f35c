import { standardSignature, standardWebhookHeaders, WEBHOOK_USER_AGENT } from "@pestle/contract";
import {
  claimMessages,
  type DueMessage,
  expireRequests,
  keepMessageBody,
  listSendingAccounts,
  type SendingAccount,
  saveSending,
} from "../../db/prescribers/due-messages.ts";
import { prescriberMessagePlace } from "../../db/prescribers/prescriber-messages.ts";
import { routePlace } from "../../db/prescribers/prescriber-routes.ts";
import type { EnvironmentDeps } from "../../deps.ts";
import { type AskedMessage, composeMessage } from "../../domain/prescribers/compose-message.ts";
import type { PrescriberFormat } from "../../domain/prescribers/prescriber-format.ts";
import { expiredBefore, wireId } from "../../domain/prescribers/prescriber-request.ts";
import { type SendingOutcome, sendingOutcome } from "../../domain/prescribers/sending-outcome.ts";
import { sandboxAnswer } from "../../domain/sandbox/sandbox-prescriber.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { takeSimulated } from "../sandbox/simulate-prescription.ts";
import { openMessageContext } from "./message-context.ts";

/** An attempt takes at most 15 s; the rest is for saving its result. */
const LEASE_S = 30;
const MOST_AT_ONCE = 64;
/** The standard's length of the id of a message. */
const LONGEST_ID = 35;

/**
 * Sends the due messages to the prescribers' networks, like webhooks: signed, through the same guard of addresses, and
 * retried by the same table. In the sandbox, an invented prescriber answers for every sender without a route.
 */
export async function sendToPrescribers(deps: EnvironmentDeps, format: PrescriberFormat): Promise<void> {
  // As with webhooks, another process delivers then.
  if (deps.config.WEBHOOK_CONCURRENCY === 0) return;
  const claimed: { account: SendingAccount; message: DueMessage }[] = [];
  for (const account of await listSendingAccounts(deps.db, null, deps.serves)) {
    const account_now = accountNow(deps.now(), account.clock_offset_s);
    await expireRequests(deps.db, account.account_id, expiredBefore(account_now));
    const room = MOST_AT_ONCE - claimed.length;
    if (room === 0) break;
    const due = await claimMessages(deps.db, account.account_id, account_now, LEASE_S, room);
    claimed.push(...due.map((message) => ({ account, message })));
  }
  await Promise.all(claimed.map(({ account, message }) => attempt(deps, format, account, message)));
}

/** One attempt. It never throws because of a single message. */
async function attempt(
  deps: EnvironmentDeps,
  format: PrescriberFormat,
  account: SendingAccount,
  message: DueMessage,
): Promise<void> {
  const { account_id, message_id } = message;
  try {
    const outcome =
      message.url === null
        ? await withoutRoute(deps, account, message)
        : await post(deps, format, account, message, message.url);
    if (outcome !== null) await save(deps, account, message, outcome);
  } catch (error) {
    deps.metrics.countFault("job");
    deps.log.error({ account_id, message_id, fault: (error as Error).name }, "a message to a prescriber failed");
    await save(deps, account, message, judged(deps, account, message, NOTHING_SENT, null)).catch(() => {
      // The database is unreachable. The claim ends by itself, and the next run tries again.
    });
  }
}

const NOTHING_SENT = { status: null, trouble: "INTERNAL", retry_after: undefined };

function save(deps: EnvironmentDeps, account: SendingAccount, message: DueMessage, outcome: SendingOutcome) {
  const sent_at = outcome.state === "sent" ? accountNow(deps.now(), account.clock_offset_s) : null;
  return saveSending(deps.db, message, { ...outcome, sent_at });
}

function judged(
  deps: EnvironmentDeps,
  { clock_offset_s }: SendingAccount,
  { attempts }: DueMessage,
  answer: Parameters<typeof sendingOutcome>[0],
  said: Parameters<typeof sendingOutcome>[1],
): SendingOutcome {
  const now = deps.now();
  const account_now = accountNow(now, clock_offset_s);
  return sendingOutcome(answer, said, { tried: attempts + 1, now, account_now, chance: Math.random() });
}

/** Null if the service shut down during the attempt, so it does not count. */
async function post(
  deps: EnvironmentDeps,
  format: PrescriberFormat,
  account: SendingAccount,
  message: DueMessage,
  url: string,
): Promise<SendingOutcome | null> {
  const body = await bodyOf(deps, format, account, message);
  if (body === null) return null;
  const { account_id, sender, message_id, signing_secret_sealed } = message;
  const secret = await withKeysOfNow(deps, async () =>
    deps.vault.open(signing_secret_sealed!, routePlace(account_id, sender)).toString("utf8"),
  );
  const id = wireId(message_id);
  const timestamp_s = Math.floor(deps.now().getTime() / 1000);
  const headers = {
    "content-type": "application/xml",
    "user-agent": WEBHOOK_USER_AGENT,
    [standardWebhookHeaders.id]: id,
    [standardWebhookHeaders.timestamp]: String(timestamp_s),
    [standardWebhookHeaders.signature]: standardSignature(secret, id, timestamp_s, body),
  };
  const answer = await deps.webhook_client.send({ environment: account.environment, url, headers, body });
  if (answer.trouble === "CLOSED") return null;
  return judged(deps, account, message, answer, answer.body.length === 0 ? null : format.readAnswer(answer.body));
}

/** The message as it was first written. Null if another process holds it now. */
async function bodyOf(
  deps: EnvironmentDeps,
  format: PrescriberFormat,
  account: SendingAccount,
  message: DueMessage,
): Promise<string | null> {
  const { account_id, message_id, body_sealed } = message;
  const place = prescriberMessagePlace("body_sealed", account_id, message_id);
  if (body_sealed !== null) {
    return withKeysOfNow(deps, async () => deps.vault.open(body_sealed, place).toString("utf8"));
  }
  const body = await written(deps, format, account, message);
  const kept = await withKeysOfNow(deps, () =>
    keepMessageBody(deps.db, message, deps.vault.seal(Buffer.from(body), place)),
  );
  return kept === 0 ? null : body;
}

async function written(
  deps: EnvironmentDeps,
  format: PrescriberFormat,
  account: SendingAccount,
  { account_id, message_id, sender, prescription_id, created_at, asked_sealed, version }: DueMessage,
): Promise<string> {
  const context = await openMessageContext(deps, account_id, prescription_id!);
  if (context === undefined) throw new Error("a message to a prescriber has no prescription");
  const place = prescriberMessagePlace("asked_sealed", account_id, message_id);
  const asked = await withKeysOfNow(
    deps,
    async () => JSON.parse(deps.vault.open(asked_sealed!, place).toString("utf8")) as AskedMessage,
  );
  const { sender_message_id } = context;
  return format.write({
    envelope: {
      version: version!,
      from: context.pharmacy.ncpdp_id,
      to: sender,
      message_id: wireId(message_id),
      relates_to_message_id: sender_message_id.length <= LONGEST_ID ? sender_message_id : null,
      sent_time: created_at.toISOString(),
      test_message: account.environment === "sandbox",
      rx_reference_number: String(prescription_id),
      prescriber_order_number: context.prescriber_order_number,
    },
    content: composeMessage(asked, context),
  });
}

/** In production the route was removed after the request. In the sandbox the invented prescriber answers, or stays silent. */
async function withoutRoute(
  deps: EnvironmentDeps,
  { environment, clock_offset_s }: SendingAccount,
  { account_id, message_id, kind, sender, prescription_id }: DueMessage,
): Promise<SendingOutcome> {
  if (environment === "production") return { state: "failed", error: "no_route", due_at: null };
  const context = prescription_id === null ? undefined : await openMessageContext(deps, account_id, prescription_id);
  const now = accountNow(deps.now(), clock_offset_s);
  const wire_id = wireId(message_id);
  const request = { kind, sender, wire_id, message_id: `answer ${wire_id}` };
  const answer = context && sandboxAnswer(request, context, now, dateIn(deps.config.TIME_ZONE, now));
  // The answer closes the request, and then the state below is not saved.
  if (answer) await takeSimulated(deps, account_id, answer, Buffer.from(JSON.stringify(answer)));
  return { state: "sent", error: null, due_at: null };
}
