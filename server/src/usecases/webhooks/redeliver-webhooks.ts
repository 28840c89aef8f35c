import {
  FailedRedeliveryRequest,
  MOST_REDELIVERED_AT_ONCE,
  RedeliveryRequest,
  type WebhookEventRecord,
} from "@pestle/contract";
import type { Grant } from "../../db/accounts/tokens.ts";
import { announce } from "../../db/bus.ts";
import type { Tx } from "../../db/db.ts";
import { findEndpoint, lockEndpoint } from "../../db/webhooks/endpoints.ts";
import { findEvent } from "../../db/webhooks/feed.ts";
import { requeueEvent, requeueFailed, requeuePending } from "../../db/webhooks/redelivery.ts";
import type { Deps } from "../../deps.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { readInstant } from "../../domain/values/calendar.ts";
import { readBody } from "../../domain/values/read-body.ts";
import { type Problem, refuseAll, StatusRefusal } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { endpointProblem } from "../../domain/webhooks/webhook-endpoint.ts";
import { earliestIdTime, readWebhookEvent } from "./read-webhook-events.ts";

/** Sends one event again, to all its endpoints or to one. */
export async function redeliverEvent(
  { vault }: Pick<Deps, "vault">,
  tx: Tx,
  { account_id, clock_offset_s }: Pick<Grant, "account_id" | "clock_offset_s">,
  event_id: string,
  sent: SentFields,
  now: Date,
): Promise<WebhookEventRecord> {
  if ((await findEvent(tx, account_id, event_id)) === undefined) throw new StatusRefusal(404);
  const { fields, problems } = readBody(RedeliveryRequest, sent);
  const { endpoint_id = null } = fields;
  if (endpoint_id !== null) problems.push(...(await recipientProblems(tx, account_id, endpoint_id)));
  refuseAll(problems);
  const account_now = accountNow(now, clock_offset_s);
  await requeueEvent(tx, { account_id, event_id, endpoint_id, account_now });
  return (await readWebhookEvent({ db: tx, vault }, account_id, event_id))!;
}

/** Tries an endpoint's pending deliveries now instead of waiting for their backoff. */
export async function tryNow(tx: Tx, account_id: string, endpoint_id: string, now: Date): Promise<void> {
  const endpoint = await lockEndpoint(tx, account_id, endpoint_id);
  if (endpoint === undefined) throw new StatusRefusal(404);
  if (endpoint.status !== "active") refuseAll([endpointProblem("status", "disabled")]);
  const account_now = accountNow(now, endpoint.clock_offset_s);
  await requeuePending(tx, { account_id, endpoint_id, account_now, most: MOST_REDELIVERED_AT_ONCE });
  // The processes that deliver end their pause between attempts too.
  await announce(tx, { kind: "webhook_endpoint", account_id, id: endpoint_id });
}

async function recipientProblems(tx: Tx, account_id: string, endpoint_id: string): Promise<Problem[]> {
  const endpoint = await findEndpoint(tx, account_id, endpoint_id);
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
  const { fields, problems } = readBody(FailedRedeliveryRequest, sent, "", {
    "date-time": (text: string) => ({ value: readInstant(text, deps.config.TIME_ZONE), problems: [] }),
  });
  if (endpoint.status !== "active") problems.push(endpointProblem("status", "disabled"));
  refuseAll(problems);
  const { missed = false } = fields;
  const since = fields.since as unknown as Date;
  const count = await requeueFailed(tx, {
    account_id,
    endpoint_id,
    since,
    ids_since: earliestIdTime(since, endpoint.clock_offset_s),
    missed,
    account_now: accountNow(now, endpoint.clock_offset_s),
    most: MOST_REDELIVERED_AT_ONCE,
  });
  return { count, more: count === MOST_REDELIVERED_AT_ONCE };
}
