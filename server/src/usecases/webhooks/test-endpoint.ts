import {
  compactAsciiJson,
  type EventType,
  sampleEvents,
  type WebhookEventRecord,
  WebhookTestRequest,
} from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import { insertAccountEvent } from "../../db/webhooks/account-events.ts";
import { lockEndpoint } from "../../db/webhooks/endpoints.ts";
import type { Deps } from "../../deps.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { readBody } from "../../domain/values/read-body.ts";
import { refuseAll, StatusRefusal } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { endpointProblem } from "../../domain/webhooks/webhook-endpoint.ts";
import { randomEventId } from "../../random.ts";
import { sealBody } from "./event-body.ts";
import { readWebhookEvent } from "./read-webhook-events.ts";

const USUAL: EventType = "RX_RECEIVED";

/** Sends a sample event to one endpoint, through the regular delivery. */
export async function testEndpoint(
  deps: Pick<Deps, "vault">,
  tx: Tx,
  account_id: string,
  endpoint_id: string,
  sent: SentFields,
  now: Date,
): Promise<WebhookEventRecord> {
  // Keep the lock until the event is saved: an endpoint disabled in between would get no delivery.
  const endpoint = await lockEndpoint(tx, account_id, endpoint_id);
  if (endpoint === undefined) throw new StatusRefusal(404);
  const { fields: asked, problems } = readBody(WebhookTestRequest, sent);
  if (endpoint.status !== "active") problems.push(endpointProblem("status", "disabled"));
  refuseAll(problems);
  const { event_type = USUAL } = asked;
  const event_id = randomEventId();
  const created_at = accountNow(now, endpoint.clock_offset_s);
  const timestamp = Math.floor(created_at.getTime() / 1000);
  const fields = sampleEvents[event_type](created_at);
  const body = compactAsciiJson({ event_id, event_type, timestamp, ...fields, test: true });
  await insertAccountEvent(tx, {
    account_id,
    event_id,
    event_type,
    body_sealed: sealBody(deps.vault, { account_id, event_id }, body),
    created_at,
    only_endpoint_id: endpoint_id,
  });
  return (await readWebhookEvent({ db: tx, vault: deps.vault }, account_id, event_id))!;
}
