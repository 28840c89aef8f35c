import { randomUUID } from "node:crypto";
import type { CreatedWebhookEndpoint, WebhookEndpointInput } from "@pestle/contract";
import type { Grant } from "../../db/accounts/tokens.ts";
import { announce } from "../../db/bus.ts";
import type { Tx } from "../../db/db.ts";
import { endpointPlace } from "../../db/webhooks/due-endpoints.ts";
import { insertEndpoint, loadSigningFacts, lockEndpoints } from "../../db/webhooks/endpoints.ts";
import type { Deps } from "../../deps.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { refuseAll } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import {
  endpointAnswer,
  endpointFieldProblems,
  endpointProblem,
  ownCredential,
} from "../../domain/webhooks/webhook-endpoint.ts";
import { randomSigningSecret } from "../../random.ts";

/** Registers an endpoint. Shows `signing_secret` only once, and signs with the credential's older live secret. */
export async function registerEndpoint(
  deps: Pick<Deps, "vault" | "webhook_client" | "quotas">,
  tx: Tx,
  grant: Pick<Grant, "account_id" | "environment" | "credential_id">,
  sent: SentFields,
  now: Date,
): Promise<CreatedWebhookEndpoint> {
  const { account_id } = grant;
  const problems = endpointFieldProblems(sent, "create", grant.environment, deps.webhook_client.loopback_ports);
  const { signing_credential_id: client_id } = sent;
  const credential_id =
    (client_id ?? null) === null ? grant.credential_id : ownCredential(account_id, String(client_id));
  const account = await lockEndpoints(tx, account_id);
  const { endpoints, oldest_secret_id } = await loadSigningFacts(tx, account_id, credential_id);
  if (oldest_secret_id === null && !problems.some(({ field }) => field === "signing_credential_id")) {
    problems.push(endpointProblem("signing_credential_id", "signing_credential"));
  }
  const { most } = deps.quotas.read(account_id, grant.environment).webhook_endpoints;
  if (endpoints >= most) problems.push(endpointProblem("webhook_endpoints", "too_many"));
  refuseAll(problems);
  const { url, secret, description = null } = sent as WebhookEndpointInput;
  const events = (sent as WebhookEndpointInput).events ?? [];
  const endpoint_id = randomUUID();
  const signing_secret = randomSigningSecret();
  const account_now = accountNow(now, account!.clock_offset_s);
  const row = {
    endpoint_id,
    url,
    events,
    description,
    status: "active" as const,
    disabled_reason: null,
    disabled_at: null,
    failing_since: null,
    signing_credential_id: credential_id!,
    signing_credential_secret_id: oldest_secret_id!,
    created_at: account_now,
    updated_at: account_now,
  };
  const seal = (column: Parameters<typeof endpointPlace>[0], text: string) =>
    deps.vault.seal(Buffer.from(text), endpointPlace(column, account_id, endpoint_id));
  await insertEndpoint(tx, account_id, {
    ...row,
    secret_sealed: seal("secret_sealed", secret),
    signing_secret_sealed: seal("signing_secret_sealed", signing_secret),
  });
  await announce(tx, { kind: "webhook_endpoint", account_id, id: endpoint_id });
  return { ...endpointAnswer(account_id, row), signing_secret };
}
