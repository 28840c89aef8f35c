import type { CreatedWebhookEndpoint, PortalEvent, PortalRedelivered, WebhookEndpoint } from "@pestle/contract";
import type { AccountRow } from "../../db/accounts/accounts.ts";
import { listCredentials } from "../../db/accounts/credentials.ts";
import type { Deps } from "../../deps.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { audited, auditView, type PortalActor } from "../operations/audit-portal.ts";
import { readEventBody, readWebhookEvent } from "./read-webhook-events.ts";
import { redeliverEvent, redeliverFailed, tryNow } from "./redeliver-webhooks.ts";
import { registerEndpoint } from "./register-endpoint.ts";
import { testEndpoint } from "./test-endpoint.ts";
import { removeEndpoint, updateEndpoint } from "./update-endpoint.ts";

/*
 * Webhook changes by a person in the portal: the same use cases as for a partner's program, each audited in the same
 * transaction.
 */

/** A person has no credential, so the newest live one signs unless the request names another. */
export async function registerInPortal(
  deps: Deps,
  account: AccountRow,
  by: PortalActor,
  sent: SentFields,
): Promise<CreatedWebhookEndpoint> {
  const { account_id, environment } = account;
  const usable = (await listCredentials(deps.db, account_id)).filter(
    ({ revoked_at, scopes, secrets }) => revoked_at === null && scopes.includes("partners") && secrets.length > 0,
  );
  const credential_id = usable.at(-1)?.credential_id ?? "";
  return audited(deps, by, async (tx, now) => {
    const made = await registerEndpoint(deps, tx, { account_id, environment, credential_id }, sent, now);
    return { action: "endpoint_created", subject: made.id, done: made };
  });
}

export const updateInPortal = (
  deps: Deps,
  account: AccountRow,
  by: PortalActor,
  endpoint_id: string,
  sent: SentFields,
): Promise<WebhookEndpoint> =>
  audited(deps, by, async (tx, now) => ({
    action: "endpoint_changed",
    subject: endpoint_id,
    done: await updateEndpoint(deps, tx, account, endpoint_id, sent, now),
  }));

export const removeInPortal = (deps: Deps, by: PortalActor, endpoint_id: string): Promise<void> =>
  audited(deps, by, async (tx) => ({
    action: "endpoint_removed",
    subject: endpoint_id,
    done: await removeEndpoint(tx, by.account_id, endpoint_id),
  }));

export const testInPortal = (
  deps: Deps,
  by: PortalActor,
  endpoint_id: string,
  sent: SentFields,
): Promise<{ event_id: string }> =>
  audited(deps, by, async (tx, now) => {
    const { event_id } = await testEndpoint(deps, tx, by.account_id, endpoint_id, sent, now);
    return { action: "endpoint_tested", subject: endpoint_id, done: { event_id } };
  });

export const tryNowInPortal = (deps: Deps, by: PortalActor, endpoint_id: string): Promise<void> =>
  audited(deps, by, async (tx, now) => ({
    action: "events_redelivered",
    subject: endpoint_id,
    done: await tryNow(tx, by.account_id, endpoint_id, now),
  }));

export const redeliverSinceInPortal = (
  deps: Deps,
  by: PortalActor,
  endpoint_id: string,
  sent: SentFields,
): Promise<PortalRedelivered> =>
  audited(deps, by, async (tx, now) => {
    const { count, more } = await redeliverFailed(deps, tx, by.account_id, endpoint_id, sent, now);
    return { action: "events_redelivered", subject: endpoint_id, done: { redelivered: count, more } };
  });

export const redeliverInPortal = (
  deps: Deps,
  account: AccountRow,
  by: PortalActor,
  event_id: string,
  sent: SentFields,
): Promise<PortalRedelivered> =>
  audited(deps, by, async (tx, now) => {
    const { deliveries } = await redeliverEvent(deps, tx, account, event_id, sent, now);
    const waiting = deliveries.filter(({ status }) => status === "pending");
    return { action: "events_redelivered", subject: event_id, done: { redelivered: waiting.length, more: false } };
  });

/** An event with its body. The body names the patient's drugs, so the view is audited first. */
export async function viewEvent(deps: Deps, by: PortalActor, event_id: string): Promise<PortalEvent> {
  const { body } = await noteEventView(deps, by, event_id);
  const event = await readWebhookEvent(deps, by.account_id, event_id);
  if (event === undefined) throw new StatusRefusal(404);
  return { ...event, body_text: body };
}

/** Audits the view of an existing event; returns 404 otherwise. */
export async function noteEventView(deps: Deps, by: PortalActor, event_id: string): Promise<{ body: string }> {
  const body = await readEventBody(deps, by.account_id, event_id);
  if (body === undefined) throw new StatusRefusal(404);
  await auditView(deps, by, "event_viewed", event_id);
  return { body };
}
