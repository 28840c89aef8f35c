import type { RecallRequest } from "@pestle/contract";
import { environments } from "@pestle/contract";
import { refuse } from "../../domain/values/refusals.ts";
import { searchLot } from "../../usecases/fulfillment/search-lot.ts";
import { searchOrders } from "../../usecases/fulfillment/search-orders.ts";
import { json } from "../answer.ts";
import { choiceField, optionalText, textField } from "../body-fields.ts";
import { asked, askedEnvironment, everybody, queryOf, reviewers } from "../dashboard-route.ts";
import type { WebRoute } from "../web-api.ts";

const LONGEST_LOT = 40;
const LONGEST_QUESTION = 300;

/** Finds an order by any of its identifiers, and all patients who received a lot. */
export const searchRoutes: readonly WebRoute[] = [
  {
    // In the body, because proxies log addresses, and the query may be a patient's name and date of birth.
    method: "POST",
    path: "/dashboard/search",
    roles: everybody,
    handler: async (deps, { person, body, request }) =>
      json(200, await searchOrders(deps, person, optionalText(body, "q", LONGEST_QUESTION) ?? "", request.id)),
  },
  {
    method: "GET",
    path: "/dashboard/recall",
    roles: everybody,
    handler: async (deps, call) => {
      const query = queryOf(call, "lot", "sku", "environment");
      const lot = asked(query, "lot", /^.{1,40}$/u) ?? refuse(40003, "lot");
      const sku = asked(query, "sku", /^.{1,100}$/u);
      const environment = askedEnvironment(query);
      const given: RecallRequest = { lot, ...(sku !== null && { sku }), ...(environment !== null && { environment }) };
      return json(200, await searchLot(deps, call.person, given, false, call.request.id));
    },
  },
  {
    method: "POST",
    path: "/dashboard/recall/reveal",
    roles: reviewers,
    handler: async (deps, { person, body, request }) => {
      const sku = optionalText(body, "sku", 100);
      const given: RecallRequest = {
        lot: textField(body, "lot", LONGEST_LOT),
        ...(sku !== undefined && { sku }),
        ...(body["environment"] !== undefined && { environment: choiceField(body, "environment", environments) }),
      };
      return json(200, await searchLot(deps, person, given, true, request.id));
    },
  },
];
