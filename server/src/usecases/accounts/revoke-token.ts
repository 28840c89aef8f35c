import type { Environment } from "@pestle/contract";
import { deleteToken } from "../../db/accounts/tokens.ts";
import { announce } from "../../db/bus.ts";
import type { Deps } from "../../deps.ts";
import { presentedClient } from "../../domain/accounts/client-credentials.ts";
import { refusedForm } from "../../domain/values/refusals.ts";
import { transact } from "../write.ts";
import { authenticateClient } from "./authenticate-client.ts";
import { auditToken, type TokenServerRequest, tokenHash } from "./issue-token.ts";

/** POST /oauth/revoke (RFC 7009): succeeds without effect for an unknown token or another account's token. */
export async function revokeToken(deps: Deps, environment: Environment, request: TokenServerRequest): Promise<void> {
  const presented = presentedClient(request.authorization, request.form);
  const token = request.form.get("token");
  if (!token) throw refusedForm("token_missing");
  const client = await authenticateClient(deps, environment, presented, request.remote_address);
  const { account_id } = client;
  const token_hash = tokenHash(token);
  await transact({ db: deps.tenants.of(account_id) }, async (tx) => {
    await deleteToken(tx, account_id, token_hash);
    await announce(tx, { kind: "token", account_id, id: token_hash.toString("base64") });
  });
  deps.copies.grants.delete(token_hash.toString("base64"));
  auditToken(deps, "revokeToken", client, request);
}
