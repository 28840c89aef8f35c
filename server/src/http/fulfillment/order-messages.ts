import { StaffMessageInput } from "@pestle/contract";
import { readBody } from "../../domain/values/read-body.ts";
import { refuseAll } from "../../domain/values/refusals.ts";
import { sendStaffMessage, showThread } from "../../usecases/fulfillment/send-staff-message.ts";
import { writeLook } from "../../usecases/operations/write-audit.ts";
import { json } from "../answer.ts";
import { everybody, orderIn, workerOf } from "../dashboard-route.ts";
import type { WebRoute } from "../web-api.ts";

const MESSAGES = "/dashboard/orders/:account_id/:order_number/messages";

/** The messages between the pharmacy and the partner about an order. */
export const messageRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: MESSAGES,
    roles: everybody,
    handler: async (deps, call) => {
      const { account_id, order_number } = orderIn(call);
      const thread = await showThread(deps, account_id, order_number);
      const entry = { account_id, action: "messages_viewed" as const, subject: order_number };
      await writeLook(deps, call.person, entry, call.request.id);
      return json(200, thread);
    },
  },
  {
    method: "POST",
    path: MESSAGES,
    roles: everybody,
    handler: async (deps, call) => {
      const order = orderIn(call);
      const { fields, problems } = readBody(StaffMessageInput, { ...call.body });
      refuseAll(problems);
      const { text = "", in_reply_to = null, exception_id = null, revision } = fields;
      const seen = revision === undefined || revision === null ? {} : { revision };
      const work = { ...order, by: workerOf(call), request_id: call.request.id, ...seen };
      return json(201, await sendStaffMessage(deps, work, { text, in_reply_to, exception_id }));
    },
  },
];
