import type { Deps } from "../../deps.ts";
import { auditPortal } from "../../usecases/operations/audit-portal.ts";
import { orderInSandbox, readSandbox, simulatedPreset, withItsOrder } from "../../usecases/sandbox/play-in-sandbox.ts";
import { answer, json, rendered } from "../answer.ts";
import type { JsonObject } from "../body.ts";
import { canonicalJson } from "../canonical-json.ts";
import { carryOut } from "../partner-api.ts";
import { developers, everybody, inSandbox, type PortalCall } from "../portal-route.ts";
import type { WebRoute } from "../web-api.ts";
import { simulateIn } from "./simulate.ts";

/** What a partner plays with: prescriptions arrive, orders move, time passes. In production there is none of it. */
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
      const told = await simulated(deps, call, simulatedPreset(call.body));
      return json(202, await withItsOrder(deps, call.account.account_id, told.body));
    }),
  },
  {
    method: "POST",
    path: "/portal/:environment/sandbox/orders",
    roles: developers,
    handler: inSandbox(async (deps, { account, by, body }) => {
      const change = await orderInSandbox(deps, account, by, body, canonicalJson);
      const done = await carryOut(deps, change);
      return answer(done.status, rendered(done.body));
    }),
  },
  {
    method: "POST",
    path: "/portal/:environment/sandbox/simulate",
    roles: developers,
    handler: inSandbox(async (deps, call) => {
      const done = await simulated(deps, call, call.body);
      return answer(done.status, rendered(done.body));
    }),
  },
];

async function simulated(deps: Deps, { account, by }: PortalCall, body: JsonObject) {
  const change = await simulateIn(deps, account, body);
  const subject = String(body["simulation_type"]);
  return carryOut(deps, async (tx) => {
    await auditPortal(tx, deps.now(), by, "sandbox_used", subject);
    return change(tx);
  });
}
