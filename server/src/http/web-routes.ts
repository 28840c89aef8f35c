import { sessionRoutes } from "./accounts/web-session.ts";
import { dashboardRoutes } from "./dashboard-routes.ts";
import { portalRoutes } from "./portal-routes.ts";
import type { WebRoute } from "./web-api.ts";

/** Everything the pages can ask for: a test walks this list with every role. */
export const webRoutes: readonly WebRoute[] = [...sessionRoutes, ...dashboardRoutes, ...portalRoutes];
