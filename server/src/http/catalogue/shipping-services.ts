import { type DashboardShippingServices, type ShippingServices, serviceLimits } from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import { knownServices } from "../../domain/fulfillment/carrier-services.ts";
import { usualParcel } from "../../domain/fulfillment/usual-parcel.ts";
import { refuse } from "../../domain/values/refusals.ts";
import { chooseServiceAs, readShippingServices } from "../../usecases/catalogue/shipping-services.ts";
import { json } from "../answer.ts";
import type { JsonObject } from "../body.ts";
import { objectField, optionalWhole, textField, wholeField } from "../body-fields.ts";
import { adminOf, leads } from "../dashboard-route.ts";
import type { WebRoute } from "../web-api.ts";
import { ownerIn } from "./dashboard-stock.ts";

/** Which carrier service Pestle buys for each shipping method of an account. */
export const serviceRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/dashboard/catalogue/:account_id/services",
    roles: leads,
    handler: async (deps, call) => {
      const owner = await ownerIn(deps, call);
      return json(200, shown(deps, owner, await readShippingServices(deps.db, owner.account_id)));
    },
  },
  {
    method: "POST",
    path: "/dashboard/catalogue/:account_id/services",
    roles: leads,
    handler: async (deps, call) => {
      const owner = await ownerIn(deps, call);
      const { body, request } = call;
      const given = {
        account_id: owner.account_id,
        method_id: wholeField(body, "method_id"),
        choice: body["choice"] === null ? null : choiceIn(objectField(body, "choice")),
      };
      return json(200, shown(deps, owner, await chooseServiceAs(deps, adminOf(call), given, request.id)));
    },
  },
];

function shown(
  { config, providers }: Pick<Deps, "config" | "providers">,
  { environment }: Awaited<ReturnType<typeof ownerIn>>,
  services: ShippingServices,
): DashboardShippingServices {
  const carrier = environment === "sandbox" ? "simulated" : providers.carrier;
  return { services, carrier, parcel: usualParcel(config), known: [...knownServices] };
}

function choiceIn(choice: JsonObject) {
  const name = (field: string) => {
    const text = textField(choice, field).trim();
    return serviceLimits.name.test(text) ? text : refuse(42200, field);
  };
  const size = (field: string, most: number) => {
    const value = optionalWhole(choice, field) ?? null;
    return value === null || (value > 0 && value <= most) ? value : refuse(42200, field);
  };
  const { inches, ounces } = serviceLimits;
  const sides = {
    length_in: size("length_in", inches),
    width_in: size("width_in", inches),
    height_in: size("height_in", inches),
  };
  const [first] = Object.entries(sides).find(([, side]) => side === null) ?? [];
  const given = Object.values(sides).some((side) => side !== null);
  if (given && first !== undefined) refuse(42200, first);
  return { carrier: name("carrier"), service: name("service"), ...sides, weight_oz: size("weight_oz", ounces) };
}
