import type { deliveryStatuses, endpointStatuses } from "../webhook-records.ts";
import type { EventType } from "../webhooks.ts";

/** `GET …/webhook_endpoints`. */
export type PortalEndpoints = { webhook_endpoints: PortalEndpoint[] };
/** `GET …/webhook_endpoints/{endpoint_id}`, and what a `PATCH` answers. */
export type PortalEndpoint = {
  id: string;
  url: string;
  /** Empty: every event that is not opt-in. */
  events: EventType[];
  status: (typeof endpointStatuses)[number];
  /** The `client_id` whose secret signs, and which of its secrets. */
  signing_credential_id: string;
  signing_secret_id: number;
  description: string | null;
  disabled_reason: "partner" | "gone" | "failing" | null;
  disabled_at: string | null;
  failing_since: string | null;
  created_at: string;
  updated_at: string;
};
/** `POST …/webhook_endpoints`, answered 201 with a `PortalCreatedEndpoint`. */
export type PortalEndpointInput = {
  url: string;
  /** The partner's own, for the second authenticity header. Never shown again. */
  secret: string;
  events?: EventType[];
  /** A `client_id`. Left out: the newest credential that is live. */
  signing_credential_id?: string;
  description?: string | null;
};
export type PortalCreatedEndpoint = PortalEndpoint & { /** `whsec_…`, shown this once. */ signing_secret: string };
/** `PATCH …/webhook_endpoints/{endpoint_id}`. `DELETE` answers 204. */
export type PortalEndpointUpdate = Partial<PortalEndpointInput> & { status?: (typeof endpointStatuses)[number] };
/** `POST …/webhook_endpoints/{endpoint_id}/test`, answered 202 with `{event_id}`. */
export type PortalEndpointTest = { event_type?: EventType };
/** `POST …/webhook_endpoints/{endpoint_id}/redeliver`, answered 202 with a `PortalRedelivered`. */
export type PortalRedeliverSince = { since: string; missed?: boolean };
/** `more`: so many were asked for at once, and there are others. */
export type PortalRedelivered = { redelivered: number; more: boolean };

type DeliverySums = {
  attempts: number;
  delivered: number;
  failed: number;
  /** From 0 to 1; null where there were no attempts. */
  success_rate: number | null;
  average_duration_ms: number | null;
  slowest_duration_ms: number | null;
};
/** `GET …/webhook_endpoints/{endpoint_id}/statistics`. */
export type PortalEndpointStatistics = DeliverySums & {
  endpoint_id: string;
  waiting: number;
  oldest_waiting_at: string | null;
  /** The last 24 hours that had attempts, newest first. */
  hours: (DeliverySums & { hour: string })[];
};

/**
 * `GET …/webhook_events?event_type&order_number&delivered&status&endpoint_id&cursor&limit`: newest first. `status` and
 * `endpoint_id`: one of its deliveries. A page may hold fewer than asked for although there are others. The event inbox
 * reads it too.
 */
export type PortalEvents = { webhook_events: PortalEventRow[]; next_cursor: string | null };
/** No body: what is in it is looked at one by one, and that is written to the audit log. */
export type PortalEventRow = {
  event_id: string;
  event_type: EventType;
  patient_id: string | null;
  order_number: string | null;
  created_at: string;
  deliveries: PortalDelivery[];
};
export type PortalDelivery = {
  endpoint_id: string;
  status: (typeof deliveryStatuses)[number];
  attempts: number;
  /** Null also while the endpoint is disabled. */
  next_attempt_at: string | null;
};
/** `GET …/webhook_events/{event_id}`. */
export type PortalEvent = PortalEventRow & {
  /** The very bytes, one line of ASCII. */
  body_text: string;
  body: Record<string, unknown>;
};
/** `GET …/webhook_events/{event_id}/attempts`, newest first. */
export type PortalAttempts = { attempts: PortalAttempt[]; next_cursor: string | null };
export type PortalAttempt = {
  endpoint_id: string;
  attempt: number;
  at: string;
  delivered: boolean;
  status: number | null;
  /** What kept it from being a delivery: a code, and the same as a sentence. */
  error: string | null;
  error_message: string | null;
  duration_ms: number;
  request: { method: "POST"; url: string; headers: Record<string, string>; body: string } | null;
  response: { content_type: string | null /** The first 4 KiB, as text: anybody's words. */; body: string } | null;
};
/** `POST …/webhook_events/{event_id}/redeliver`, answered 202 with a `PortalRedelivered`. */
export type PortalRedeliver = { endpoint_id?: string };

/**
 * `GET …/webhook_events/{event_id}/signature?endpoint_id=`: how the two authenticity headers and the standard one come
 * about, for this event and this endpoint. Keys and secrets are named and never shown.
 */
export type PortalSignature = {
  event_id: string;
  endpoint_id: string;
  method: "POST";
  url: string;
  body: string;
  /** form-urlencode(METHOD + URL + BODY). */
  base: string;
  /** Whose client secret, hashed, is the key. */
  client_id: string;
  secret_id: number;
  headers: {
    name: string;
    /** What was sent, or would be: the standard signature holds for one time only. */
    value: string;
    how: string;
  }[];
};
