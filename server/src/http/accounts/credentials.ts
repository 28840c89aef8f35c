import type { PortalCredential, PortalCredentials } from "@pestle/contract";
import { type CredentialRow, listCredentials } from "../../db/accounts/credentials.ts";
import { type EndpointRow, listEndpoints } from "../../db/webhooks/endpoints.ts";
import type { Deps } from "../../deps.ts";
import {
  createPortalCredential,
  finishPortalRotation,
  revokePortalCredential,
  rotatePortalCredential,
} from "../../usecases/accounts/credentials-in-portal.ts";
import { type Answer, json } from "../answer.ts";
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
    handler: ofAccount(async (deps, { by, body }) => json(201, await createPortalCredential(deps, by, body["name"]))),
  },
  {
    method: "POST",
    path: "/portal/:environment/credentials/:credential_id/rotate",
    roles: developers,
    handler: ofAccount(async (deps, call) => json(201, await rotatePortalCredential(deps, call.by, idIn(call)))),
  },
  {
    method: "POST",
    path: "/portal/:environment/credentials/:credential_id/finish",
    roles: developers,
    handler: ofAccount(async (deps, call) => {
      await finishPortalRotation(deps, call.by, idIn(call));
      return list(deps, call);
    }),
  },
  {
    method: "POST",
    path: "/portal/:environment/credentials/:credential_id/revoke",
    roles: developers,
    handler: ofAccount(async (deps, call) => {
      await revokePortalCredential(deps, call.by, idIn(call), call.body["secret_id"]);
      return list(deps, call);
    }),
  },
];

const idIn = (call: PortalCall) => idOf(call, "credential_id", /^[a-z0-9]{8}$/);

async function list(deps: Deps, { account }: Pick<PortalCall, "account">): Promise<Answer<PortalCredentials>> {
  const [rows, endpoints] = await Promise.all([
    listCredentials(deps.db, account.account_id),
    listEndpoints(deps.db, account.account_id),
  ]);
  const shown = rows.map((row) => credentialOf(row, endpoints));
  const live = shown.filter(({ revoked_at }) => revoked_at === null);
  const ended = shown.filter(({ revoked_at }) => revoked_at !== null);
  return json(200, { credentials: [...live, ...ended] } satisfies PortalCredentials);
}

function credentialOf(row: CredentialRow, endpoints: readonly EndpointRow[]): PortalCredential {
  const { account_id, credential_id, name, scopes, created_at, revoked_at } = row;
  const secrets = row.secrets.map(({ secret_id, created_at, last_used_at }) => ({
    secret_id,
    created_at: new Date(created_at).toISOString(),
    last_used_at: last_used_at && new Date(last_used_at).toISOString(),
  }));
  const uses = secrets.flatMap(({ last_used_at }) => last_used_at ?? []).sort();
  return {
    credential_id,
    client_id: `${account_id}-${credential_id}`,
    name,
    scopes,
    created_at: created_at.toISOString(),
    revoked_at: revoked_at?.toISOString() ?? null,
    last_used_at: uses.at(-1) ?? null,
    secrets,
    signs_endpoints: endpoints
      .filter(({ signing_credential_id }) => signing_credential_id === credential_id)
      .map(({ endpoint_id: id, url, signing_credential_secret_id: secret_id }) => ({ id, url, secret_id })),
  };
}
