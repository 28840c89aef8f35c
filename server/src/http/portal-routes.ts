import type { WebRoute } from "../web-api.ts";
import { credentialRoutes } from "./credentials.ts";
import { homeRoutes } from "./home.ts";
import { orderRoutes } from "./orders.ts";
import { requestRoutes } from "./requests.ts";
import { sandboxRoutes } from "./sandbox.ts";
import { teamRoutes } from "./team.ts";
import { webhookRoutes } from "./webhooks.ts";

/** The partner portal. */
export const portalRoutes: readonly WebRoute[] = [
  ...homeRoutes,
  ...credentialRoutes,
  ...webhookRoutes,
  ...requestRoutes,
  ...orderRoutes,
  ...teamRoutes,
  ...sandboxRoutes,
];
