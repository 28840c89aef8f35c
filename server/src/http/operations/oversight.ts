import { readHealth } from "../../usecases/operations/read-health.ts";
import { readProviders, testProvider } from "../../usecases/providers/read-providers.ts";
import { version } from "../../version.ts";
import { json } from "../answer.ts";
import { admins, everybody, leads } from "../dashboard-route.ts";
import type { WebRoute } from "../web-api.ts";

/** The state of the service. */
export const oversightRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/dashboard/health",
    roles: everybody,
    handler: async (deps) => json(200, await readHealth(deps, version)),
  },
  {
    method: "GET",
    path: "/dashboard/providers",
    roles: leads,
    handler: async (deps) => json(200, readProviders(deps)),
  },
  {
    method: "POST",
    path: "/dashboard/providers/:provider/test",
    roles: admins,
    handler: async (deps, { params }) => json(200, await testProvider(deps, params["provider"]!)),
  },
];
