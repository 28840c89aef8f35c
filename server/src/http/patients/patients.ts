import type { Arrival } from "../../db/intake/prescriptions.ts";
import { medicationRequest } from "../../domain/intake/medication-request.ts";
import { isoShipment } from "../../domain/orders/order-answer.ts";
import { refuse, StatusRefusal } from "../../domain/values/refusals.ts";
import * as change from "../../usecases/patients/change-patient.ts";
import { readPatient, readPrescriptions } from "../../usecases/patients/read-patient.ts";
import { json, showing } from "../answer.ts";
import { type CursorList, openCursor, sealCursor } from "../cursors.ts";
import { listAnswer } from "../page.ts";
import type { ReadHandler, WriteHandler } from "../partner-api.ts";
import { flagOf } from "../query-values.ts";

export const getPatient: ReadHandler = async (deps, call) => {
  const patient = await readPatient(deps, patientKey(call));
  if (patient === undefined) throw new StatusRefusal(404);
  return showing(json(200, patient), { patients: [patient.patient_id] });
};

export const updatePatient: WriteHandler = (deps, call, body) =>
  change.updatePatient(deps, call, patientKey(call), body);

export const listPatientPrescriptions: ReadHandler = async (deps, call) => {
  const active = flagOf(call.query, "active");
  const { account_id, patient_id } = patientKey(call);
  const list = { vault: deps.vault, account_id, list: `rx ${patient_id} ${active}` };
  const [cursor] = call.query.get("cursor") ?? [];
  const before = cursor === undefined ? null : arrivalOf(list, cursor);
  const found = await readPrescriptions(deps, account_id, patient_id, active, before);
  if (found === undefined) throw new StatusRefusal(404);
  const { prescriptions, next } = found;
  const medication_request = prescriptions.map(({ medication_dispenses, ...row }) =>
    medicationRequest(
      row,
      found.workflow,
      found.rules,
      medication_dispenses.map(({ shipment, ...one }) => ({ ...one, shipment: shipment && isoShipment(shipment) })),
    ),
  );
  const made = await listAnswer(call.url, "medication_request", medication_request, {
    cursorAfter: (index) => arrivalCursor(list, prescriptions[index]!),
    next_cursor: next && arrivalCursor(list, next),
    whole: true,
  });
  return showing(made, { patients: [patient_id] });
};

const arrivalCursor = (list: CursorList, { received_at, intake_message_id }: Arrival) =>
  sealCursor(list, `r${received_at.getTime()}.${intake_message_id}`);
function arrivalOf(list: CursorList, cursor: string): Arrival {
  const [, at, id] =
    /^r(\d{1,15})\.(\d{1,15})$/.exec(openCursor(list, cursor)) ?? refuse(40003, "cursor", { problem: "not_found" });
  return { received_at: new Date(Number(at)), intake_message_id: Number(id) };
}

export const addShippingAddress: WriteHandler = (deps, call, body) =>
  change.addShippingAddress(deps, call, patientKey(call), body);

export const removeShippingAddress: WriteHandler = (deps, call) =>
  change.removeShippingAddress(deps, call, patientKey(call), numberIn(call.params, "address_id"));

/** The reason is in the body, or in the query for clients that cannot send a body with DELETE. */
export const removeSafetyEntry: WriteHandler = (deps, call, body) => {
  const [reason] = call.query.get("reason") ?? [];
  if (reason !== undefined && (body["reason"] ?? null) !== null) refuse(40003, "reason", { problem: "conflict" });
  const sent = reason === undefined ? body : { ...body, reason };
  return change.removeSafetyEntry(deps, call, patientKey(call), numberIn(call.params, "entry_id"), sent);
};

export const addIdentityDocument: WriteHandler = (deps, call, body) =>
  change.addIdentityDocument(deps, call, patientKey(call), body);

type Call = Parameters<ReadHandler>[1];

/** Rejects malformed ids before querying, with the same 404 as for another account's record. */
function patientKey({ grant, params }: Call): change.PatientKey {
  const { patient_id = "" } = params;
  if (!/^[A-Za-z0-9_-]{4,35}$/.test(patient_id)) throw new StatusRefusal(404);
  return { account_id: grant.account_id, patient_id };
}

function numberIn(params: Call["params"], name: "address_id" | "entry_id"): number {
  const id = params[name] ?? "";
  if (!/^[1-9][0-9]{0,8}$/.test(id)) throw new StatusRefusal(404);
  return Number(id);
}
