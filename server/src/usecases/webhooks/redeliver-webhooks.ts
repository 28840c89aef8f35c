import { type FailedRedeliveryRequest, MOST_REDELIVERED_AT_ONCE, type WebhookEventRecord } from "@pestle/contract";
import type { Grant } from "../../db/accounts/tokens.ts";
import type { Tx } from "../../db/db.ts";
import { findEndpoint, lockEndpoint } from "../../db/webhooks/endpoints.ts";
import { findEvent } from "../../db/webhooks/feed.ts";
import { requeueEvent, requeueFailed } from "../../db/webhooks/redelivery.ts";
import type { Deps } from "../../deps.ts";
import { readInstant } from "../../domain/values/instant.ts";
import { type Problem, refuseAll, StatusRefusal } from "../../domain/values/refusals.ts";
import { type SentFields, unknownFields } from "../../domain/values/unknown-fields.ts";
import { isUuid } from "../../domain/values/uuid.ts";
import { endpointProblem } from "../../domain/webhooks/webhook-endpoint.ts";
import { accountNow } from "../sandbox/move-clock.ts";
import { earliestIdTime, readWebhookEvent } from "./read-webhook-events.ts";

/** Sends one event again, to all its endpoints or to one. */
export async function redeliverEvent(
  tx: Tx,
  { account_id, clock_offset_s }: Pick<Grant, "account_id" | "clock_offset_s">,
  event_id: string,
  sent: SentFields,
  now: Date,
): Promise<WebhookEventRecord> {
  if ((await findEvent(tx, account_id, event_id)) === undefined) throw new StatusRefusal(404);
  const { endpoint_id = null } = sent;
  const problems = unknownFields(sent, ["endpoint_id"]);
  if (Object.hasOwn(sent, "endpoint_id")) problems.push(...(await recipientProblems(tx, account_id, endpoint_id)));
  refuseAll(problems);
  const account_now = accountNow(now, clock_offset_s);
  await requeueEvent(tx, { account_id, event_id, endpoint_id: endpoint_id as string | null, account_now });
  return (await readWebhookEvent(tx, account_id, event_id))!;
}

async function recipientProblems(tx: Tx, account_id: string, endpoint_id: unknown): Promise<Problem[]> {
  const endpoint = isUuid(endpoint_id) ? await findEndpoint(tx, account_id, endpoint_id) : undefined;
  if (endpoint === undefined) return [endpointProblem("endpoint_id", "endpoint_unknown")];
  return endpoint.status === "active" ? [] : [endpointProblem("endpoint_id", "disabled")];
}

/** Sends again what an endpoint has not received since a time, up to the limit of one request. */
export async function redeliverFailed(
  deps: Pick<Deps, "config">,
  tx: Tx,
  account_id: string,
  endpoint_id: string,
  sent: SentFields,
  now: Date,
): Promise<{ count: number; more: boolean }> {
  const endpoint = await lockEndpoint(tx, account_id, endpoint_id);
  if (endpoint === undefined) throw new StatusRefusal(404);
  const { since: given, missed = false } = sent as Partial<FailedRedeliveryRequest>;
  const since = typeof given === "string" ? readInstant(given, deps.config.TIME_ZONE) : null;
  refuseAll([
    ...unknownFields(sent, ["since", "missed"]),
    ...(since === null ? [endpointProblem("since", "since")] : []),
    ...(typeof missed === "boolean" ? [] : [endpointProblem("missed", "missed")]),
    ...(endpoint.status === "active" ? [] : [endpointProblem("status", "disabled")]),
  ]);
  const count = await requeueFailed(tx, {
    account_id,
    endpoint_id,
    since: since!,
    ids_since: earliestIdTime(since!, endpoint.clock_offset_s),
    missed,
    account_now: accountNow(now, endpoint.clock_offset_s),
    most: MOST_REDELIVERED_AT_ONCE,
  });
  return { count, more: count === MOST_REDELIVERED_AT_ONCE };
}
