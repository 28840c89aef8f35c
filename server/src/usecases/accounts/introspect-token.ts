import type { Environment, Introspection } from "@pestle/contract";
import { loadGrant } from "../../db/accounts/tokens.ts";
import type { Deps } from "../../deps.ts";
import { presentedClient } from "../../domain/accounts/client-credentials.ts";
import { refusedForm } from "../../domain/values/refusals.ts";
import { authenticateClient } from "./authenticate-client.ts";
import { type TokenServerRequest, tokenHash } from "./issue-token.ts";

/** POST /oauth/introspect (RFC 7662): a client sees only its own account's tokens; all others appear inactive. */
export async function introspectToken(
  deps: Deps,
  environment: Environment,
  request: TokenServerRequest,
): Promise<Introspection> {
  const presented = presentedClient(request.authorization, request.form);
  const token = request.form.get("token");
  if (!token) throw refusedForm("token_missing");
  const { account_id } = await authenticateClient(deps, environment, presented, request.remote_address);
  const grant = await loadGrant(deps.tenants.of(account_id), account_id, tokenHash(token));
  if (grant === undefined || grant.expires_at.getTime() <= deps.now().getTime()) return { active: false };
  return {
    active: true,
    ...(grant.scopes.length > 0 ? { scope: grant.scopes.join(" ") } : {}),
    client_id: `${grant.account_id}-${grant.credential_id}`,
    token_type: "Bearer",
    exp: grant.expires_at.getTime() / 1000,
    iat: grant.created_at.getTime() / 1000,
    account_id: grant.account_id,
    environment: grant.environment,
  };
}
