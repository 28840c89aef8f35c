import { SimulatedPatient } from "@pestle/contract";
import { isUsableId } from "../intake/decide-intake.ts";
import { isPossibleBirth } from "../patients/birth-date.ts";
import { isDate } from "../values/calendar.ts";
import { readBody, refusalOf } from "../values/read-body.ts";
import type { Problem } from "../values/refusals.ts";
import { isSentObject, type SentFields } from "../values/unknown-fields.ts";

/** The parts of an address that a simulation sets. */
export type SimulatedAddress = NonNullable<SimulatedPatient["address"]>;

const HERE = "simulation.patient";

/** Reads the patient of a simulation. `null` is a value: the e-prescription omits the field. */
export function readSimulatedPatient(sent: unknown, today: string): { patient: SimulatedPatient; problems: Problem[] } {
  if (sent === undefined) return { patient: {}, problems: [] };
  if (!isSentObject(sent))
    return { patient: {}, problems: [{ code: 42200, field: HERE, problem: "wrong_type", expected: "object" }] };
  const { fields, problems } = readBody(SimulatedPatient, withoutBlank(sent), `${HERE}.`, {
    date: (text: string) => ({ value: readBirth(text, today) ?? null, problems: [] }),
  });
  const { patient_id, ...patient } = fields;
  if (patient_id === undefined) return { patient, problems };
  if (isUsableId(patient_id)) return { patient: fields, problems };
  return { patient, problems: [...problems, refusalOf(SimulatedPatient, "patient_id", patient_id, `${HERE}.`)] };
}

/** An empty second line counts as absent. */
function withoutBlank(sent: SentFields): SentFields {
  const { address } = sent;
  return isSentObject(address) && address["street2"] === ""
    ? { ...sent, address: { ...address, street2: null } }
    : sent;
}

/** Any valid patient ID, regardless of who assigned it. */
export const readPatientId = (value: unknown): string | undefined =>
  typeof value === "string" && isUsableId(value) ? value : undefined;

/** A date of birth has no time zone: a time means its own calendar day. */
function readBirth(text: string, today: string): string | undefined {
  const day = /^(\d{4}-\d{2}-\d{2})(T[\d:.]{5,20}(Z|[+-]\d{2}:\d{2})?)?$/.exec(text)?.[1];
  return day && isDate(day) && isPossibleBirth(day, today) ? day : undefined;
}
