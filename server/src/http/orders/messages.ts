import { readMessages } from "../../usecases/orders/read-messages.ts";
import { sendMessage } from "../../usecases/orders/send-message.ts";
import { showing } from "../answer.ts";
import { cursorOf, listAnswer, pageOf } from "../page.ts";
import type { ReadHandler, WriteHandler } from "../partner-api.ts";
import { orderNumber } from "./orders.ts";

export const listOrderMessages: ReadHandler = async (deps, { grant, params, query, url }) => {
  const list = { vault: deps.vault, account_id: grant.account_id, list: `messages ${params["order_number"]}` };
  const { before, limit } = pageOf(query, list);
  const order_number = orderNumber(params);
  const found = await readMessages(deps, grant.account_id, order_number, before, limit + 1);
  const shown = found.slice(0, limit);
  const after = (index: number) => cursorOf(list, shown[index]!.message_number);
  const page = await listAnswer(
    url,
    "messages",
    shown.map(({ message }) => message),
    {
      cursorAfter: after,
      next_cursor: found.length > limit ? after(limit - 1) : null,
    },
  );
  // The log finds the patient by the order.
  return showing(page, { patients: [], subject: order_number });
};

export const sendOrderMessage: WriteHandler = (deps, call, body) =>
  sendMessage(deps, call, orderNumber(call.params), body);
