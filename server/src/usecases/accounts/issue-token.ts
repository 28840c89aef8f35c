import { hash } from "node:crypto";
import type { Environment } from "@pestle/contract";
import { TOKEN_LIFETIME_S, type TokenResponse } from "@pestle/contract";
import { insertToken } from "../../db/accounts/tokens.ts";
import type { Deps } from "../../deps.ts";
import {
  grantedScopes,
  presentedClient,
  requireClientCredentialsGrant,
} from "../../domain/accounts/client-credentials.ts";
import { OAuthRefusal, refusedForm } from "../../domain/values/refusals.ts";
import { randomSecret } from "../../random.ts";
import { auditRead, partnerEntry } from "../operations/audit-partner.ts";
import { type AuthenticatedClient, authenticateClient } from "./authenticate-client.ts";

export type TokenServerRequest = {
  authorization: string | undefined;
  form: Map<string, string>;
  remote_address: string;
  /** For the audit log. */
  request_id: string;
};

/** POST /oauth/token: one statement if the client is cached in this process, two with an assertion. */
export async function issueToken(
  deps: Deps,
  environment: Environment,
  request: TokenServerRequest,
): Promise<TokenResponse> {
  const presented = presentedClient(request.authorization, request.form);
  if (!request.form.get("grant_type")) throw refusedForm("grant_type_missing");
  const client = await authenticateClient(deps, environment, presented, request.remote_address);
  requireClientCredentialsGrant(request.form);
  const scopes = grantedScopes(client.scopes, request.form.get("scope"));

  const access_token = `${client.account_id}_${randomSecret()}`;
  const expires_in = client.token_lifetime_s ?? TOKEN_LIFETIME_S;
  const created_at = Math.floor(deps.now().getTime() / 1000);
  const issued = await insertToken(deps.tenants.of(client.account_id), {
    account_id: client.account_id,
    token_hash: tokenHash(access_token),
    credential_id: client.credential_id,
    proof: client.proof,
    scopes,
    created_at: new Date(created_at * 1000),
    expires_at: new Date((created_at + expires_in) * 1000),
  });
  if (issued === 0) throw new OAuthRefusal("invalid_client");
  auditToken(deps, "issueToken", client, request);
  return {
    access_token,
    token_type: "Bearer",
    expires_in,
    ...(scopes.length > 0 ? { scope: scopes.join(" ") } : {}),
    created_at,
  };
}

/** Queued like a read. If the queue is full, the client tries again. */
export function auditToken(
  deps: Pick<Deps, "audit_log" | "now">,
  operation: "issueToken" | "revokeToken",
  { account_id, credential_id, client_id }: Pick<AuthenticatedClient, "account_id" | "credential_id" | "client_id">,
  { remote_address, request_id }: TokenServerRequest,
): void {
  const grant = { account_id, credential_id };
  const call = { grant, by: { request_id, address: remote_address }, now: deps.now() };
  auditRead(deps, partnerEntry(operation, call, { patients: [], subject: client_id }));
}

/** Only this hash of a token is stored. In memory it is a text. */
export function tokenHash(access_token: string): Buffer;
export function tokenHash(access_token: string, as: "base64"): string;
export function tokenHash(access_token: string, as: "buffer" | "base64" = "buffer"): Buffer | string {
  return as === "buffer" ? hash("sha256", access_token, "buffer") : hash("sha256", access_token, "base64");
}

/** A token contains its account, so that the lookup starts with the account. */
export const tokenAccount = (access_token: string): string | undefined =>
  /^([a-z0-9]{12})_[A-Za-z0-9_-]{43}$/.exec(access_token)?.[1];
