import type { RecallRequest } from "@pestle/contract";
import { environments, MESSAGE_MOST_CHARACTERS, MOST_NOTICES } from "@pestle/contract";
import { refuse } from "../../domain/values/refusals.ts";
import { quarantineLot } from "../../usecases/fulfillment/recall/quarantine-lot.ts";
import { searchLot } from "../../usecases/fulfillment/recall/search-lot.ts";
import { tellPartners } from "../../usecases/fulfillment/recall/tell-partners.ts";
import { searchOrders } from "../../usecases/fulfillment/search-orders.ts";
import { json } from "../answer.ts";
import type { JsonObject } from "../body.ts";
import { choiceField, listField, optionalText, textField } from "../body-fields.ts";
import { asked, askedEnvironment, everybody, queryOf, reviewers, workerOf } from "../dashboard-route.ts";
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
    path: "/dashboard/recall/quarantine",
    roles: reviewers,
    handler: async (deps, { person, body, request }) => {
      const on = body["on"] === true;
      await quarantineLot(deps, person, recallOf(body), on, request.id);
      return json(200, { quarantined: on });
    },
  },
  {
    method: "POST",
    path: "/dashboard/recall/notices",
    roles: reviewers,
    handler: async (deps, call) => {
      const { body } = call;
      const orders = listField(body, "orders", MOST_NOTICES, (order) => ({
        account_id: textField(order, "account_id", 12),
        order_number: textField(order, "order_number", 10),
      }));
      const given = {
        lot: textField(body, "lot", LONGEST_LOT),
        text: textField(body, "text", MESSAGE_MOST_CHARACTERS),
        orders,
      };
      return json(200, await tellPartners(deps, workerOf(call), given, call.request.id));
    },
  },
  {
    method: "POST",
    path: "/dashboard/recall/reveal",
    roles: reviewers,
    handler: async (deps, { person, body, request }) =>
      json(200, await searchLot(deps, person, recallOf(body), true, request.id)),
  },
];

function recallOf(body: JsonObject): RecallRequest {
  const sku = optionalText(body, "sku", 100);
  return {
    lot: textField(body, "lot", LONGEST_LOT),
    ...(sku !== undefined && { sku }),
    ...(body["environment"] !== undefined && { environment: choiceField(body, "environment", environments) }),
  };
}
