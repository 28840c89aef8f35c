import { loadPrescriptions } from "../../db/intake/prescriptions.ts";
import { medicationRequest } from "../../domain/intake/medication-request.ts";
import { isoShipment } from "../../domain/orders/order-answer.ts";
import { refuse, StatusRefusal } from "../../domain/values/refusals.ts";
import { addIdentityDocument as addDocument } from "../../usecases/patients/add-identity-document.ts";
import { addShippingAddress as addAddress } from "../../usecases/patients/add-shipping-address.ts";
import { readPatient } from "../../usecases/patients/read-patient.ts";
import { removeShippingAddress as removeAddress } from "../../usecases/patients/remove-shipping-address.ts";
import type { PatientKey } from "../../usecases/patients/save-patient.ts";
import { updatePatient as update } from "../../usecases/patients/update-patient.ts";
import { json } from "../answer.ts";
import type { ReadHandler, WriteHandler } from "../partner-api.ts";

export const getPatient: ReadHandler = async (deps, call) => {
  const patient = await readPatient(deps, patientKey(call));
  if (patient === undefined) throw new StatusRefusal(404);
  return json(200, patient);
};

export const updatePatient: WriteHandler = (deps, call, body) => {
  const patient = patientKey(call);
  return async (tx) => finished(200, await update(deps, tx, patient, body, call.now));
};

export const listPatientPrescriptions: ReadHandler = async (deps, call) => {
  const active = activeOf(call.query);
  const { account_id, patient_id } = patientKey(call);
  const found = await loadPrescriptions(deps.db, account_id, patient_id, active);
  if (found === undefined) throw new StatusRefusal(404);
  const medication_request = found.prescriptions.map(({ medication_dispenses, ...row }) =>
    medicationRequest(
      row,
      found.workflow,
      medication_dispenses.map(({ shipment, ...one }) => ({ ...one, shipment: shipment && isoShipment(shipment) })),
    ),
  );
  return json(200, { medication_request });
};

export const addShippingAddress: WriteHandler = async (deps, call, body) => {
  const add = await addAddress(deps, patientKey(call), call.grant.environment, body, call.now);
  return async (tx) => finished(201, await add(tx));
};

export const removeShippingAddress: WriteHandler = (deps, call) => {
  const patient = patientKey(call);
  const address_id = addressId(call.params);
  return async (tx) => {
    await removeAddress(deps, tx, patient, address_id, call.now);
    return { status: 204, body: "" };
  };
};

export const addIdentityDocument: WriteHandler = (deps, call, body) => {
  const patient = patientKey(call);
  return async (tx) => finished(201, await addDocument(deps, tx, patient, body, call.now));
};

type Call = Parameters<ReadHandler>[1];

const finished = (status: number, value: unknown) => ({ status, body: JSON.stringify(value) });

/** An id that no record can have is not looked for: the one 404, as for a record of another account. */
function patientKey({ grant, params }: Call): PatientKey {
  const { patient_id = "" } = params;
  if (!/^[A-Za-z0-9_-]{4,35}$/.test(patient_id)) throw new StatusRefusal(404);
  return { account_id: grant.account_id, patient_id };
}

function addressId({ address_id = "" }: Call["params"]): number {
  if (!/^[1-9][0-9]{0,8}$/.test(address_id)) throw new StatusRefusal(404);
  return Number(address_id);
}

function activeOf(query: Call["query"]): boolean | null {
  const [value] = query.get("active") ?? [];
  if (value === undefined) return null;
  return value === "true" || value === "false" ? value === "true" : refuse(40003, "active");
}
