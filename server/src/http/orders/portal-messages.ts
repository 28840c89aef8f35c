import { viewThread } from "../../usecases/orders/read-messages.ts";
import { sendMessageInPortal } from "../../usecases/orders/send-message.ts";
import { json } from "../answer.ts";
import { developers, everybody, ofAccount } from "../portal-route.ts";
import type { WebRoute } from "../web-api.ts";
import { orderNumber } from "./orders.ts";

const MESSAGES = "/portal/:environment/orders/:order_number/messages";

/** The thread about an order, as the partner's programs see it. */
export const messageRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: MESSAGES,
    roles: everybody,
    handler: ofAccount(async (deps, { by, params }) =>
      json(200, { messages: await viewThread(deps, by, orderNumber(params)) }),
    ),
  },
  {
    method: "POST",
    path: MESSAGES,
    roles: developers,
    handler: ofAccount(async (deps, { by, params, body }) =>
      json(201, await sendMessageInPortal(deps, by, orderNumber(params), body)),
    ),
  },
];
