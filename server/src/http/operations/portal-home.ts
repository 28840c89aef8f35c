import type { PortalIndex, PortalRole } from "@pestle/contract";
import { listAccountsOf } from "../../db/accounts/accounts.ts";
import { readCatalogue } from "../../usecases/catalogue/read-catalogue.ts";
import { readEndpointFigures, readOrderFigures } from "../../usecases/operations/figures/read-portal-figures.ts";
import { readPortalHome, shownAccount } from "../../usecases/operations/read-portal-home.ts";
import { json } from "../answer.ts";
import { everybody, ofAccount } from "../portal-route.ts";
import type { WebRoute } from "../web-api.ts";

/** The partner's home page and the pharmacy's catalogue. */
export const homeRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/portal",
    roles: everybody,
    handler: async (deps, { person }) => {
      const now = deps.now();
      const accounts = await listAccountsOf(deps.db, person.partner_id ?? "");
      return json(200, {
        partner_name: person.partner_name ?? "",
        role: person.role as PortalRole,
        accounts: accounts.map((account) => shownAccount(account, now)),
      } satisfies PortalIndex);
    },
  },
  {
    method: "GET",
    path: "/portal/:environment/home",
    roles: everybody,
    handler: ofAccount(async (deps, { account }) => json(200, await readPortalHome(deps, account))),
  },
  {
    method: "GET",
    path: "/portal/:environment/figures",
    roles: everybody,
    handler: ofAccount(async (deps, { account }) => json(200, await readOrderFigures(deps, account))),
  },
  {
    method: "GET",
    path: "/portal/:environment/endpoint_figures",
    roles: everybody,
    handler: ofAccount(async (deps, { account }) => json(200, await readEndpointFigures(deps, account))),
  },
  {
    method: "GET",
    path: "/portal/:environment/catalogue",
    roles: everybody,
    handler: ofAccount(async (deps, { account }) => {
      const { brands, shipping_methods, products } = await readCatalogue(deps, account.account_id);
      return json(200, { brands, shipping_methods, products });
    }),
  },
];
