import {
  deliveryStatuses,
  eventTypeNames,
  ORDER_NUMBER_PATTERN,
  type PortalAttempts,
  type PortalDeliveries,
  type PortalEndpoint,
  type PortalEndpoints,
  type PortalEvents,
  type WebhookEndpoint,
} from "@pestle/contract";
import { type EndpointRow, findEndpoint, listEndpoints, listSlowed } from "../../db/webhooks/endpoints.ts";
import { type FeedRow, findEvent } from "../../db/webhooks/feed.ts";
import { listNewestEvents, type NewestFilter } from "../../db/webhooks/portal-webhooks.ts";
import type { Deps } from "../../deps.ts";
import { isUuid } from "../../domain/values/identifiers.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { endpointAnswer } from "../../domain/webhooks/webhook-endpoint.ts";
import { readCertification, startCertification } from "../../usecases/webhooks/certify-endpoint.ts";
import {
  noteEventView,
  redeliverInPortal,
  redeliverSinceInPortal,
  registerInPortal,
  removeInPortal,
  testInPortal,
  tryNowInPortal,
  updateInPortal,
  viewEvent,
} from "../../usecases/webhooks/endpoints-in-portal.ts";
import { patientOfEvent } from "../../usecases/webhooks/event-body.ts";
import { explainSignature } from "../../usecases/webhooks/explain-signature.ts";
import { readStatistics } from "../../usecases/webhooks/read-statistics.ts";
import { readAttempts } from "../../usecases/webhooks/read-webhook-events.ts";
import { version } from "../../version.ts";
import { type Answer, answer, json, rendered } from "../answer.ts";
import { limitOf } from "../page.ts";
import {
  developers,
  everybody,
  idOf,
  ofAccount,
  type PortalCall,
  type PortalCallTo,
  queryOf,
  UUID,
} from "../portal-route.ts";
import { choiceOf, flagOf, textOf, timeOf } from "../query-values.ts";
import type { WebRoute } from "../web-api.ts";
import { attemptCursor, attemptPosition, feedCursor, feedPosition } from "./webhook-cursors.ts";

const ENDPOINTS = "/portal/:environment/webhook_endpoints";
const EVENTS = "/portal/:environment/webhook_events";

