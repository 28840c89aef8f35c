import type { Brand, Product, ShippingMethod } from "./catalogue.ts";
import type { ExceptionId } from "./exceptions.ts";
import type { Workflow } from "./fields.ts";
import type { OrderStatus } from "./lifecycle.ts";
import type { Environment } from "./oauth.ts";
import type { ActionRequest, Address, HistoryEntry, Order } from "./resources.ts";
import type { deliveryStatuses, endpointStatuses } from "./webhook-records.ts";
import type { EventType } from "./webhooks.ts";

/*
 * What the partner portal is told and sends, below `/web/portal`. Where a path begins with `{environment}` the account
 * is that of the signed-in person's partner there; a partner without one finds nothing (404). Times are ISO 8601 in
 * UTC. Lists with `next_cursor` take `limit` (1 to 200, 25 unless told) and `cursor`.
 */

/** What people of a partner may do. */
export const portalRoles = {
  partner_viewer: "Looks at everything but changes nothing.",
  partner_developer: "Also changes credentials, webhooks and orders, and plays in the sandbox.",
  partner_admin: "Also says who is on the team.",
} as const;
export type PortalRole = keyof typeof portalRoles;
export const portalRoleNames = Object.keys(portalRoles) as [PortalRole, ...PortalRole[]];

/** `GET /portal`: who is signed in, and where they can go. Production comes first where there is one. */
export type PortalIndex = {
  partner_name: string;
  role: PortalRole;
  accounts: PortalAccount[];
};

export type PortalAccount = {
  account_id: string;
  environment: Environment;
  workflow: Workflow;
  ncpdp_id: string | null;
  custom_labels: boolean;
  /** What its clock shows; ahead of real time only in a sandbox. */
  now: string;
  clock_offset_s: number;
  created_at: string;
};

/** Each is found out from what really happened; none is ever ticked by hand. */
export const quickStartSteps = {
  credential: ["Create a credential", "Its secret is shown once. Keep it where your program finds it."],
  token: ["Get an access token", "Trade the credential for a token at the token server."],
  request: ["Call the API", "Any request that succeeds, such as the list of shipping methods."],
  endpoint: ["Register a webhook endpoint", "The address that prescriptions and changes of orders are told to."],
  delivery: ["Receive a webhook", "Your endpoint answered 2xx to an event or a test."],
  prescription: ["Receive a prescription", "In the sandbox you send yourself one."],
  order: ["Place an order", "For a prescription, or of products that need none."],
  shipped: ["See an order shipped", "In the sandbox you move it there yourself."],
} as const;
export type QuickStartStep = keyof typeof quickStartSteps;

/** `GET /portal/{environment}/home`. */
export type PortalHome = {
  account: PortalAccount;
  addresses: { base_url: string; token_url: string };
  /** In order. `done_at` is when it first happened, as far as that is known. */
  checklist: { step: QuickStartStep; title: string; hint: string; done: boolean; done_at: string | null }[];
  orders: { order_status: OrderStatus; count: number }[];
  /** Held orders that wait for the partner. */
  waiting_for_you: number;
  /** The last 24 hours. */
  requests: { total: number; errors: number };
  webhooks: {
    /** Deliveries not finished. */
    waiting: number;
    /** Deliveries given up in the last 24 hours. */
    failed: number;
    /** Endpoints that are disabled for another reason than that the partner wanted it: a banner. */
    disabled_endpoints: { id: string; url: string; reason: string; disabled_at: string }[];
  };
};

/* Credentials */

/** `GET /portal/{environment}/credentials`, those that were revoked at the end. */
export type PortalCredentials = { credentials: PortalCredential[] };
export type PortalCredential = {
  credential_id: string;
  client_id: string;
  name: string;
  scopes: string[];
  created_at: string;
  revoked_at: string | null;
  /** To the minute. */
  last_used_at: string | null;
  /** Those that are live: two while it is being rotated, the older one first. */
  secrets: { secret_id: number; created_at: string; last_used_at: string | null }[];
  /** Endpoints that are signed with it: to be switched before it is revoked. */
  signs_endpoints: { id: string; url: string; secret_id: number }[];
};
/** `POST …/credentials`, answered 201 with a `PortalShownSecret`. */
export type PortalCredentialInput = { name: string };
/** `POST …/credentials/{credential_id}/rotate` answers 201 with it too. The only time the secret is seen. */
export type PortalShownSecret = { client_id: string; client_secret: string; secret_id: number };
/** `POST …/credentials/{credential_id}/revoke`: all of it, or one secret. Answers 200 with the `PortalCredentials`. */
export type PortalRevocation = { secret_id?: number };
// `POST …/credentials/{credential_id}/finish` with `{}` ends the older of two secrets, and answers `PortalCredentials`.

/* Webhooks */

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

/* Requests */

/** Filters of `GET …/requests`. `errors=true`: 400 and above. */
export type PortalRequestFilter = {
  request_id?: string;
  credential_id?: string;
  method?: string;
  route?: string;
  status?: number;
  errors?: "true";
  error_code?: string;
  since?: string;
  until?: string;
};
/** `GET …/requests`, newest first. Real time, whatever the account's clock shows. */
export type PortalRequests = { requests: PortalRequest[]; next_cursor: string | null; kept_days: number };
/** `GET …/requests/{request_id}` answers one. No bodies, no addresses: what a request was about is in neither. */
export type PortalRequest = {
  request_id: string;
  at: string;
  method: string;
  /** The pattern, such as `/orders/{order_number}`; `(none)` for a path that is none. */
  route: string;
  status: number;
  duration_ms: number;
  credential_id: string;
  credential_name: string | null;
  errors: PortalErrorHint[];
};
/** What an error means and what to do about it, from the contract's tables. */
export type PortalErrorHint = { code: string; title: string; field: string | null; resolution: string };

