import type {
  CredentialKeyInput,
  CredentialKeyRemoval,
  CredentialLimitsUpdate,
} from "../accounts/credential-limits.ts";
import type { WebFile } from "../dashboard/dashboard-api.ts";
import type { StatementMonths } from "../dashboard/dashboard-statements.ts";
import type { Message, MessageInput } from "../messages.ts";
import type { RenewalRequest, RenewalRequestInput } from "../renewals.ts";
import type { ActionRequestInput } from "../requests.ts";
import type { ActionRequest, Order } from "../resources.ts";
import type { Static } from "../schema.ts";
import type { simulationAnswers, simulations } from "../simulations.ts";
import type { StatementPage } from "../statements/statements.ts";
import type { PortalCatalogue, PortalHome, PortalIndex } from "./portal.ts";
import type {
  PortalCredentialInput,
  PortalCredentials,
  PortalRevocation,
  PortalShownSecret,
  PortalSigning,
} from "./portal-credentials.ts";
import type { PortalEndpointFigures, PortalFigures } from "./portal-figures.ts";
import type {
  PortalContinuity,
  PortalExceptions,
  PortalMessages,
  PortalOrder,
  PortalOrders,
  PortalRenewals,
} from "./portal-orders.ts";
import type {
  PortalRequestDetails,
  PortalRequestErrors,
  PortalRequestFilter,
  PortalRequests,
  PortalUsage,
} from "./portal-requests.ts";
import type {
  PortalPrescriptionInput,
  PortalReferenceToken,
  PortalSandbox,
  PortalSandboxOrder,
  PortalSimulatedPrescription,
} from "./portal-sandbox.ts";
import type { PortalSchedule, PortalSchedules } from "./portal-schedules.ts";
import type { PortalInvitation, PortalInvited, PortalPerson, PortalPersonUpdate, PortalTeam } from "./portal-team.ts";
import type {
  PortalAttempts,
  PortalCertification,
  PortalCreatedEndpoint,
  PortalDeliveries,
  PortalEndpoint,
  PortalEndpointInput,
  PortalEndpointStatistics,
  PortalEndpoints,
  PortalEndpointTest,
  PortalEndpointUpdate,
  PortalEvent,
  PortalEvents,
  PortalRedeliver,
  PortalRedelivered,
  PortalRedeliverSince,
  PortalSignature,
} from "./portal-webhooks.ts";

type Paged = "limit" | "cursor";
type OrderFilter =
  | "patient_id"
  | "order_status"
  | "prescription_id"
  | "brand_id"
  | "reference"
  | "exception_id"
  | "created_after"
  | "created_before"
  | "updated_after";
type EventFilter =
  | "event_type"
  | "order_number"
  | "delivered"
  | "status"
  | "endpoint_id"
  | "created_after"
  | "created_before";
type ScheduleFilter = "patient_id" | "status" | "next_fill_from" | "next_fill_to";
type Simulations = typeof simulations;
type SimulationAnswers = typeof simulationAnswers;

/**
 * Every portal route below `/web`, with its query parameters, request body and response body. This table types the
 * server's routes and the portal's calls.
 */
