import { readPatientPage, revealPatient } from "../../usecases/patients/read-patient-page.ts";
import { json } from "../answer.ts";
import { accountIn, everybody, leads, numberIn } from "../dashboard-route.ts";
import type { WebCall, WebRoute } from "../web-api.ts";

const PATIENT = "/dashboard/patients/:account_id/:patient_key";
const shownIn = (call: WebCall) => ({ account_id: accountIn(call), patient_key: numberIn(call, "patient_key") });

/** One patient: what the pharmacy knows, and who looked at it. */
export const patientRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: PATIENT,
    roles: everybody,
    handler: async (deps, call) => {
      const read_log = leads.some((role) => role === call.person.role);
      return json(200, await readPatientPage(deps, call.person, shownIn(call), { read_log }, call.request.id));
    },
  },
  {
    method: "POST",
    path: `${PATIENT}/reveal`,
    roles: everybody,
    handler: async (deps, call) => json(200, await revealPatient(deps, call.person, shownIn(call), call.request.id)),
  },
];
