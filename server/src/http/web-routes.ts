import { sessionRoutes } from "./accounts/web-session.ts";
import { dashboardRoutes } from "./dashboard-routes.ts";
import { portalRoutes } from "./portal-routes.ts";
import type { WebRoute } from "./web-api.ts";

/** All routes of the web pages. A test calls each one with every role. */
export const webRoutes: readonly WebRoute[] = [...sessionRoutes, ...dashboardRoutes, ...portalRoutes];