/** Webhook endpoints, events, deliveries and redelivery. */
export const webhookRoutes: readonly WebRoute[] = [
  { method: "GET", path: ENDPOINTS, roles: everybody, handler: ofAccount(list) },
  {
    method: "POST",
    path: ENDPOINTS,
    roles: developers,
    handler: ofAccount(async (deps, { account, by, body }) => {
      const made = await registerInPortal(deps, account, by, body);
      return json(201, { ...(await shown(deps, by.account_id, made)), signing_secret: made.signing_secret });
    }),
  },
  {
    method: "GET",
    path: `${ENDPOINTS}/:endpoint_id`,
    roles: everybody,
    handler: ofAccount(async (deps, call) =>
      json(200, await shown(deps, call.account.account_id, { id: endpointIn(call) })),
    ),
  },
  {
    method: "PATCH",
    path: `${ENDPOINTS}/:endpoint_id`,
    roles: developers,
    handler: ofAccount(async (deps, call) => {
      const changed = await updateInPortal(deps, call.account, call.by, endpointIn(call), call.body);
      return json(200, await shown(deps, call.by.account_id, changed));
    }),
  },
  {
    method: "DELETE",
    path: `${ENDPOINTS}/:endpoint_id`,
    roles: developers,
    handler: ofAccount(async (deps, call) => {
      await removeInPortal(deps, call.by, endpointIn(call));
      return answer(204, rendered(""));
    }),
  },
  {
    method: "POST",
    path: `${ENDPOINTS}/:endpoint_id/test`,
    roles: developers,
    handler: ofAccount(async (deps, call) => json(202, await testInPortal(deps, call.by, endpointIn(call), call.body))),
  },
  {
    method: "POST",
    path: `${ENDPOINTS}/:endpoint_id/try_now`,
    roles: developers,
    handler: ofAccount(async (deps, call) => {
      await tryNowInPortal(deps, call.by, endpointIn(call));
      return json(200, await shown(deps, call.by.account_id, { id: endpointIn(call) }));
    }),
  },
  {
    method: "POST",
    path: `${ENDPOINTS}/:endpoint_id/redeliver`,
    roles: developers,
    handler: ofAccount(async (deps, call) =>
      json(202, await redeliverSinceInPortal(deps, call.by, endpointIn(call), call.body)),
    ),
  },
  {
    method: "GET",
    path: `${ENDPOINTS}/:endpoint_id/statistics`,
    roles: everybody,
    handler: ofAccount(async (deps, call) => {
      const statistics = await readStatistics(deps, call.account.account_id, endpointIn(call));
      if (statistics === undefined) throw new StatusRefusal(404);
      return json(200, statistics);
    }),
  },
  {
    method: "GET",
    path: `${ENDPOINTS}/:endpoint_id/certification`,
    roles: everybody,
    handler: ofAccount(async (deps, call) =>
      json(200, await readCertification(deps, call.account.account_id, endpointIn(call))),
    ),
  },
  {
    method: "POST",
    path: `${ENDPOINTS}/:endpoint_id/certification`,
    roles: developers,
    handler: ofAccount(async (deps, call) => {
      const endpoint_id = endpointIn(call);
      await startCertification(deps, call.account, call.by, endpoint_id, version);
      return json(202, await readCertification(deps, call.account.account_id, endpoint_id));
    }),
  },
  { method: "GET", path: EVENTS, roles: everybody, handler: ofAccount(events) },
  {
    method: "GET",
    path: `${EVENTS}/:event_id`,
    roles: everybody,
    handler: ofAccount(async (deps, call) => json(200, await viewEvent(deps, call.by, eventIn(call)))),
  },
  { method: "GET", path: `${EVENTS}/:event_id/deliveries`, roles: everybody, handler: ofAccount(deliveries) },
  { method: "GET", path: `${EVENTS}/:event_id/attempts`, roles: everybody, handler: ofAccount(attempts) },
  {
    method: "GET",
    path: `${EVENTS}/:event_id/signature`,
    roles: everybody,
    handler: ofAccount(async (deps, call) => {
      const endpoint_id = textOf(queryOf(call, "endpoint_id"), "endpoint_id", isUuid);
      const { by } = call;
      const told = endpoint_id && (await explainSignature(deps, by.account_id, eventIn(call), endpoint_id));
      if (!told) throw new StatusRefusal(404);
      await noteEventView(deps, by, told.event_id);
      return json(200, told);
    }),
  },
  {
    method: "POST",
    path: `${EVENTS}/:event_id/redeliver`,
    roles: developers,
    handler: ofAccount(async (deps, call) =>
      json(202, await redeliverInPortal(deps, call.account, call.by, eventIn(call), call.body)),
    ),
  },
];

const endpointIn = (call: PortalCall) => idOf(call, "endpoint_id", UUID);
const eventIn = (call: PortalCall) => idOf(call, "event_id", UUID);

async function list(deps: Deps, { account: { account_id } }: PortalCall): Promise<Answer<PortalEndpoints>> {
  const [rows, slowed] = await Promise.all([listEndpoints(deps.db, account_id), listSlowed(deps.db, account_id)]);
  return json(200, { webhook_endpoints: rows.map((row) => endpointOf(account_id, row, slowed)) });
}

const endpointOf = (
  account_id: string,
  row: EndpointRow,
  slowed: Awaited<ReturnType<typeof listSlowed>>,
): PortalEndpoint => ({
  ...endpointAnswer(account_id, row),
  signing_secret_id: row.signing_credential_secret_id,
  failing_since: row.failing_since?.toISOString() ?? null,
  next_attempt_at:
    slowed.find(({ endpoint_id }) => endpoint_id === row.endpoint_id)?.next_attempt_at?.toISOString() ?? null,
});

