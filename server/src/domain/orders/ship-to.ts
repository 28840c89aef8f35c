import type { Address } from "@pestle/contract";
import type { IncomingAddress } from "../intake/incoming-message.ts";
import { settleAddress } from "../patients/address-input.ts";
import type { PatientRecord } from "../patients/patient-record.ts";
import type { Verdict } from "../values/address/verdict.ts";
import type { OrderDraft } from "./order-draft.ts";
import type { ShipTo } from "./order-facts.ts";

/** The patient's address according to a prescription. */
export type WrittenAddress = { address: IncomingAddress | null; phone: string | null };

/**
 * Chooses the shipping address: the request's, else that of the first prescription with one, else the patient's
 * default. Calls `validate` for the chosen address. `sent_verdict` is the verdict on the request's address.
 */
export function shipTo(
  { address: sent }: Pick<OrderDraft, "address">,
  sent_verdict: Verdict | null,
  known: { prescriptions: readonly WrittenAddress[]; patient: PatientRecord | null },
  validate: (address: Address) => Verdict | null,
): ShipTo {
  if (sent === "unusable") return { from: "request", address: null, verdict: null };
  if (sent !== "absent") {
    const address = sent_verdict === null ? sent.address : settleAddress(sent, sent_verdict).address;
    return { from: "request", address, verdict: sent_verdict };
  }
  const written = known.prescriptions
    .map((one) => known.patient && addressee(known.patient, one))
    .find((one) => one != null);
  if (written) return { from: "prescription", address: written, verdict: validate(written) };
  const kept = known.patient && defaultAddress(known.patient);
  if (!kept) return { from: "nowhere", address: null, verdict: null };
  const { address_id: _, default: __, ...address } = kept;
  return { from: "patient", address, verdict: validate(address) };
}

/** A prescription's address belongs to the patient. An incomplete one does not count. */
function addressee({ first_name, last_name }: PatientRecord, { address, phone }: WrittenAddress): Address | null {
  if (address === null) return null;
  const { street1, street2, city, state, zip } = address;
  if (street1 === null || city === null || state === null || zip === null) return null;
  return { first_name, last_name, street1, street2, city, state, zip, phone };
}

const defaultAddress = ({ addresses }: PatientRecord) => addresses.find((address) => address.default) ?? addresses[0];
