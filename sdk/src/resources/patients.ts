import type { Call, CallOptions, ChangeMethod, WriteOptions } from "../client.ts";
import type {
  IdentityDocument,
  IdentityDocumentInput,
  MedicationRequest,
  Patient,
  PatientAddress,
  PatientUpdate,
  ShippingAddressInput,
} from "../generated/records.ts";
import { wholeList } from "../listing.ts";
import type { QueryOf, Sent } from "../operations.ts";

export type Patients = {
  get(patient_id: string, options?: CallOptions): Promise<Patient>;
  /** Changes only the given fields. */
  update: ChangeMethod<[patient_id: string, changes: Sent<PatientUpdate>], Patient>;
  /** All prescriptions, newest first. */
  prescriptions(
    patient_id: string,
    filter?: QueryOf<"listPatientPrescriptions">,
    options?: CallOptions,
  ): Promise<MedicationRequest[]>;
  addAddress(patient_id: string, address: Sent<ShippingAddressInput>, options?: WriteOptions): Promise<PatientAddress>;
  removeAddress(patient_id: string, address_id: number, options?: CallOptions): Promise<void>;
  /** Removes an entry of `patient_safety.entries` that you sent. The pharmacist sees the reason. */
  removeSafetyEntry(patient_id: string, entry_id: number, reason: string, options?: CallOptions): Promise<void>;
  addIdentityDocument(
    patient_id: string,
    document: Sent<IdentityDocumentInput>,
    options?: WriteOptions,
  ): Promise<IdentityDocument>;
};

export const patientsOf = (call: Call): Patients => ({
  get: (patient_id, options) => call("getPatient", { path: { patient_id } }, options),
  update: ((patient_id, body, options) =>
    call("updatePatient", { path: { patient_id }, body }, options)) as Patients["update"],
  prescriptions: (patient_id, query = {}, options) =>
    wholeList(
      (cursor) => call("listPatientPrescriptions", { path: { patient_id }, query: { ...query, cursor } }, options),
      ({ medication_request }) => medication_request,
    ),
  addAddress: (patient_id, body, options) => call("addShippingAddress", { path: { patient_id }, body }, options),
  removeAddress: (patient_id, address_id, options) =>
    call("removeShippingAddress", { path: { patient_id, address_id } }, options),
  removeSafetyEntry: (patient_id, entry_id, reason, options) =>
    call("removeSafetyEntry", { path: { patient_id, entry_id }, body: { reason } }, options),
  addIdentityDocument: (patient_id, body, options) =>
    call("addIdentityDocument", { path: { patient_id }, body }, options),
});
