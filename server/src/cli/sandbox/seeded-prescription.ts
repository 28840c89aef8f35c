import { type FromSeed, simulateCommands as partnerCommands } from "@pestle/cli/sandbox/simulate";
import type { JsonFields } from "@pestle/cli/set-fields";
import type { Product, ShippingMethod } from "@pestle/contract";
import { loadZipTable } from "../../adapters/addresses/zip-table.ts";
import { readConfig } from "../../config.ts";
import { inventPrescription } from "../../domain/sandbox/invent-prescription.ts";
import { readSimulatedPrescription } from "../../domain/sandbox/simulated-prescription.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { isSentObject } from "../../domain/values/unknown-fields.ts";

/**
 * Generates a prescription from a seed, here rather than in the service: the same seed gives the same patient and drug in
 * every account with the same catalogue. The service fills in dates, because the account has its own clock.
 */
const seededPrescription: FromSeed = async (sandbox, seed, given, env) => {
  const config = readConfig(env);
  if (!isSentObject(given["patient"] ?? {})) return given;
  const products = await sandbox.read<Product[]>("/products");
  const { shipping_methods } = await sandbox.read<{ shipping_methods: ShippingMethod[] }>("/shipping_methods");
  const named = { ...given, patient: { patient_id: `seed-${seed}`, ...(given["patient"] as JsonFields | undefined) } };
  const rules = { time_zone: config.TIME_ZONE, today: dateIn(config.TIME_ZONE, new Date()) };
  const { simulated } = readSimulatedPrescription(named, rules);
  const world = {
    products,
    default_method_id: Math.min(...shipping_methods.map(({ id }) => id)),
    zips: loadZipTable(config.ZIP_TABLE_FILE),
  };
  const { unit: _, patient, ...whole } = inventPrescription(seed, simulated, world);
  // Send the given fields unchanged, even if they are invalid: the service explains what is wrong.
  return { ...whole, ...named, patient: { ...patient, ...named.patient, address: addressOf(patient, named.patient) } };
};

function addressOf(patient: { address: object | null }, given: JsonFields): unknown {
  const said = given["address"];
  return said === undefined || isSentObject(said) ? patient.address && { ...patient.address, ...said } : said;
}

export const simulateCommands = partnerCommands(seededPrescription);
