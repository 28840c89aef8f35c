import { CONTINUITY_DAYS, ContinuityEntry } from "../continuity.ts";
import { messageOf } from "../errors.ts";
import { array, integer, nullable, object, string } from "../schema.ts";
import { answer, type Endpoint, paged } from "./endpoint.ts";

const entry: ContinuityEntry = {
  patient_id: "ay87nt",
  prescription_id: 183601,
  drug_name: "Atorvastatin 20 mg tablet",
  sku: "atorvastatin-20",
  refills_left: 0,
  runs_out_on: "2026-12-04",
  days_left: 19,
  next_fill: {
    on: "2026-12-04",
    fillable: false,
    not_fillable: [{ code: 42250, message: messageOf(42250) }],
  },
  schedule: null,
  open_order: null,
};

export const continuityEndpoints = [
  {
    operation_id: "listContinuity",
    method: "GET",
    path: "/continuity",
    server: "partner",
    tags: ["Patients"],
    auth: "bearer:partners",
    summary: "List who runs out of which medication",
    description:
      "The patients whose supply ends within the given days, or ended in the last 30 days without a new fill, the earliest first. Each entry says whether the next fill would be accepted and why not: no refills, an expired prescription, no stock, no license, or an order on hold. Prescriptions without days of supply are not listed, and neither are those that the prescriber canceled.",
    query: {
      within_days: integer({
        minimum: 1,
        maximum: CONTINUITY_DAYS.most,
        default: CONTINUITY_DAYS.default,
        description: "How many days to look ahead.",
      }),
      ...paged,
    },
    responses: {
      200: answer(
        "A page of the forecast.",
        object({ continuity: array(ContinuityEntry), next_cursor: nullable(string()) }),
        { continuity: [entry], next_cursor: null },
      ),
    },
    codes: [40003],
  },
] as const satisfies readonly Endpoint[];
