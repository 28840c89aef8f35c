import type { ErrorCode } from "../errors.ts";
import { identityDocument, patient, patientAddress, prescription, shipTo } from "../openapi/example-records.ts";
import { AddressInput, IdentityDocumentInput, PatientUpdate } from "../requests.ts";
import { IdentityDocument, MedicationRequest, Patient, PatientAddress } from "../resources.ts";
import { array, boolean, object } from "../schema.ts";
import { answer, body, bodyCodes, type Endpoint, idempotencyCodes } from "./endpoint.ts";

const addressCodes = [42221, 42222, 42223, 42225, 42226, 42227, 42230] as const satisfies readonly ErrorCode[];

/** What a partner reads and changes of the patients whose prescriptions came in. */
export const patientEndpoints = [
  {
    operation_id: "getPatient",
    method: "GET",
    path: "/patients/{patient_id}",
    server: "partner",
    tags: ["Patients"],
    auth: "bearer:partners",
    summary: "Get a patient",
    description: "The patient that a webhook names by its `patient_id`. Document numbers are masked.",
    responses: { 200: answer("The patient.", Patient, patient) },
    codes: [40003],
    may_be_missing: true,
  },
  {
    operation_id: "updatePatient",
    method: "PATCH",
    path: "/patients/{patient_id}",
    server: "partner",
    tags: ["Patients"],
    auth: "bearer:partners",
    summary: "Change a patient",
    description:
      "Changes the fields that are sent and leaves the others. Each list of `patient_safety` that is sent takes the place of the one on file: at most 100 entries of 200 characters. A telephone number is kept as its ten digits. `null` takes nothing back: it is a malformed value. Names and the birth date come from the prescriber and are not changed here.",
    body: body("application/json", PatientUpdate, {
      email: "rosa.quill@mail.example",
      phone: "+1 (415) 555-0134",
      patient_safety: { allergies: ["penicillin"] },
    }),
    responses: { 200: answer("The patient as it is now.", Patient, patient) },
    codes: [40003, ...bodyCodes, 42200, 42201, 42204, 42205],
    may_be_missing: true,
  },
  {
    operation_id: "listPatientPrescriptions",
    method: "GET",
    path: "/patients/{patient_id}/rx",
    server: "partner",
    tags: ["Patients"],
    auth: "bearer:partners",
    summary: "List a patient's prescriptions",
    description: "All prescriptions of the patient, newest first.",
    query: { active: boolean("Only those that the prescriber has (`true`) or has not (`false`) left standing.") },
    responses: {
      200: answer("The prescriptions.", object({ medication_request: array(MedicationRequest) }), {
        medication_request: [prescription],
      }),
    },
    codes: [40003],
    may_be_missing: true,
  },
  {
    operation_id: "addShippingAddress",
    method: "POST",
    path: "/patients/{patient_id}/shipping_address",
    server: "partner",
    tags: ["Patients"],
    auth: "bearer:partners",
    summary: "Add a shipping address",
    description:
      "Adds an address to the patient; the first one is the default. An address that cannot be validated is 42230, with a `suggested_address` when there is one: send it again with `accept_suggested` to keep that one, or with `ignore_warnings` to keep yours as it is. An address that is on file for the same person is not added again: the answer is the one on file, with the telephone number that was sent. A patient has at most 50.",
    body: body("application/json", AddressInput, shipTo),
    responses: { 201: answer("The address.", PatientAddress, patientAddress) },
    codes: [40003, ...bodyCodes, 42200, ...addressCodes, ...idempotencyCodes],
    may_be_missing: true,
    idempotent: true,
  },
  {
    operation_id: "removeShippingAddress",
    method: "DELETE",
    path: "/patients/{patient_id}/shipping_address/{address_id}",
    server: "partner",
    tags: ["Patients"],
    auth: "bearer:partners",
    summary: "Remove a shipping address",
    description:
      "When the default address is removed, the one that was added last takes its place. One that an order still goes to cannot be removed (42228).",
    responses: { 204: { description: "The address is removed. The body is empty." } },
    codes: [40003, 42228],
    may_be_missing: true,
  },
  {
    operation_id: "addIdentityDocument",
    method: "POST",
    path: "/patients/{patient_id}/identity_documents",
    server: "partner",
    tags: ["Patients"],
    auth: "bearer:partners",
    summary: "Add an identity document",
    description:
      "Needed before a controlled substance is dispensed. The same document again (type, country, state and number) takes the place of the older one, so that its date can be renewed. The number is kept sealed and only ever shown masked. A patient has at most 20; expired ones make room.",
    body: body("application/json", IdentityDocumentInput, {
      type: "DL",
      issuing_country: "US",
      issuing_state: "CA",
      number: "D1234821",
      expiration_date: "2029-03-31",
    }),
    responses: { 201: answer("The document.", IdentityDocument, identityDocument) },
    codes: [40003, ...bodyCodes, 42200, 42216, 42217, 42218, 42219, 42220, ...idempotencyCodes],
    may_be_missing: true,
    idempotent: true,
  },
] as const satisfies readonly Endpoint[];
