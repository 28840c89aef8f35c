import { StatusRefusal } from "../../domain/values/refusals.ts";
import { readRenewal } from "../../usecases/prescribers/read-renewal.ts";
import { requestRenewal } from "../../usecases/prescribers/request-renewal.ts";
import { json, showing } from "../answer.ts";
import type { ReadHandler, WriteHandler } from "../partner-api.ts";

export const createRenewalRequest: WriteHandler = (deps, call, body) =>
  requestRenewal(deps, call, prescriptionId(call.params), body);

export const getRenewalRequest: ReadHandler = async (deps, { grant, params }) => {
  const { renewal_request_id = "" } = params;
  if (!UUID.test(renewal_request_id)) throw new StatusRefusal(404);
  const found = await readRenewal(deps, grant.account_id, prescriptionId(params), renewal_request_id.toLowerCase());
  if (found === undefined) throw new StatusRefusal(404);
  return showing(json(200, found.request), { patients: [found.patient_id], subject: renewal_request_id });
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Exact as a number. Anything else names no prescription. */
export function prescriptionId({ prescription_id = "" }: Readonly<Record<string, string>>): number {
  if (!/^[1-9]\d{0,14}$/.test(prescription_id)) throw new StatusRefusal(404);
  return Number(prescription_id);
}
