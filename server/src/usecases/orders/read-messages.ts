import { type Message, MOST_MESSAGES_PER_AUTHOR } from "@pestle/contract";
import { listMessages, orderMessagePlace } from "../../db/orders/order-messages.ts";
import { findOrder } from "../../db/orders/orders.ts";
import type { Deps } from "../../deps.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { auditView, type PortalActor } from "../operations/audit-portal.ts";
import { messageAnswer } from "./message-rows.ts";

/** A message with its number in the thread and the person who wrote it, if a person did. */
type NumberedMessage = { message_number: number; person_id: string | null; message: Message };

/** The messages about an order, newest first, before a number. 404 if the account has no such order. */
export async function readMessages(
  deps: Pick<Deps, "db" | "vault">,
  account_id: string,
  order_number: string,
  before: number,
  limit: number,
): Promise<NumberedMessage[]> {
  const messages = await withKeysOfNow(deps, async () => {
    const rows = await listMessages(deps.db, account_id, order_number, before, limit);
    return rows.map((row) => {
      const place = orderMessagePlace(account_id, order_number, row.message_number);
      const text = deps.vault.open(row.text_sealed, place).toString("utf8");
      return { message_number: row.message_number, person_id: row.person_id, message: messageAnswer(row, text) };
    });
  });
  if (messages.length === 0 && (await findOrder(deps.db, account_id, order_number)) === undefined) {
    throw new StatusRefusal(404);
  }
  return messages;
}

/** The whole thread, oldest first, for a person. The limit of each author bounds it. */
export const readThread = async (
  deps: Pick<Deps, "db" | "vault">,
  account_id: string,
  order_number: string,
): Promise<NumberedMessage[]> => {
  const newest = await readMessages(deps, account_id, order_number, BEYOND, 2 * MOST_MESSAGES_PER_AUTHOR);
  return newest.reverse();
};
const BEYOND = 2 * MOST_MESSAGES_PER_AUTHOR + 1;

/** The thread for the portal. A message can say anything about the patient, so the view is audited. */
export async function viewThread(deps: Deps, by: PortalActor, order_number: string): Promise<Message[]> {
  const thread = await readThread(deps, by.account_id, order_number);
  await auditView(deps, by, "messages_viewed", order_number);
  return thread.map(({ message }) => message);
}
