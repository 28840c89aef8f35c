import type { ErrorCode } from "../errors.ts";
import { identityDocument, patient, patientAddress, prescription, shipTo } from "../openapi/example-records.ts";
import { IdentityDocumentInput, PatientUpdate, SafetyEntryRemoval, ShippingAddressInput } from "../requests.ts";
import { IdentityDocument, MedicationRequest, Patient, PatientAddress } from "../resources.ts";
import { array, boolean, object, string } from "../schema.ts";
import { answer, body, bodyCodes, type Endpoint, idempotencyCodes, restOfList } from "./endpoint.ts";

const addressCodes = [42221, 42222, 42223, 42225, 42226, 42227, 42230] as const satisfies readonly ErrorCode[];

/** Operations on the patients whose prescriptions the pharmacy received. */
export const patientEndpoints = [
  {
    operation_id: "getPatient",
    method: "GET",
    path: "/patients/{patient_id}",
    server: "partner",
    tags: ["Patients"],
    auth: "bearer:partners",
    summary: "Get a patient",
    description: "The patient that a webhook names in `patient_id`. Document numbers are masked.",
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
      "Changes the fields you send and leaves the others. A list of `patient_safety` adds the entries that are not on file, without regard to case: at most 100 entries of 200 characters. It never removes an entry. An empty list means that the patient named none: the status becomes `none_known` if nothing is on file, otherwise nothing changes. The service stores a phone number as ten digits. `null` does not clear a field: it is a malformed value. `messaging` is the patient's consent to messages about orders, and replaces the consent on file: without it the pharmacy never writes to the patient. Names and the date of birth come from the prescriber and cannot be changed here.",
    body: body("application/json", PatientUpdate, {
      email: "rosa.quill@mail.example",
      phone: "+1 (415) 555-0134",
      patient_safety: { allergies: ["penicillin"] },
    }),
    responses: { 200: answer("The updated patient.", Patient, patient) },
    codes: [40003, ...bodyCodes, 42200, 42201, 42204, 42205],
    may_be_missing: true,
  },
  {
    operation_id: "removeSafetyEntry",
    method: "DELETE",
    path: "/patients/{patient_id}/patient_safety/{entry_id}",
    server: "partner",
    tags: ["Patients"],
    auth: "bearer:partners",
    summary: "Remove an allergy, medication or condition",
    description:
      "Removes one of `patient_safety.entries` that you sent, with a `reason`. Send the reason in the body. If your client cannot send a body with DELETE, send it in the query, without any name. The record keeps the entry and the reason, and the pharmacist sees both. Entries of the prescriber or the pharmacy get 42200: ask the pharmacy to remove them. Removing an entry again changes nothing. An order that the entry holds stays on hold until a pharmacist decides.",
    query: { reason: string("The `reason`, if the request has no body.") },
    body: body("application/json", SafetyEntryRemoval, { reason: "The patient stopped taking it in October." }),
    body_optional: true,
    responses: { 204: { description: "The entry was removed. The body is empty." } },
    codes: [40003, ...bodyCodes, 42200],
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
    description:
      "All prescriptions of the patient, newest first. An answer of more than 1 MiB ends earlier, with `next_cursor`.",
    query: {
      active: boolean(
        "`true`: only prescriptions that are active. `false`: only those that the prescriber canceled or replaced.",
      ),
      cursor: restOfList,
    },
    responses: {
      200: answer(
        "The prescriptions.",
        object({ medication_request: array(MedicationRequest), next_cursor: string() }, { optional: ["next_cursor"] }),
        { medication_request: [prescription] },
      ),
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
      "Adds an address to the patient. The first one is the default. An address that fails validation gets 42230, with a `suggested_address` if there is one: send it again with `accept_suggested` to use the suggestion, or with `ignore_warnings` to keep yours. An address that is already on file for the same person is not added again: the response is the one on file, with the phone number you sent. A patient can have at most 50.",
    body: body("application/json", ShippingAddressInput, shipTo),
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
      "If you remove the default address, the most recently added one becomes the default. An address that an open order ships to cannot be removed (42228).",
    responses: { 204: { description: "The address was removed. The body is empty." } },
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
      "Required before the pharmacy dispenses a controlled substance. Sending the same document again (type, country, state and number) replaces the older one, so you can renew its date. The service encrypts the number and only shows it masked. A patient can have at most 20. Expired documents make room for new ones.",
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
