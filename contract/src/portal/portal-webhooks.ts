import type { CertifyReport } from "../certify/report-steps.ts";
import type { deliveryStatuses, endpointStatuses } from "../webhooks/webhook-records.ts";
import type { EventType } from "../webhooks/webhooks.ts";

/** `GET …/webhook_endpoints`. */
export type PortalEndpoints = { webhook_endpoints: PortalEndpoint[] };
/** `GET …/webhook_endpoints/{endpoint_id}`. `PATCH` returns it too. */
export type PortalEndpoint = {
  id: string;
  url: string;
  /** Empty: every event that is not opt-in. */
  events: EventType[];
  status: (typeof endpointStatuses)[number];
  /** The credential and secret that sign the events. */
  signing_credential_id: string;
  signing_secret_id: number;
  description: string | null;
  disabled_reason: "partner" | "gone" | "failing" | null;
  disabled_at: string | null;
  failing_since: string | null;
  /** Of a failing endpoint: when its next pending delivery is due, by the account's clock. */
  next_attempt_at: string | null;
  created_at: string;
  updated_at: string;
};
/** `POST …/webhook_endpoints` returns 201 with a `PortalCreatedEndpoint`. */
export type PortalEndpointInput = {
  url: string;
  /** Chosen by the partner, for the second authenticity header. Never shown again. */
  secret: string;
  events?: EventType[];
  /** A `client_id`. Defaults to the newest active credential. */
  signing_credential_id?: string;
  description?: string | null;
};
export type PortalCreatedEndpoint = PortalEndpoint & { /** `whsec_…`, shown only once. */ signing_secret: string };
/** `PATCH …/webhook_endpoints/{endpoint_id}`. `DELETE` returns 204. */
export type PortalEndpointUpdate = Partial<PortalEndpointInput> & { status?: (typeof endpointStatuses)[number] };
/** `POST …/webhook_endpoints/{endpoint_id}/test` returns 202 with `{event_id}`. */
export type PortalEndpointTest = { event_type?: EventType };
// `POST …/webhook_endpoints/{endpoint_id}/try_now` with `{}` makes its pending deliveries due and returns the endpoint.
/** `POST …/webhook_endpoints/{endpoint_id}/redeliver` returns 202 with a `PortalRedelivered`. */
export type PortalRedeliverSince = { since: string; missed?: boolean };
/** `more`: the batch limit was reached and more events remain. */
export type PortalRedelivered = { redelivered: number; more: boolean };

/**
 * `POST …/webhook_endpoints/{endpoint_id}/certification` starts a run and returns 202, or 429 while one of the account's runs is
 * under way. `GET` returns the last signed report.
 */
export type PortalCertification = { running: boolean; report: CertifyReport | null };

type DeliverySums = {
  attempts: number;
  delivered: number;
  failed: number;
  /** From 0 to 1; null without attempts. */
  success_rate: number | null;
  average_duration_ms: number | null;
  slowest_duration_ms: number | null;
};
/** `GET …/webhook_endpoints/{endpoint_id}/statistics`. */
export type PortalEndpointStatistics = DeliverySums & {
  endpoint_id: string;
  waiting: number;
  oldest_waiting_at: string | null;
  /** The last 24 hours with attempts, newest first. */
  hours: (DeliverySums & { hour: string })[];
};

/**
 * `GET …/webhook_events?event_type&order_number&delivered&status&endpoint_id&created_after&created_before&cursor&limit`:
 * newest first. `status` and
 * `endpoint_id` match if any delivery matches. A page can hold fewer events than `limit` even if more follow. The event
 * inbox uses it too.
 */
export type PortalEvents = { webhook_events: PortalEventRow[]; next_cursor: string | null };
/** Without the body, which users open one at a time because the server audits it. */
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
  /** Also null while the endpoint is disabled. */
  next_attempt_at: string | null;
};
/** `GET …/webhook_events/{event_id}/deliveries`: without the body, so the server audits nothing. */
export type PortalDeliveries = { deliveries: PortalDelivery[] };
/** `GET …/webhook_events/{event_id}`. */
export type PortalEvent = PortalEventRow & {
  /** The exact bytes, as one line of ASCII. */
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
  /** Why the attempt failed: a code and its message. */
  error: string | null;
  error_message: string | null;
  duration_ms: number;
  request: { method: "POST"; url: string; headers: Record<string, string>; body: string } | null;
  response: { content_type: string | null /** The first 4 KiB as text. Untrusted. */; body: string } | null;
};
/** `POST …/webhook_events/{event_id}/redeliver` returns 202 with a `PortalRedelivered`. */
export type PortalRedeliver = { endpoint_id?: string };

/**
 * `GET …/webhook_events/{event_id}/signature?endpoint_id=`: how the two authenticity headers and the standard one are
 * computed for this event and endpoint. Keys and secrets are named but never shown.
 */
export type PortalSignature = {
  event_id: string;
  endpoint_id: string;
  method: "POST";
  url: string;
  body: string;
  /** form-urlencode(METHOD + URL + BODY). */
  base: string;
  /** The hash of this client's secret is the key. */
  client_id: string;
  secret_id: number;
  headers: {
    name: string;
    /** The value sent, or an example: the standard signature covers the time of sending. */
    value: string;
    how: string;
  }[];
};
