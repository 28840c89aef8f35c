import type { WebhookEndpoint, WebhookEndpointUpdate } from "@pestle/contract";
import type { Grant } from "../../db/accounts/tokens.ts";
import { announce } from "../../db/bus.ts";
import type { Tx } from "../../db/db.ts";
import { endpointPlace } from "../../db/webhooks/due-endpoints.ts";
import {
  deleteEndpoint,
  loadSigningFacts,
  lockEndpoint,
  makeDeliveriesDue,
  saveEndpoint,
} from "../../db/webhooks/endpoints.ts";
import type { Deps } from "../../deps.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { refuseAll, StatusRefusal } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import {
  changedEndpoint,
  endpointAnswer,
  endpointFieldProblems,
  endpointProblem,
  ownCredential,
} from "../../domain/webhooks/webhook-endpoint.ts";

/** Changes the fields that were sent and keeps the rest. If nothing differs, it writes nothing. */
export async function updateEndpoint(
  deps: Pick<Deps, "vault" | "webhook_client">,
  tx: Tx,
  { account_id, environment }: Pick<Grant, "account_id" | "environment">,
  endpoint_id: string,
  sent: SentFields,
  now: Date,
): Promise<WebhookEndpoint> {
  const locked = await lockEndpoint(tx, account_id, endpoint_id);
  if (locked === undefined) throw new StatusRefusal(404);
  const { clock_offset_s, ...before } = locked;
  const problems = endpointFieldProblems(sent, "update", environment, deps.webhook_client.loopback_ports);
  const { secret: given, signing_credential_id: client_id } = sent as WebhookEndpointUpdate;
  const secret = given ?? undefined;
  let switched: Parameters<typeof changedEndpoint>[2] = null;
  if (typeof client_id === "string") {
    const signing_credential_id = ownCredential(account_id, client_id);
    const { newest_secret_id } = await loadSigningFacts(tx, account_id, signing_credential_id);
    if (signing_credential_id === null || newest_secret_id === null) {
      problems.push(endpointProblem("signing_credential_id", "signing_credential"));
    } else switched = { signing_credential_id, signing_credential_secret_id: newest_secret_id };
  }
  refuseAll(problems);
  const account_now = accountNow(now, clock_offset_s);
  const after = { ...before, ...changedEndpoint(before, sent as WebhookEndpointUpdate, switched, account_now) };
  if (secret === undefined && JSON.stringify(after) === JSON.stringify(before)) {
    return endpointAnswer(account_id, before);
  }
  const place = endpointPlace("secret_sealed", account_id, endpoint_id);
  const row = { ...after, updated_at: account_now };
  await saveEndpoint(tx, account_id, row, secret === undefined ? null : deps.vault.seal(Buffer.from(secret), place));
  if (before.status === "disabled" && after.status === "active") {
    await makeDeliveriesDue(tx, account_id, endpoint_id, account_now);
  }
  await announce(tx, { kind: "webhook_endpoint", account_id, id: endpoint_id });
  return endpointAnswer(account_id, row);
}

/** Also drops the endpoint's pending deliveries. */
export async function removeEndpoint(tx: Tx, account_id: string, endpoint_id: string): Promise<void> {
  if (!(await deleteEndpoint(tx, account_id, endpoint_id))) throw new StatusRefusal(404);
  await announce(tx, { kind: "webhook_endpoint", account_id, id: endpoint_id });
}
