import type { CredentialLimitsUpdate, PortalCredential, PortalCredentials } from "@pestle/contract";
import { type CredentialRow, listCredentials } from "../../db/accounts/credentials.ts";
import { type EndpointRow, listEndpoints } from "../../db/webhooks/endpoints.ts";
import type { Deps } from "../../deps.ts";
import { refuse } from "../../domain/values/refusals.ts";
import {
  addPortalKey,
  createPortalCredential,
  finishPortalRotation,
  limitPortalCredential,
  removePortalKey,
  revokePortalCredential,
  rotatePortalCredential,
  signPortalWebhooks,
} from "../../usecases/accounts/credentials-in-portal.ts";
import { shownProofs, signedEndpoints } from "../../usecases/accounts/shown-credential.ts";
import { type Answer, json } from "../answer.ts";
import { flagField, optionalWhole } from "../body-fields.ts";
import { developers, everybody, idOf, ofAccount, type PortalCall } from "../portal-route.ts";
import type { WebRoute } from "../web-api.ts";

/** Credentials of the partner API. Only the answer that creates a secret shows it. */
export const credentialRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/portal/:environment/credentials",
    roles: everybody,
    handler: ofAccount(list),
  },
  {
    method: "POST",
    path: "/portal/:environment/credentials",
    roles: developers,
    step_up: true,
    handler: ofAccount(async (deps, { by, body }) => json(201, await createPortalCredential(deps, by, body["name"]))),
  },
  {
    method: "POST",
    path: "/portal/:environment/credentials/:credential_id/rotate",
    roles: developers,
    step_up: true,
    handler: ofAccount(async (deps, call) => json(201, await rotatePortalCredential(deps, call.by, idIn(call)))),
  },
  {
    method: "POST",
    path: "/portal/:environment/credentials/:credential_id/sign",
    roles: developers,
    step_up: true,
    handler: ofAccount(async (deps, call) => {
      await signPortalWebhooks(deps, call.account, call.by, idIn(call), call.body["secret_id"]);
      return list(deps, call);
    }),
  },
  {
    method: "POST",
    path: "/portal/:environment/credentials/:credential_id/finish",
    roles: developers,
    step_up: true,
    handler: ofAccount(async (deps, call) => {
      await finishPortalRotation(deps, call.by, idIn(call));
      return list(deps, call);
    }),
  },
  {
    method: "POST",
    path: "/portal/:environment/credentials/:credential_id/revoke",
    roles: developers,
    step_up: true,
    handler: ofAccount(async (deps, call) => {
      await revokePortalCredential(deps, call.by, idIn(call), call.body["secret_id"]);
      return list(deps, call);
    }),
  },
  {
    method: "PATCH",
    path: "/portal/:environment/credentials/:credential_id",
    roles: developers,
    step_up: true,
    handler: ofAccount(async (deps, call) => {
      await limitPortalCredential(deps, call.by, idIn(call), limitsField(call.body));
      return list(deps, call);
    }),
  },
  {
    method: "POST",
    path: "/portal/:environment/credentials/:credential_id/keys",
    roles: developers,
    step_up: true,
    handler: ofAccount(async (deps, call) => {
      await addPortalKey(deps, call.by, idIn(call), call.body["key"]);
      return list(deps, call);
    }),
  },
  {
    method: "POST",
    path: "/portal/:environment/credentials/:credential_id/keys/remove",
    roles: developers,
    step_up: true,
    handler: ofAccount(async (deps, call) => {
      await removePortalKey(deps, call.by, idIn(call), call.body["kid"]);
      return list(deps, call);
    }),
  },
];

/** Fields of the wrong type are 42200. Values out of range are refused by the use case. */
export function limitsField(
  body: { readonly [Field in keyof CredentialLimitsUpdate]?: unknown },
): CredentialLimitsUpdate {
  const { key_required, allowed_networks, token_lifetime_s } = body;
  const networks = allowed_networks as unknown[] | undefined;
  if (networks !== undefined && !(Array.isArray(networks) && networks.every((one) => typeof one === "string"))) {
    refuse(42200, "allowed_networks");
  }
  return {
    ...(key_required === undefined ? {} : { key_required: flagField(body, "key_required") }),
    ...(networks === undefined ? {} : { allowed_networks: networks as string[] }),
    ...(token_lifetime_s === undefined ? {} : { token_lifetime_s: optionalWhole(body, "token_lifetime_s") ?? null }),
  };
}

const idIn = (call: PortalCall) => idOf(call, "credential_id", /^[a-z0-9]{8}$/);

async function list(deps: Deps, { account }: Pick<PortalCall, "account">): Promise<Answer<PortalCredentials>> {
  const [rows, endpoints] = await Promise.all([
    listCredentials(deps.db, account.account_id),
    listEndpoints(deps.db, account.account_id),
  ]);
  const shown = rows.map((row) => credentialOf(deps, row, endpoints));
  const live = shown.filter(({ revoked_at }) => revoked_at === null);
  const ended = shown.filter(({ revoked_at }) => revoked_at !== null);
  return json(200, { credentials: [...live, ...ended] } satisfies PortalCredentials);
}

function credentialOf({ config }: Deps, row: CredentialRow, endpoints: readonly EndpointRow[]): PortalCredential {
  const { account_id, credential_id, name, scopes, created_at, revoked_at } = row;
  const proofs = shownProofs(config, row);
  const uses = [...row.secrets, ...row.keys].flatMap(({ last_used_at }) => last_used_at ?? []);
  const last_used = uses
    .map((at) => new Date(at).toISOString())
    .sort()
    .at(-1);
  return {
    credential_id,
    client_id: `${account_id}-${credential_id}`,
    name,
    scopes,
    created_at: created_at.toISOString(),
    revoked_at: revoked_at?.toISOString() ?? null,
    last_used_at: last_used ?? null,
    ...proofs,
    signs_endpoints: signedEndpoints(credential_id, endpoints),
  };
}
