import { environments, routingRuleKinds, workflows } from "@pestle/contract";
import { refuse } from "../../domain/values/refusals.ts";
import {
  addCredential,
  addKey,
  addSecret,
  changeLimits,
  changeRouting,
  endCredential,
  endKey,
  endOlderSecret,
  openPartner,
  readCredentials,
  readPartners,
  requireKnown,
} from "../../usecases/accounts/partners-in-dashboard.ts";
import { readQuotas } from "../../usecases/accounts/quotas.ts";
import { json } from "../answer.ts";
import type { JsonObject } from "../body.ts";
import { choiceField, flagField, optionalText, optionalWhole, textField } from "../body-fields.ts";
import { accountIn, adminOf, admins, everybody, leads, queryOf } from "../dashboard-route.ts";
import type { WebRoute } from "../web-api.ts";
import { limitsField } from "./credentials.ts";

/** Partners, their routing rules and the credentials of their programs. */
export const partnerRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/dashboard/partners",
    roles: everybody,
    handler: async (deps, call) => {
      queryOf(call);
      return json(200, { partners: await readPartners(deps.db) });
    },
  },
  {
    method: "POST",
    path: "/dashboard/partners",
    roles: admins,
    handler: async (deps, call) => {
      const { body } = call;
      const given = {
        name: textField(body, "name", 100),
        environment: choiceField(body, "environment", environments),
        workflow: choiceField(body, "workflow", workflows),
        ncpdp_id: optionalText(body, "ncpdp_id", 20) ?? null,
        custom_labels: flagField(body, "custom_labels"),
      };
      return json(201, await openPartner(deps, adminOf(call), given));
    },
  },
  {
    method: "POST",
    path: "/dashboard/partners/:account_id/routing_rules",
    roles: admins,
    handler: async (deps, call) => {
      const { body } = call;
      const rule = {
        kind: choiceField(body, "kind", routingRuleKinds),
        value: textField(body, "value", 200),
        remove: flagField(body, "remove"),
      };
      return json(200, await changeRouting(deps, adminOf(call), accountIn(call), rule));
    },
  },
  {
    method: "GET",
    path: "/dashboard/partners/:account_id/quotas",
    roles: everybody,
    handler: async (deps, call) => {
      const account = await requireKnown(deps.db, accountIn(call));
      return json(200, { quotas: await readQuotas(deps.db, account) });
    },
  },
  {
    method: "GET",
    path: "/dashboard/partners/:account_id/credentials",
    roles: leads,
    handler: async (deps, call) => json(200, { credentials: await readCredentials(deps, accountIn(call)) }),
  },
  {
    method: "POST",
    path: "/dashboard/partners/:account_id/credentials",
    roles: admins,
    step_up: true,
    handler: async (deps, call) => {
      const given = { name: textField(call.body, "name", 100), scopes: scopesField(call.body) };
      return json(201, await addCredential(deps, adminOf(call), accountIn(call), given));
    },
  },
  {
    method: "POST",
    path: "/dashboard/credentials/:client_id/rotate",
    roles: admins,
    step_up: true,
    handler: async (deps, call) => json(201, await addSecret(deps, adminOf(call), call.params["client_id"]!)),
  },
  {
    method: "POST",
    path: "/dashboard/credentials/:client_id/finish",
    roles: admins,
    step_up: true,
    handler: async (deps, call) =>
      json(200, { credential: await endOlderSecret(deps, adminOf(call), call.params["client_id"]!) }),
  },
  {
    method: "POST",
    path: "/dashboard/credentials/:client_id/revoke",
    roles: admins,
    step_up: true,
    handler: async (deps, call) => {
      const secret_id = optionalWhole(call.body, "secret_id");
      return json(200, { credential: await endCredential(deps, adminOf(call), call.params["client_id"]!, secret_id) });
    },
  },
  {
    method: "PATCH",
    path: "/dashboard/credentials/:client_id",
    roles: admins,
    step_up: true,
    handler: async (deps, call) => {
      const change = limitsField(call.body);
      return json(200, { credential: await changeLimits(deps, adminOf(call), call.params["client_id"]!, change) });
    },
  },
  {
    method: "POST",
    path: "/dashboard/credentials/:client_id/keys",
    roles: admins,
    step_up: true,
    handler: async (deps, call) =>
      json(200, { credential: await addKey(deps, adminOf(call), call.params["client_id"]!, call.body["key"]) }),
  },
  {
    method: "POST",
    path: "/dashboard/credentials/:client_id/keys/remove",
    roles: admins,
    step_up: true,
    handler: async (deps, call) => {
      const kid = textField(call.body, "kid", 128);
      return json(200, { credential: await endKey(deps, adminOf(call), call.params["client_id"]!, kid) });
    },
  },
];

/** Null: the account's default scopes. */
function scopesField(body: JsonObject): string[] | null {
  const value = body["scopes"] ?? null;
  if (value === null) return null;
  const fits = Array.isArray(value) && value.every((scope) => typeof scope === "string");
  return fits ? (value as string[]) : refuse(42200, "scopes");
}
