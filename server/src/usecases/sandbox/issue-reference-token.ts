import { type PortalReferenceToken, REFERENCE_CREDENTIAL, REFERENCE_TOKEN_LIFETIME_S } from "@pestle/contract";
import { lockAccount } from "../../db/accounts/accounts.ts";
import { type CredentialRow, listCredentials, loadCredential } from "../../db/accounts/credentials.ts";
import { insertToken } from "../../db/accounts/tokens.ts";
import type { Tx } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { randomSecret } from "../../random.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { tokenHash } from "../accounts/issue-token.ts";
import { createCredential, splitClientId } from "../accounts/manage-credentials.ts";
import { takeReferenceTry } from "../accounts/take-tries.ts";
import { audited, auditPortal, type PortalActor } from "../operations/audit-portal.ts";

const TURNED_OFF = `Your credential “${REFERENCE_CREDENTIAL}” requires a key, so this page gets no token. Change its limits in the portal, or revoke it.`;

/**
 * A token of the partner's sandbox account, with which the API reference sends a signed-in person's requests. It belongs to
 * a credential of its own, so that the request log and the list of credentials name it, and an admin can limit or revoke it.
 */
export async function issueReferenceToken(
  deps: Pick<Deps, "db" | "vault" | "now" | "tries">,
  by: PortalActor,
): Promise<PortalReferenceToken> {
  takeReferenceTry(deps, by.person_id);
  const { account_id } = by;
  return audited(deps, by, async (tx, now) => {
    const { credential_id, scopes, secrets, token_lifetime_s } = await referenceCredential(deps, tx, by, now);
    const access_token = `${account_id}_${randomSecret()}`;
    const lifetime_s = Math.min(REFERENCE_TOKEN_LIFETIME_S, token_lifetime_s ?? REFERENCE_TOKEN_LIFETIME_S);
    const expires_at = new Date(now.getTime() + lifetime_s * 1000);
    const issued = await insertToken(tx, {
      account_id,
      token_hash: tokenHash(access_token),
      credential_id,
      proof: { secret_id: secrets.at(-1)!.secret_id },
      scopes,
      created_at: now,
      expires_at,
    });
    if (issued === 0) throw new AdminRefusal(TURNED_OFF);
    const done = { access_token, expires_at: expires_at.toISOString() };
    return { action: "token_issued", subject: `${account_id}-${credential_id}`, done };
  });
}

/** The account's live credential of this name. The first token, and the first one after a revocation, creates it. */
async function referenceCredential(
  deps: Pick<Deps, "vault">,
  tx: Tx,
  by: PortalActor,
  now: Date,
): Promise<CredentialRow> {
  const { account_id } = by;
  await lockAccount(tx, account_id);
  const known = (await listCredentials(tx, account_id)).find(isForReference);
  if (known !== undefined) return known;
  // The secret is forgotten here: only this function issues tokens of the credential.
  const { client_id } = await createCredential(
    deps,
    tx,
    { account_id, name: REFERENCE_CREDENTIAL, scopes: ["partners"] },
    now,
  );
  await auditPortal(tx, now, by, "credential_created", client_id);
  return (await loadCredential(tx, account_id, splitClientId(client_id)!.credential_id))!;
}

const isForReference = ({ name, revoked_at, scopes, secrets }: CredentialRow): boolean =>
  name === REFERENCE_CREDENTIAL &&
  revoked_at === null &&
  secrets.length > 0 &&
  scopes.length === 1 &&
  scopes[0] === "partners";