/** `GET …/request_errors?hours=24` (1 to 168): what went wrong, the most frequent first. */
export type PortalRequestErrors = { since: string; groups: PortalErrorGroup[] };
export type PortalErrorGroup = PortalErrorHint & {
  status: number;
  count: number;
  first_at: string;
  last_at: string;
  routes: { method: string; route: string; count: number }[];
  /** The newest few. */
  request_ids: string[];
};

/** `GET …/usage?hours=24` (1 to 720): every hour has a row, oldest first. Real time. */
export type PortalUsage = {
  hours: PortalUsageHour[];
  totals: Omit<PortalUsageHour, "hour">;
  /** Per credential. */
  limit: { rate_per_second: number; burst: number };
  /** Hours that had attempts, on the account's clock. */
  webhooks: { hour: string; attempts: number; delivered: number; failed: number }[];
};
export type PortalUsageHour = {
  hour: string;
  requests: number;
  /** 4xx but for 429. */
  client_errors: number;
  server_errors: number;
  /** 429. */
  limited: number;
  p50_ms: number | null;
  p99_ms: number | null;
  /** Of one credential, requests a second in its busiest minute. */
  busiest_per_second: number;
  /** What of the sustained limit that left, from 0 to 1. */
  headroom: number;
};

/* Orders */

/** `GET …/orders` with the filters of the API's `GET /orders`. */
export type PortalOrders = { orders: PortalOrderRow[]; next_cursor: string | null };
/** A row tells nobody's name, address or medication. */
export type PortalOrderRow = {
  order_number: string;
  order_status: OrderStatus;
  patient_id: string;
  reference: string | null;
  brand_id: number | null;
  exceptions: { id: ExceptionId; name: string; raised_at: string }[];
  items: number;
  tracking_no: string | null;
  created_at: string;
  updated_at: string;
};
/** `GET …/orders/{order_number}`: the view is written to the audit log. */
export type PortalOrder = {
  order: Order;
  history: HistoryEntry[];
  action_requests: Omit<ActionRequest, "order" | "order_number">[];
  /** What may be asked of it now, in the order in which it is offered. */
  actions: PortalOrderAction[];
  /** How the address check would write an address that holds the order; null where it knows no other. */
  suggested_address: Omit<Address, "first_name" | "last_name" | "phone"> | null;
};
export type PortalOrderAction = {
  event_key: string;
  action: string;
  fields: { name: string; type: "string" | "integer" | "object"; required: boolean; description: string }[];
  /** The open exceptions that offer it. */
  exception_ids: ExceptionId[];
};
// `POST …/orders/{order_number}/actions` takes what the API's action request takes and answers 201 with an `ActionRequest`.

/** `GET …/exceptions`: what holds orders, those that wait for the partner first. */
export type PortalExceptions = { groups: PortalExceptionGroup[] };
export type PortalExceptionGroup = {
  exception_id: ExceptionId;
  name: string;
  message: string;
  who_acts: "partner" | "pharmacist" | "pharmacy";
  actions: { event_key: string; action: string }[];
  count: number;
  oldest_at: string;
  /** The oldest few. */
  order_numbers: string[];
};

/** `GET …/catalogue`. */
export type PortalCatalogue = { brands: Brand[]; shipping_methods: ShippingMethod[]; products: Product[] };

/* Team: of the partner, whatever the environment */

/** `GET …/team`. */
export type PortalTeam = { people: PortalPerson[] };
export type PortalPerson = {
  person_id: string;
  name: string;
  email: string;
  role: PortalRole;
  second_factor: boolean;
  created_at: string;
  last_signed_in_at: string | null;
  disabled_at: string | null;
  /** Who is asking. */
  you: boolean;
};
/** `POST …/team`, answered 201 with a `PortalInvited`. */
export type PortalInvitation = { name: string; email: string; role: PortalRole };
/** `POST …/team/{person_id}/password` with `{}` answers it too. The password is shown this once. */
export type PortalInvited = { person: PortalPerson; password: string };
/** `PATCH …/team/{person_id}`, answered 200 with a `PortalPerson`. */
export type PortalPersonUpdate = { role?: PortalRole; disabled?: boolean; reset_second_factor?: true };

/* Sandbox: 404 in production */

/** `GET …/sandbox`. */
export type PortalSandbox = {
  now: string;
  clock_offset_s: number;
  presets: { preset: string; title: string; description: string; exception_id: ExceptionId | null }[];
  /** The newest few. */
  prescriptions: PortalPrescriptionRow[];
};
export type PortalPrescriptionRow = {
  prescription_id: number;
  patient_id: string;
  drug_name: string;
  drug_schedule: string;
  received_at: string;
  active: boolean;
  order_numbers: string[];
};
/** `POST …/sandbox/prescriptions`: a preset, with fields of its own beside or instead. */
export type PortalPrescriptionInput = { preset?: string; simulation?: Record<string, unknown> };
/** The 202. Under Automatic Processing its order is there already. */
export type PortalSimulatedPrescription = {
  patient_id: string | null;
  prescription_id: number | null;
  order_number: string | null;
};
/** `POST …/sandbox/orders`: an order for a prescription, as the smallest body makes it. Answers 201 with the `Order`. */
export type PortalSandboxOrder = { prescription_id: number };
// `POST …/sandbox/simulate` takes and answers what the API's `POST /simulate` does: walk an order, hold it, move the clock.
