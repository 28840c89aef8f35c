import type { ErrorCode } from "../errors.ts";
import { RENEWAL_DAYS, RenewalRequest, RenewalRequestInput } from "../renewals.ts";
import { answer, body, bodyCodes, type Endpoint, idempotencyCodes } from "./endpoint.ts";

/** Errors of a request for renewal. */
export const renewalCodes: readonly ErrorCode[] = [42284, 42285, 42286];

const queued: RenewalRequest = {
  renewal_request_id: "019a8b6e-4c55-7d3c-9a1e-2f0b6c1d7e42",
  prescription_id: 183615,
  status: "queued",
  created_at: "2027-02-10T17:20:00.000Z",
  sent_at: null,
  answered_at: null,
  response: null,
  note: null,
  new_prescription_id: null,
};
const approved: RenewalRequest = {
  ...queued,
  status: "approved",
  sent_at: "2027-02-10T17:20:01.000Z",
  answered_at: "2027-02-11T09:05:00.000Z",
  response: "approved_with_changes",
  note: "One refill, then an appointment.",
  new_prescription_id: 190244,
};

/** Operations that ask a prescriber for something. */
export const prescriberEndpoints = [
  {
    operation_id: "createRenewalRequest",
    method: "POST",
    path: "/prescriptions/{prescription_id}/renewal_requests",
    server: "partner",
    tags: ["Prescriptions"],
    auth: "bearer:partners",
    summary: "Ask the prescriber for a renewal",
    description: `The pharmacy sends a request for renewal to the prescriber's network. A prescription can have one open request. The prescriber's answer closes it; without an answer it expires after ${RENEWAL_DAYS} days. If the prescriber approves, the new prescription arrives like any other, with \`RX_RECEIVED\`.`,
    body: body("application/json", RenewalRequestInput, { refills: 3, note: "The patient has tablets for nine days." }),
    body_optional: true,
    responses: { 201: answer("The request.", RenewalRequest, queued) },
    codes: [40003, ...bodyCodes, 42200, ...renewalCodes, ...idempotencyCodes],
    may_be_missing: true,
    idempotent: true,
  },
  {
    operation_id: "getRenewalRequest",
    method: "GET",
    path: "/prescriptions/{prescription_id}/renewal_requests/{renewal_request_id}",
    server: "partner",
    tags: ["Prescriptions"],
    auth: "bearer:partners",
    summary: "Get a request for renewal",
    description: "The request, with the prescriber's answer if there is one.",
    responses: { 200: answer("The request.", RenewalRequest, approved) },
    codes: [40003],
    may_be_missing: true,
  },
] as const satisfies readonly Endpoint[];
