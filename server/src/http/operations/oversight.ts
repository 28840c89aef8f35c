import { readHealth } from "../../usecases/operations/read-health.ts";
import { version } from "../../version.ts";
import { json } from "../answer.ts";
import { everybody } from "../dashboard-route.ts";
import type { WebRoute } from "../web-api.ts";

/** The state of the service. */
export const oversightRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/dashboard/health",
    roles: everybody,
    handler: async (deps) => json(200, await readHealth(deps, version)),
  },
];
