import { viewRenewals } from "../../usecases/prescribers/read-renewal.ts";
import { requestRenewalBy } from "../../usecases/prescribers/request-renewal.ts";
import { json } from "../answer.ts";
import { developers, everybody, ofAccount } from "../portal-route.ts";
import type { WebRoute } from "../web-api.ts";
import { prescriptionId } from "./renewals.ts";

const RENEWALS = "/portal/:environment/prescriptions/:prescription_id/renewal_requests";

/** Requests for renewal as the partner's programs see them. */
export const renewalRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: RENEWALS,
    roles: everybody,
    handler: ofAccount(async (deps, { by, params }) => json(200, await viewRenewals(deps, by, prescriptionId(params)))),
  },
  {
    method: "POST",
    path: RENEWALS,
    roles: developers,
    handler: ofAccount(async (deps, { by, params, body }) =>
      json(201, await requestRenewalBy(deps, by, prescriptionId(params), { ...body })),
    ),
  },
];
