import { eventTypeNames, ORDER_NUMBER_PATTERN, type WebhookAttempt } from "@pestle/contract";
import type { AttemptPosition } from "../../db/webhooks/attempts.ts";
import type { FeedPosition } from "../../db/webhooks/feed.ts";
import { isUuid } from "../../domain/values/identifiers.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { redeliverWebhookEvent as redeliver } from "../../usecases/webhooks/endpoints-for-partner.ts";
import { readAttempts, readWebhookEvent, readWebhookEvents } from "../../usecases/webhooks/read-webhook-events.ts";
import { json, showing } from "../answer.ts";
import { limitOf, listAnswer } from "../page.ts";
import type { ReadHandler, WriteHandler } from "../partner-api.ts";
import { choiceOf, flagOf, textOf, timeOf } from "../query-values.ts";
import { attemptCursor, attemptPosition, feedCursor, storedFeedPosition } from "./webhook-cursors.ts";

const positionOf = ({ at, endpoint_id, attempt }: WebhookAttempt): AttemptPosition => ({
  at: new Date(at),
  endpoint_id,
  attempt,
});

export const listWebhookEvents: ReadHandler = async (deps, { grant, query, url }) => {
  const limit = limitOf(query);
  const start = await storedFeedPosition(deps, grant.account_id, query);
  const filter = {
    event_type: choiceOf(query, "event_type", eventTypeNames),
    order_number: textOf(query, "order_number", (text) => new RegExp(ORDER_NUMBER_PATTERN).test(text)),
    delivered: flagOf(query, "delivered"),
    after: timeOf(query, "after", deps.config.TIME_ZONE),
  };
  const { webhook_events, positions, more, end } = await readWebhookEvents(deps, grant, filter, start, limit);
  const cursorOf = (at: FeedPosition) => feedCursor(deps, grant.account_id, at);
  const end_cursor = cursorOf(end);
  return listAnswer(url, "webhook_events", webhook_events, {
    cursorAfter: (index) => cursorOf(positions[index]!),
    next_cursor: more ? end_cursor : null,
    end: end_cursor,
    patientOf: ({ patient_id }) => patient_id,
  });
};

export const getWebhookEvent: ReadHandler = async (deps, { grant, params }) => {
  const event = await readWebhookEvent(deps, grant.account_id, eventId(params));
  if (event === undefined) throw new StatusRefusal(404);
  const patients = event.patient_id == null ? [] : [event.patient_id];
  return showing(json(200, event), { patients, subject: event.event_id });
};

export const listWebhookAttempts: ReadHandler = async (deps, { grant, params, query, url }) => {
  const limit = limitOf(query);
  const { account_id } = grant;
  const event_id = eventId(params);
  const start = attemptPosition(deps, account_id, event_id, query);
  const page = await readAttempts(deps, account_id, event_id, start, limit);
  if (page === undefined) throw new StatusRefusal(404);
  const { attempts, next } = page;
  const cursorOf = (at: AttemptPosition) => attemptCursor(deps, account_id, event_id, at);
  return listAnswer(url, "attempts", attempts, {
    cursorAfter: (index) => cursorOf(positionOf(attempts[index]!)),
    next_cursor: next && cursorOf(next),
  });
};

export const redeliverWebhookEvent: WriteHandler = (deps, call, body) =>
  redeliver(deps, call, eventId(call.params), body);

function eventId({ event_id }: Parameters<ReadHandler>[1]["params"]): string {
  if (!isUuid(event_id)) throw new StatusRefusal(404);
  return event_id;
}
