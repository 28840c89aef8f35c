import { dashboardRoutes } from "./dashboard/dashboard-routes.ts";
import { portalRoutes } from "./portal/portal-routes.ts";
import type { WebRoute } from "./web-api.ts";
import { sessionRoutes } from "./web-session.ts";

/** Everything the pages can ask for: a test walks this list with every role. */
export const webRoutes: readonly WebRoute[] = [...sessionRoutes, ...dashboardRoutes, ...portalRoutes];
