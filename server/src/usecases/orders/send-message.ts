import { type Message, MessageInput } from "@pestle/contract";
import type { Database } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { answerOutcome, messageProblems } from "../../domain/orders/decide-message.ts";
import { partner } from "../../domain/orders/order.ts";
import { readBody } from "../../domain/values/read-body.ts";
import { refuseAll } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import { notifyFollowers } from "../fulfillment/people/notify.ts";
import { partnerEntry } from "../operations/audit-partner.ts";
import { auditPortal, type PortalActor } from "../operations/audit-portal.ts";
import { type FinishedAnswer, type PartnerCall, write, writeAnswer } from "../write.ts";
import { loadChangingOrder } from "./load-order.ts";
import { type OpenedThread, openThread, saveMessage } from "./message-rows.ts";
import { changeOrder } from "./save-change.ts";

/** A message of the partner's program about an order. */
export const sendMessage = (
  deps: Deps,
  call: PartnerCall,
  order_number: string,
  sent: SentFields,
): Promise<FinishedAnswer> => {
  const order = { account_id: call.grant.account_id, order_number };
  return writeAnswer(deps, call.key, 201, {
    prepare: () => prepareMessage(deps, order.account_id, sent),
    attempt: (tx, prepared) => say(deps, tx, order, prepared, null),
    answer: ({ message }) => message,
    audit: ({ patient_id }) =>
      partnerEntry("sendOrderMessage", call, { patients: [patient_id], subject: order_number }),
  });
};

/** The same by a person in the portal, audited in the same transaction. */
export const sendMessageInPortal = (
  deps: Deps,
  by: PortalActor,
  order_number: string,
  sent: SentFields,
): Promise<Message> =>
  write(deps, {
    prepare: () => prepareMessage(deps, by.account_id, sent),
    attempt: async (tx, prepared) => {
      const order = { account_id: by.account_id, order_number };
      const { message } = await say(deps, tx, order, prepared, by.person_id);
      await auditPortal(tx, deps.now(), by, "message_sent", order_number);
      return message;
    },
  });

type PreparedMessage = Awaited<ReturnType<typeof prepareMessage>>;

async function prepareMessage(deps: Deps, account_id: string, sent: SentFields) {
  const { fields, problems } = readBody(MessageInput, sent);
  // An answer can change the order. Cache the catalogue here, so that an attempt does not read it in its transaction.
  if (fields.in_reply_to) await readCatalogue(deps, account_id);
  return { text: fields.text, in_reply_to: fields.in_reply_to ?? null, problems };
}

/** Saves the message. The answer to a question that holds the order also ends that hold, in the same transaction. */
async function say(
  deps: Deps,
  db: Database,
  order: { account_id: string; order_number: string },
  { text, in_reply_to, problems }: PreparedMessage,
  person_id: string | null,
): Promise<{ message: Message; patient_id: string }> {
  const opened = await openThread(deps, db, order, in_reply_to);
  refuseAll([...problems, ...messageProblems(opened.thread, "partner", in_reply_to)]);
  const created_at = await answerQuestion(deps, db, opened);
  const message = await saveMessage(deps, db, opened, {
    author: "partner",
    person_id,
    text: text!,
    in_reply_to,
    exception_id: null,
    created_at,
  });
  await notifyFollowers(db, { ...order, at: deps.now() }, in_reply_to);
  return { message, patient_id: opened.patient_id };
}

/** Ends the hold of the answered question, if it still holds the order. Returns the time of the answer. */
async function answerQuestion(
  deps: Deps,
  db: Database,
  { account_id, order_number, thread, now }: OpenedThread,
): Promise<Date> {
  const { replied } = thread;
  if (replied === null || replied.exception_id === null) return now;
  const loaded = await loadChangingOrder(deps, db, account_id, order_number);
  const outcome = answerOutcome(replied, loaded);
  if (outcome !== null) await changeOrder(deps, db, loaded, outcome, { actor: partner });
  return loaded.rules.now;
}
