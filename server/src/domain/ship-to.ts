import type { Address } from "@pestle/contract";
import type { Verdict } from "./address/verdict.ts";
import { settleAddress } from "./address-input.ts";
import type { IncomingAddress } from "./incoming-message.ts";
import type { OrderDraft } from "./order-draft.ts";
import type { ShipTo } from "./order-facts.ts";
import type { PatientRecord } from "./patient-record.ts";

/**
 * Where an order goes: where the request says, else where the prescription says, else the patient's default address.
 * `validate` is asked for the address that was chosen; of one in the request `sent_verdict` is the answer it got.
 */
export function shipTo(
  { address: sent }: Pick<OrderDraft, "address">,
  sent_verdict: Verdict | null,
  known: { prescription: IncomingAddress | null; phone: string | null; patient: PatientRecord | null },
  validate: (address: Address) => Verdict | null,
): ShipTo {
  if (sent === "unusable") return { from: "request", address: null, verdict: null };
  if (sent !== "absent") {
    const address = sent_verdict === null ? sent.address : settleAddress(sent, sent_verdict).address;
    return { from: "request", address, verdict: sent_verdict };
  }
  const written = known.patient && known.prescription && addressee(known.patient, known.prescription, known.phone);
  if (written) return { from: "prescription", address: written, verdict: validate(written) };
  const kept = known.patient && defaultAddress(known.patient);
  if (!kept) return { from: "nowhere", address: null, verdict: null };
  const { address_id: _, default: __, ...address } = kept;
  return { from: "patient", address, verdict: validate(address) };
}

/** A prescription's address is the patient's; one with a gap is none. */
function addressee(
  { first_name, last_name }: PatientRecord,
  { street1, street2, city, state, zip }: IncomingAddress,
  phone: string | null,
): Address | null {
  if (street1 === null || city === null || state === null || zip === null) return null;
  return { first_name, last_name, street1, street2, city, state, zip, phone };
}

const defaultAddress = ({ addresses }: PatientRecord) => addresses.find((address) => address.default) ?? addresses[0];
