import { keep } from "../../copies.ts";
import { type Grant, loadGrant } from "../../db/accounts/tokens.ts";
import type { Deps } from "../../deps.ts";
import { Unauthorized } from "../../domain/values/refusals.ts";
import { tokenAccount, tokenHash } from "./issue-token.ts";

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i;

/**
 * The request's grant. Returns it directly if it is in memory, so that an authenticated read costs no round trip for
 * its token; otherwise returns a promise.
 */
export function checkBearer(deps: Deps, authorization: string | undefined, scope: string): Grant | Promise<Grant> {
  if (authorization === undefined) throw new Unauthorized("missing_token");
  const access_token = BEARER.exec(authorization)?.[1];
  const account_id = access_token === undefined ? undefined : tokenAccount(access_token);
  if (access_token === undefined || account_id === undefined) throw new Unauthorized("invalid_token");
  const token_hash = tokenHash(access_token);
  const copy = deps.bus.fresh() ? deps.copies.grants.get(token_hash.toString("base64")) : undefined;
  if (copy !== undefined) return sufficient(deps, copy, scope);
  return readGrant(deps, account_id, token_hash, scope);
}

async function readGrant(deps: Deps, account_id: string, token_hash: Buffer, scope: string): Promise<Grant> {
  const { version } = deps.copies;
  const grant = await loadGrant(deps.tenants.of(account_id), account_id, token_hash);
  if (grant === undefined) throw new Unauthorized("invalid_token");
  keep(deps.copies, version, deps.copies.grants, token_hash.toString("base64"), grant);
  return sufficient(deps, grant, scope);
}

function sufficient(deps: Deps, grant: Grant, scope: string): Grant {
  if (grant.expires_at.getTime() <= deps.now().getTime()) throw new Unauthorized("invalid_token");
  if (!grant.scopes.includes(scope)) throw new Unauthorized("insufficient_scope");
  return grant;
}
