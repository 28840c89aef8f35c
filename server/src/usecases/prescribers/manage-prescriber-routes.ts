import { listAccounts } from "../../db/accounts/accounts.ts";
import type { Tx } from "../../db/db.ts";
import {
  deletePrescriberRoute,
  type PrescriberRoute,
  routePlace,
  savePrescriberRoute,
} from "../../db/prescribers/prescriber-routes.ts";
import { checkWebhookUrl, type LoopbackPorts, urlProblems } from "../../domain/webhooks/webhook-url.ts";
import { randomSigningSecret } from "../../random.ts";
import type { Vault } from "../../vault/vault.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";

/**
 * Sets where the messages to the prescribers of a sender go, and returns the new secret that signs them. The rules for
 * the URL are those of webhooks.
 */
export async function setPrescriberRoute(
  { vault, loopback_ports }: { vault: Vault; loopback_ports: LoopbackPorts },
  tx: Tx,
  route: PrescriberRoute,
  now: Date,
): Promise<{ signing_secret: string }> {
  const { account_id, sender, url } = route;
  const account = (await listAccounts(tx)).find((one) => one.account_id === account_id);
  if (account === undefined || account.name === null) {
    throw new AdminRefusal("There is no such account. `pestle partner list` shows all accounts.");
  }
  if (!/^[^\p{Cc}]{1,255}$/u.test(sender)) throw new AdminRefusal("A sender's id must have 1 to 255 characters.");
  const problem = checkWebhookUrl(url, account.environment, loopback_ports);
  if (problem !== null) throw new AdminRefusal(urlProblems[problem]);
  const signing_secret = randomSigningSecret();
  const signing_secret_sealed = vault.seal(Buffer.from(signing_secret), routePlace(account_id, sender));
  await savePrescriberRoute(tx, { ...route, signing_secret_sealed }, now);
  return { signing_secret };
}

export async function removePrescriberRoute(tx: Tx, account_id: string, sender: string): Promise<void> {
  if ((await deletePrescriberRoute(tx, account_id, sender)) === 0) {
    throw new AdminRefusal("This account has no route for this sender.");
  }
}
