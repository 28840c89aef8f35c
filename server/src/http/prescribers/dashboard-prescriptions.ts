import { ChangeRequestInput } from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import { readBody } from "../../domain/values/read-body.ts";
import { refuseAll } from "../../domain/values/refusals.ts";
import { writeLook } from "../../usecases/operations/write-audit.ts";
import { askOnDashboard } from "../../usecases/prescribers/ask-prescriber.ts";
import { readOrderPrescriptions, requireInOrder } from "../../usecases/prescribers/read-order-prescriptions.ts";
import { requestRenewalBy } from "../../usecases/prescribers/request-renewal.ts";
import { json } from "../answer.ts";
import { adminOf, everybody, numberIn, orderIn, pharmacists, workerOf } from "../dashboard-route.ts";
import type { WebCall, WebRoute } from "../web-api.ts";

const PRESCRIPTIONS = "/dashboard/orders/:account_id/:order_number/prescriptions";

/** The refill schedules of an order's prescriptions, and what the pharmacy asks their prescribers. */
export const prescriptionRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: PRESCRIPTIONS,
    roles: everybody,
    handler: async (deps, call) => {
      const { account_id, order_number } = orderIn(call);
      const { prescriptions, patient_keys } = await readOrderPrescriptions(deps, account_id, order_number);
      const entry = { account_id, action: "prescriptions_read", subject: order_number, patient_keys } as const;
      await writeLook(deps, call.person, entry, call.request.id);
      return json(200, { prescriptions });
    },
  },
  {
    method: "POST",
    path: `${PRESCRIPTIONS}/:prescription_id/renewal_requests`,
    roles: pharmacists,
    handler: async (deps, call) => {
      const { account_id, prescription_id } = await prescriptionIn(deps, call);
      await requestRenewalBy(deps, { ...adminOf(call), account_id }, prescription_id, { ...call.body });
      return changed(deps, call);
    },
  },
  {
    method: "POST",
    path: `${PRESCRIPTIONS}/:prescription_id/change_requests`,
    roles: pharmacists,
    handler: async (deps, call) => {
      const { account_id, prescription_id } = await prescriptionIn(deps, call);
      const { fields, problems } = readBody(ChangeRequestInput, { ...call.body });
      refuseAll(problems);
      const { code, reason = null, service_reason = null } = fields;
      const asked = { account_id, prescription_id, question: { code: code!, reason, service_reason } };
      await askOnDashboard(deps, workerOf(call), asked, call.request.id);
      return changed(deps, call);
    },
  },
];

/** 404 unless the order has an item of the prescription that the address names. */
async function prescriptionIn(deps: Deps, call: WebCall) {
  const named = { ...orderIn(call), prescription_id: numberIn(call, "prescription_id") };
  await requireInOrder(deps, named);
  return named;
}

async function changed(deps: Deps, call: WebCall) {
  const { account_id, order_number } = orderIn(call);
  const { prescriptions } = await readOrderPrescriptions(deps, account_id, order_number);
  return json(201, { prescriptions });
}