async function shown(deps: Deps, account_id: string, { id }: Pick<WebhookEndpoint, "id">): Promise<PortalEndpoint> {
  const [row, slowed] = await Promise.all([findEndpoint(deps.db, account_id, id), listSlowed(deps.db, account_id)]);
  if (row === undefined) throw new StatusRefusal(404);
  return endpointOf(account_id, row, slowed);
}

async function deliveries(deps: Deps, call: PortalCall): Promise<Answer<PortalDeliveries>> {
  const event = await findEvent(deps.db, call.account.account_id, eventIn(call));
  if (event === undefined) throw new StatusRefusal(404);
  return json(200, { deliveries: event.deliveries.map(deliveryOf) });
}

const deliveryOf = ({ next_attempt_at, ...delivery }: FeedRow["deliveries"][number]) => ({
  ...delivery,
  next_attempt_at: next_attempt_at && new Date(next_attempt_at).toISOString(),
});

const eventFilters = [
  ...(["event_type", "order_number", "delivered", "status", "endpoint_id"] as const),
  ...(["created_after", "created_before"] as const),
];

async function events(
  deps: Deps,
  call: PortalCallTo<"GET /portal/{environment}/webhook_events">,
): Promise<Answer<PortalEvents>> {
  const query = queryOf(call, ...eventFilters, "limit", "cursor");
  const filter: NewestFilter = {
    event_type: choiceOf(query, "event_type", eventTypeNames),
    order_number: textOf(query, "order_number", (text) => new RegExp(ORDER_NUMBER_PATTERN).test(text)),
    delivered: flagOf(query, "delivered"),
    status: textOf(query, "status", isDeliveryStatus) as NewestFilter["status"],
    endpoint_id: textOf(query, "endpoint_id", isUuid),
    created_after: timeOf(query, "created_after", deps.config.TIME_ZONE),
    created_before: timeOf(query, "created_before", deps.config.TIME_ZONE),
  };
  const before = query.has("cursor") ? feedPosition(deps, call.account.account_id, query) : NEWEST;
  const { rows, next } = await listNewestEvents(deps.db, call.account.account_id, filter, before, limitOf(query));
  return json(200, {
    webhook_events: rows.map(({ event_id, event_type, order_number, created_at, deliveries, ...row }) => ({
      event_id,
      event_type,
      patient_id: patientOfEvent(deps.vault, { ...row, event_id }),
      order_number,
      created_at: created_at.toISOString(),
      deliveries: deliveries.map(deliveryOf),
    })),
    next_cursor: next && feedCursor(deps, call.account.account_id, next),
  } satisfies PortalEvents);
}

const isDeliveryStatus = (text: string) => (deliveryStatuses as readonly string[]).includes(text);
/** Sorts after every event. */
const NEWEST = { feed_position: Number.MAX_SAFE_INTEGER, event_position: Number.MAX_SAFE_INTEGER };

async function attempts(
  deps: Deps,
  call: PortalCallTo<"GET /portal/{environment}/webhook_events/{event_id}/attempts">,
): Promise<Answer<PortalAttempts>> {
  const query = queryOf(call, "limit", "cursor");
  const event_id = eventIn(call);
  await noteEventView(deps, call.by, event_id);
  const { account_id } = call.by;
  const start = attemptPosition(deps, account_id, event_id, query);
  const page = await readAttempts(deps, account_id, event_id, start, limitOf(query));
  if (page === undefined) throw new StatusRefusal(404);
  const { attempts, next } = page;
  return json(200, {
    attempts,
    next_cursor: next && attemptCursor(deps, account_id, event_id, next),
  } as PortalAttempts);
}
