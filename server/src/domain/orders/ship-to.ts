import type { Address } from "@pestle/contract";
import type { IncomingAddress } from "../intake/incoming-message.ts";
import { settleAddress } from "../patients/address-input.ts";
import type { PatientRecord } from "../patients/patient-record.ts";
import type { Verdict } from "../values/address/verdict.ts";
import type { OrderDraft } from "./order-draft.ts";
import type { ShipTo } from "./order-facts.ts";

/** What a prescription says of where the patient lives. */
export type WrittenAddress = { address: IncomingAddress | null; phone: string | null };

/**
 * Where an order goes: where the request says, else where the first prescription that says so, else the patient's default address.
 * `validate` is asked for the address that was chosen; of one in the request `sent_verdict` is the answer it got.
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

/** A prescription's address is the patient's; one with a gap is none. */
function addressee({ first_name, last_name }: PatientRecord, { address, phone }: WrittenAddress): Address | null {
  if (address === null) return null;
  const { street1, street2, city, state, zip } = address;
  if (street1 === null || city === null || state === null || zip === null) return null;
  return { first_name, last_name, street1, street2, city, state, zip, phone };
}

const defaultAddress = ({ addresses }: PatientRecord) => addresses.find((address) => address.default) ?? addresses[0];
