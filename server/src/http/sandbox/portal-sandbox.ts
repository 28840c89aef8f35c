import type { Deps } from "../../deps.ts";
import { scriptFormat } from "../../formats/formats.ts";
import { issueReferenceToken } from "../../usecases/sandbox/issue-reference-token.ts";
import { orderInSandbox, readSandbox, simulatedPreset, withItsOrder } from "../../usecases/sandbox/play-in-sandbox.ts";
import { simulateInPortal } from "../../usecases/sandbox/simulate.ts";
import { json } from "../answer.ts";
import type { JsonObject } from "../body.ts";
import { developers, everybody, inSandbox, type PortalCall } from "../portal-route.ts";
import type { WebRoute } from "../web-api.ts";

/** The partner's sandbox tools: send prescriptions, move orders, advance the clock. Not available in production. */
export const sandboxRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/portal/:environment/sandbox",
    roles: everybody,
    handler: inSandbox(async (deps, { account }) => json(200, await readSandbox(deps, account))),
  },
  {
    method: "POST",
    path: "/portal/:environment/sandbox/prescriptions",
    roles: developers,
    handler: inSandbox(async (deps, call) => {
      const made = await simulated(deps, call, simulatedPreset(call.body));
      return json(202, await withItsOrder(deps, call.account.account_id, made));
    }),
  },
  {
    method: "POST",
    path: "/portal/:environment/sandbox/orders",
    roles: developers,
    handler: inSandbox(async (deps, { account, by, body }) => json(201, await orderInSandbox(deps, account, by, body))),
  },
  {
    method: "POST",
    path: "/portal/:environment/sandbox/token",
    roles: developers,
    handler: inSandbox(async (deps, { by }) => json(201, await issueReferenceToken(deps, by))),
  },
  {
    method: "POST",
    path: "/portal/:environment/sandbox/simulate",
    roles: developers,
    handler: inSandbox(async (deps, call) => json(202, await simulated(deps, call, call.body))),
  },
];

const simulated = (deps: Deps, { account, by }: PortalCall, body: JsonObject) =>
  simulateInPortal(deps, scriptFormat, account, by, body);
