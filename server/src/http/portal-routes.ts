import { credentialRoutes } from "./accounts/credentials.ts";
import { teamRoutes } from "./accounts/team.ts";
import { homeRoutes } from "./operations/portal-home.ts";
import { requestRoutes } from "./operations/requests.ts";
import { orderRoutes } from "./orders/portal-orders.ts";
import { sandboxRoutes } from "./sandbox/portal-sandbox.ts";
import type { WebRoute } from "./web-api.ts";
import { webhookRoutes } from "./webhooks/portal-webhooks.ts";

export const portalRoutes: readonly WebRoute[] = [
  ...homeRoutes,
  ...credentialRoutes,
  ...webhookRoutes,
  ...requestRoutes,
  ...orderRoutes,
  ...teamRoutes,
  ...sandboxRoutes,
];
