import { compactAsciiJson, type EventType, isEventType, type WebhookEventRecord } from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import { insertAccountEvent } from "../../db/webhooks/account-events.ts";
import { lockEndpoint } from "../../db/webhooks/endpoints.ts";
import { refuseAll, StatusRefusal } from "../../domain/values/refusals.ts";
import { type SentFields, unknownFields } from "../../domain/values/unknown-fields.ts";
import { sampleEvents } from "../../domain/webhooks/sample-event.ts";
import { endpointProblem } from "../../domain/webhooks/webhook-endpoint.ts";
import { randomEventId } from "../../random.ts";
import { accountNow } from "../sandbox/move-clock.ts";
import { readWebhookEvent } from "./read-webhook-events.ts";

const USUAL: EventType = "RX_RECEIVED";

/** Sends a sample event to one endpoint, through the regular delivery. */
export async function testEndpoint(
  tx: Tx,
  account_id: string,
  endpoint_id: string,
  sent: SentFields,
  now: Date,
): Promise<WebhookEventRecord> {
  // Keep the lock until the event is saved: an endpoint disabled in between would get no delivery.
  const endpoint = await lockEndpoint(tx, account_id, endpoint_id);
  if (endpoint === undefined) throw new StatusRefusal(404);
  const { event_type = USUAL } = sent;
  const known = typeof event_type === "string" && isEventType(event_type);
  refuseAll([
    ...unknownFields(sent, ["event_type"]),
    ...(known ? [] : [endpointProblem("event_type", "event_unknown")]),
    ...(endpoint.status === "active" ? [] : [endpointProblem("status", "disabled")]),
  ]);
  const event_id = randomEventId();
  const created_at = accountNow(now, endpoint.clock_offset_s);
  const timestamp = Math.floor(created_at.getTime() / 1000);
  const fields = sampleEvents[event_type as EventType](created_at);
  await insertAccountEvent(tx, {
    account_id,
    event_id,
    event_type: event_type as EventType,
    body: compactAsciiJson({ event_id, event_type, timestamp, ...fields, test: true }),
    created_at,
    only_endpoint_id: endpoint_id,
  });
  return (await readWebhookEvent(tx, account_id, event_id))!;
}