export type PortalApi = {
  "GET /portal": { answer: PortalIndex };
  "GET /portal/{environment}/home": { answer: PortalHome };
  "GET /portal/{environment}/figures": { answer: PortalFigures };
  "GET /portal/{environment}/endpoint_figures": { answer: PortalEndpointFigures };
  "GET /portal/{environment}/catalogue": { answer: PortalCatalogue };

  "GET /portal/{environment}/credentials": { answer: PortalCredentials };
  "POST /portal/{environment}/credentials": { body: PortalCredentialInput; answer: PortalShownSecret };
  "POST /portal/{environment}/credentials/{credential_id}/rotate": { answer: PortalShownSecret };
  "POST /portal/{environment}/credentials/{credential_id}/sign": { body: PortalSigning; answer: PortalCredentials };
  "POST /portal/{environment}/credentials/{credential_id}/finish": { answer: PortalCredentials };
  "POST /portal/{environment}/credentials/{credential_id}/revoke": {
    body: PortalRevocation;
    answer: PortalCredentials;
  };

  "PATCH /portal/{environment}/credentials/{credential_id}": {
    body: CredentialLimitsUpdate;
    answer: PortalCredentials;
  };
  "POST /portal/{environment}/credentials/{credential_id}/keys": {
    body: CredentialKeyInput;
    answer: PortalCredentials;
  };
  "POST /portal/{environment}/credentials/{credential_id}/keys/remove": {
    body: CredentialKeyRemoval;
    answer: PortalCredentials;
  };

  "GET /portal/{environment}/webhook_endpoints": { answer: PortalEndpoints };
  "POST /portal/{environment}/webhook_endpoints": { body: PortalEndpointInput; answer: PortalCreatedEndpoint };
  "GET /portal/{environment}/webhook_endpoints/{endpoint_id}": { answer: PortalEndpoint };
  "PATCH /portal/{environment}/webhook_endpoints/{endpoint_id}": {
    body: PortalEndpointUpdate;
    answer: PortalEndpoint;
  };
  "DELETE /portal/{environment}/webhook_endpoints/{endpoint_id}": { answer: undefined };
  "POST /portal/{environment}/webhook_endpoints/{endpoint_id}/test": {
    body: PortalEndpointTest;
    answer: { event_id: string };
  };
  "POST /portal/{environment}/webhook_endpoints/{endpoint_id}/try_now": { answer: PortalEndpoint };
  "POST /portal/{environment}/webhook_endpoints/{endpoint_id}/redeliver": {
    body: PortalRedeliverSince;
    answer: PortalRedelivered;
  };
  "GET /portal/{environment}/webhook_endpoints/{endpoint_id}/statistics": { answer: PortalEndpointStatistics };
  "GET /portal/{environment}/webhook_endpoints/{endpoint_id}/certification": { answer: PortalCertification };
  "POST /portal/{environment}/webhook_endpoints/{endpoint_id}/certification": { answer: PortalCertification };
  "GET /portal/{environment}/webhook_events": { query: EventFilter | Paged; answer: PortalEvents };
  "GET /portal/{environment}/webhook_events/{event_id}": { answer: PortalEvent };
  "GET /portal/{environment}/webhook_events/{event_id}/deliveries": { answer: PortalDeliveries };
  "GET /portal/{environment}/webhook_events/{event_id}/attempts": { query: Paged; answer: PortalAttempts };
  "GET /portal/{environment}/webhook_events/{event_id}/signature": { query: "endpoint_id"; answer: PortalSignature };
  "POST /portal/{environment}/webhook_events/{event_id}/redeliver": {
    body: PortalRedeliver;
    answer: PortalRedelivered;
  };

  "GET /portal/{environment}/requests": { query: keyof PortalRequestFilter | Paged; answer: PortalRequests };
  "GET /portal/{environment}/requests/{request_id}": { answer: PortalRequestDetails };
  "GET /portal/{environment}/request_errors": { query: "hours" | "since" | "until"; answer: PortalRequestErrors };
  "GET /portal/{environment}/usage": { query: "hours"; answer: PortalUsage };

  "GET /portal/{environment}/continuity": { query: "within_days" | Paged; answer: PortalContinuity };
  "GET /portal/{environment}/orders": { query: OrderFilter | Paged; answer: PortalOrders };
  "GET /portal/{environment}/orders/{order_number}": { answer: PortalOrder };
  "POST /portal/{environment}/orders/{order_number}/actions": { body: ActionRequestInput; answer: ActionRequest };
  "GET /portal/{environment}/orders/{order_number}/messages": { answer: PortalMessages };
  "POST /portal/{environment}/orders/{order_number}/messages": { body: MessageInput; answer: Message };
  "GET /portal/{environment}/exceptions": { answer: PortalExceptions };

  "GET /portal/{environment}/prescriptions/{prescription_id}/renewal_requests": { answer: PortalRenewals };
  "POST /portal/{environment}/prescriptions/{prescription_id}/renewal_requests": {
    body: RenewalRequestInput;
    answer: RenewalRequest;
  };
  "GET /portal/{environment}/refill_schedules": { query: ScheduleFilter | Paged; answer: PortalSchedules };
  "GET /portal/{environment}/refill_schedules/{schedule_id}": { answer: PortalSchedule };
  "POST /portal/{environment}/refill_schedules/{schedule_id}/skip": { answer: PortalSchedule };
  "POST /portal/{environment}/refill_schedules/{schedule_id}/pause": { answer: PortalSchedule };
  "POST /portal/{environment}/refill_schedules/{schedule_id}/resume": { answer: PortalSchedule };
  "POST /portal/{environment}/refill_schedules/{schedule_id}/cancel": { answer: PortalSchedule };
  "POST /portal/{environment}/refill_schedules/{schedule_id}/fill_now": { answer: PortalSchedule };

  "GET /portal/{environment}/statements": { query: Paged; answer: StatementMonths };
  "GET /portal/{environment}/statements/{month}": { query: Paged; answer: StatementPage };
  "GET /portal/{environment}/statements/{month}/csv": { answer: WebFile };

  "GET /portal/{environment}/team": { answer: PortalTeam };
  "POST /portal/{environment}/team": { body: PortalInvitation; answer: PortalInvited };
  "PATCH /portal/{environment}/team/{person_id}": { body: PortalPersonUpdate; answer: PortalPerson };
  "POST /portal/{environment}/team/{person_id}/password": { answer: PortalInvited };

  "GET /portal/{environment}/sandbox": { answer: PortalSandbox };
  "POST /portal/{environment}/sandbox/prescriptions": {
    body: PortalPrescriptionInput;
    answer: PortalSimulatedPrescription;
  };
  "POST /portal/{environment}/sandbox/token": { answer: PortalReferenceToken };
  "POST /portal/{environment}/sandbox/orders": { body: PortalSandboxOrder; answer: Order };
  /** Same request and response as the API's `POST /simulate`: move an order, hold it, advance the clock. */
  "POST /portal/{environment}/sandbox/simulate": {
    body: Static<Simulations[keyof Simulations]>;
    answer: Static<SimulationAnswers[keyof SimulationAnswers]>;
  };
};
