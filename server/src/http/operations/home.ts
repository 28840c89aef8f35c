import type { DashboardAccounts } from "@pestle/contract";
import { isQueueKey, queueKeys } from "@pestle/contract";
import { listAccounts } from "../../db/accounts/accounts.ts";
import { listBrands } from "../../db/catalogue/catalogue.ts";
import { refuse } from "../../domain/values/refusals.ts";
import { readHome, readTargets, setTargets, type Targets } from "../../usecases/operations/read-home.ts";
import { writeLook } from "../../usecases/operations/write-audit.ts";
import { json } from "../answer.ts";
import { objectField } from "../body-fields.ts";
import { askedEnvironment, everybody, leads, queryOf } from "../dashboard-route.ts";
import type { WebRoute } from "../web-api.ts";
import { streamHome } from "./home-stream.ts";

/** The state of the queues, and what is late. */
export const homeRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/dashboard/home",
    roles: everybody,
    handler: async (deps, call) => {
      const environment = askedEnvironment(queryOf(call, "environment"));
      const look = { account_id: null, action: "orders_listed" as const, subject: "home" };
      await writeLook(deps, call.person, look, call.request.id);
      return json(200, (await readHome(deps))(environment, call.person.person_id));
    },
  },
  {
    method: "GET",
    path: "/dashboard/figures",
    roles: everybody,
    handler: async (deps, call) => {
      const environment = askedEnvironment(queryOf(call, "environment"));
      return json(200, (await deps.home_watch.figures())(environment));
    },
  },
  { method: "GET", path: "/dashboard/stream", roles: everybody, handler: streamHome },
  {
    method: "GET",
    path: "/dashboard/accounts",
    roles: everybody,
    handler: async (deps) => {
      const [accounts, brands] = await Promise.all([listAccounts(deps.db), listBrands(deps.db)]);
      return json(200, {
        accounts: accounts.map(({ account_id, partner_id, name, environment }) => ({
          ...{ account_id, partner_id, partner: name, environment },
          brands: brands.filter((brand) => brand.account_id === account_id).map(({ id, name }) => ({ id, name })),
        })),
      } satisfies DashboardAccounts);
    },
  },
  {
    method: "GET",
    path: "/dashboard/targets",
    roles: everybody,
    handler: async (deps) => json(200, { targets: await readTargets(deps.db) }),
  },
  {
    method: "PUT",
    path: "/dashboard/targets",
    roles: leads,
    handler: async (deps, { person, body, request }) => {
      const given = objectField(body, "targets");
      if (!Object.keys(given).every(isQueueKey)) refuse(42200, "targets");
      const isTarget = (value: unknown) => value === null || typeof value === "number";
      const wrong = queueKeys.find((key) => key in given && !isTarget(given[key]));
      if (wrong !== undefined) refuse(42200, `targets.${wrong}`);
      return json(200, { targets: await setTargets(deps, person, given as Partial<Targets>, request.id) });
    },
  },
];
