import type { Address } from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import { listShipToAddresses, orderPlace } from "../../db/orders/orders.ts";
import type { Deps } from "../../deps.ts";
import { isSameShipTo, withoutShippingAddress } from "../../domain/patients/patient-changes.ts";
import { refuse, StatusRefusal } from "../../domain/values/refusals.ts";
import { changePatient, type PatientKey } from "./save-patient.ts";

/** An address that an order still goes to stays (42228): whoever looks for the order's address finds it. */
export async function removeShippingAddress(
  deps: Deps,
  tx: Tx,
  patient: PatientKey,
  address_id: number,
  now: Date,
): Promise<void> {
  const { account_id, patient_id } = patient;
  const used = (await listShipToAddresses(tx, account_id, patient_id)).map(({ order_number, address_sealed }) => {
    const opened = deps.vault.open(address_sealed, orderPlace("address_sealed", account_id, order_number));
    return JSON.parse(opened.toString("utf8")) as Address;
  });
  await changePatient(deps, tx, patient, now, (before) => {
    const gone = before.addresses.find((one) => one.address_id === address_id);
    const record = withoutShippingAddress(before, address_id);
    if (record === undefined || gone === undefined) throw new StatusRefusal(404);
    if (used.some((one) => isSameShipTo(one, gone))) refuse(42228, "address");
    return { record };
  });
}
