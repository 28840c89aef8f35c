import type { Environment, PatientAddress } from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { readAddress, settleAddress } from "../../domain/patients/address-input.ts";
import { withShippingAddress } from "../../domain/patients/patient-changes.ts";
import { refuseAll } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { changePatient, type PatientKey } from "./save-patient.ts";

/** Judges an address and gives what adds it: the validator may be asked over the network, so never in a transaction. */
export async function addShippingAddress(
  deps: Deps,
  patient: PatientKey,
  environment: Environment,
  sent: SentFields,
  now: Date,
): Promise<(tx: Tx) => Promise<PatientAddress>> {
  const { address, problems } = await judged(deps, environment, sent);
  return async (tx) => {
    const changed = await changePatient(deps, tx, patient, now, (record) => {
      refuseAll(problems);
      return withShippingAddress(record, address!);
    });
    return changed.address;
  };
}

async function judged(deps: Deps, environment: Environment, sent: SentFields) {
  const { read, problems } = readAddress(sent, deps.zips);
  if (read === null) return { address: null, problems };
  return settleAddress(read, await deps.address_validators[environment].validate(read.address));
}
