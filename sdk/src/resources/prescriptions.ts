import type { Call, CallOptions, WriteOptions } from "../client.ts";
import type { RenewalRequest, RenewalRequestInput } from "../generated/records.ts";

export type Prescriptions = {
  /** Asks the prescriber for a renewal. A prescription can have one open request. */
  requestRenewal(
    prescription_id: number,
    request?: RenewalRequestInput,
    options?: WriteOptions,
  ): Promise<RenewalRequest>;
  /** A request for renewal, with the prescriber's answer if there is one. */
  renewalRequest(prescription_id: number, renewal_request_id: string, options?: CallOptions): Promise<RenewalRequest>;
};

export function prescriptionsOf(call: Call): Prescriptions {
  return {
    requestRenewal: (prescription_id, body = {}, options) =>
      call("createRenewalRequest", { path: { prescription_id }, body }, options),
    renewalRequest: (prescription_id, renewal_request_id, options) =>
      call("getRenewalRequest", { path: { prescription_id, renewal_request_id } }, options),
  };
}
