import { keep } from "../../copies.ts";
import { type Grant, loadGrant } from "../../db/accounts/tokens.ts";
import type { Deps } from "../../deps.ts";
import { networkOf } from "../../domain/accounts/network.ts";
import type { Limit } from "../../domain/accounts/rate-limit.ts";
import { StatusRefusal, Unauthorized } from "../../domain/values/refusals.ts";
import { tokenAccount, tokenHash } from "./issue-token.ts";

/** Tokens that this process does not know, per address. A token that exists gives its try back. */
export const UNKNOWN_TOKENS: Limit = { rate_per_second: 20, burst: 500 };

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i;

/**
 * The request's grant. Returns it directly if it is in memory, so that an authenticated read costs no round trip for
 * its token; otherwise returns a promise.
 */
export function checkBearer(
  deps: Deps,
  authorization: string | undefined,
  scope: string,
  remote_address: string,
): Grant | Promise<Grant> {
  if (authorization === undefined) throw new Unauthorized("missing_token");
  const access_token = BEARER.exec(authorization)?.[1];
  const account_id = access_token === undefined ? undefined : tokenAccount(access_token);
  if (access_token === undefined || account_id === undefined) throw new Unauthorized("invalid_token");
  const token_hash = tokenHash(access_token, "base64");
  const copy = deps.bus.fresh() ? deps.copies.grants.get(token_hash) : undefined;
  if (copy !== undefined) return sufficient(deps, copy, scope);
  const network = networkOf(remote_address);
  const spent = deps.strangers.spend(network, "bearer", UNKNOWN_TOKENS, deps.now().getTime());
  if (!spent.allowed) throw new StatusRefusal(429, spent.retry_after_s);
  const giveBack = () => deps.strangers.giveBack(network, "bearer", UNKNOWN_TOKENS);
  return readGrant(deps, account_id, token_hash, scope, giveBack);
}

async function readGrant(
  deps: Deps,
  account_id: string,
  token_hash: string,
  scope: string,
  giveBack: () => void,
): Promise<Grant> {
  const { version } = deps.copies;
  const grant = await loadGrant(deps.tenants.of(account_id), account_id, Buffer.from(token_hash, "base64")).catch(
    (error) => {
      // An unreachable database says nothing about the token.
      giveBack();
      throw error;
    },
  );
  if (grant === undefined) throw new Unauthorized("invalid_token");
  giveBack();
  keep(deps.copies, version, deps.copies.grants, token_hash, grant);
  return sufficient(deps, grant, scope);
}

function sufficient(deps: Deps, grant: Grant, scope: string): Grant {
  if (grant.expires_at.getTime() <= deps.now().getTime()) throw new Unauthorized("invalid_token");
  if (!grant.scopes.includes(scope)) throw new Unauthorized("insufficient_scope");
  return grant;
}
