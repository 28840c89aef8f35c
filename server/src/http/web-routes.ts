import { credentialRoutes } from "./accounts/credentials.ts";
import { partnerRoutes } from "./accounts/partners.ts";
import { passkeyRoutes } from "./accounts/passkeys.ts";
import { peopleRoutes } from "./accounts/people.ts";
import { teamRoutes } from "./accounts/team.ts";
import { sessionRoutes } from "./accounts/web-session.ts";
import { catalogueRoutes } from "./catalogue/dashboard-catalogue.ts";
import { counselingRoutes } from "./fulfillment/counseling.ts";
import { notificationRoutes } from "./fulfillment/notifications.ts";
import { messageRoutes } from "./fulfillment/order-messages.ts";
import { orderRoutes } from "./fulfillment/order-page.ts";
import { ordersRoutes } from "./fulfillment/queue.ts";
import { reportRoutes } from "./fulfillment/reports.ts";
import { searchRoutes } from "./fulfillment/search.ts";
import { reviewRoutes } from "./intake/reviews.ts";
import { auditRoutes } from "./operations/audit.ts";
import { homeRoutes } from "./operations/home.ts";
import { oversightRoutes } from "./operations/oversight.ts";
import { homeRoutes as portalHomeRoutes } from "./operations/portal-home.ts";
import { requestRoutes } from "./operations/requests.ts";
import { continuityRoutes } from "./orders/continuity.ts";
import { messageRoutes as portalMessageRoutes } from "./orders/portal-messages.ts";
import { orderRoutes as portalOrderRoutes } from "./orders/portal-orders.ts";
import { patientRoutes } from "./patients/patient-page.ts";
import { prescriptionRoutes } from "./prescribers/dashboard-prescriptions.ts";
import { renewalRoutes } from "./prescribers/portal-renewals.ts";
import { sandboxRoutes } from "./sandbox/portal-sandbox.ts";
import { scheduleRoutes } from "./schedules/portal-schedules.ts";
import { statementRoutes } from "./statements/dashboard-statements.ts";
import { statementRoutes as portalStatementRoutes } from "./statements/portal-statements.ts";
import type { WebRoute } from "./web-api.ts";
import { webhookRoutes } from "./webhooks/portal-webhooks.ts";

const dashboardRoutes: readonly WebRoute[] = [
  ...homeRoutes,
  ...ordersRoutes,
  ...orderRoutes,
  ...messageRoutes,
  ...prescriptionRoutes,
  ...patientRoutes,
  ...notificationRoutes,
  ...counselingRoutes,
  ...reportRoutes,
  ...searchRoutes,
  ...reviewRoutes,
  ...partnerRoutes,
  ...peopleRoutes,
  ...catalogueRoutes,
  ...statementRoutes,
  ...auditRoutes,
  ...oversightRoutes,
];

const portalRoutes: readonly WebRoute[] = [
  ...portalHomeRoutes,
  ...credentialRoutes,
  ...webhookRoutes,
  ...requestRoutes,
  ...portalOrderRoutes,
  ...portalMessageRoutes,
  ...portalStatementRoutes,
  ...continuityRoutes,
  ...scheduleRoutes,
  ...renewalRoutes,
  ...teamRoutes,
  ...sandboxRoutes,
];

/** Everything the pages can request. A test walks this list with every role. */
export const webRoutes: readonly WebRoute[] = [...sessionRoutes, ...passkeyRoutes, ...dashboardRoutes, ...portalRoutes];
