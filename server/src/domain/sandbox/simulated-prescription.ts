import { type SimulatedPatient, SimulatedPrescription as SimulatedRows, type Static } from "@pestle/contract";
import { isUsableId } from "../intake/decide-intake.ts";
import { dateIn, isDate, startOfDay } from "../values/calendar.ts";
import { type Read, readBody, refusalOf } from "../values/read-body.ts";
import type { Problem } from "../values/refusals.ts";
import type { SentFields } from "../values/unknown-fields.ts";
import { readSimulatedPatient } from "./simulated-patient.ts";

type Rows = Static<typeof SimulatedRows>;
type Times = "receive_date" | "expire_date";

/** The prescription of a simulation. Omitted fields stay omitted here and are invented later. */
export type SimulatedPrescription = Read<Omit<Rows, Times | "patient">> & {
  [Field in Times]?: Date;
} & { patient: SimulatedPatient };

/** Dates are in the pharmacy's time zone. */
export type SimulationRules = { time_zone: string; today: string };

/** The available fields, for people who write a simulation by hand. */
export const simulatedFields = Object.keys(SimulatedRows["properties"] as object).filter((name) => name !== "patient");

const HERE = "simulation.";

/** Reads a complete simulation and collects all problems. Never throws. */
export function readSimulatedPrescription(
  sent: SentFields,
  rules: SimulationRules,
): { simulated: SimulatedPrescription; problems: Problem[] } {
  const { fields, problems } = readBody(SimulatedRows, sent, HERE, {
    "date-time": (text: string) => ({ value: readTime(text, rules) ?? null, problems: [] }),
    date: (text: string) => ({ value: readDay(text, rules) ?? null, problems: [] }),
    SimulatedPatient: (patient: SentFields) => {
      const read = readSimulatedPatient(patient, rules.today);
      return { value: read.patient, problems: read.problems };
    },
  });
  // The readers above turn texts of a time into a Date.
  const { patient = {}, patient_id, prescriber_name, ...said } = fields as unknown as Partial<SimulatedPrescription>;
  if (patient_id !== undefined && !isUsableId(patient_id))
    problems.push(refusalOf(SimulatedRows, "patient_id", patient_id, HERE));
  // Two different IDs are rejected, because either choice would be a guess.
  if (patient_id !== undefined && patient.patient_id !== undefined && patient_id !== patient.patient_id) {
    problems.push({ code: 42200, field: "simulation.patient.patient_id", problem: "conflict" });
  }
  const whose = patient_id ?? patient.patient_id;
  const simulated: SimulatedPrescription = {
    ...said,
    ...(prescriber_name !== undefined && { prescriber_name: prescriber_name.trim() }),
    ...(patient_id !== undefined && { patient_id }),
    patient: { ...patient, ...(whose !== undefined && { patient_id: whose }) },
  };
  return { simulated, problems };
}

/** Dates outside this range make no sense, and later years have more digits. */
const [FIRST_DAY, LAST_DAY] = ["1900-01-01", "2999-12-31"];
const TIME = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/;

/** A time, or the start of a day. */
function readTime(value: string, { time_zone }: SimulationRules): Date | undefined {
  if (value.length > 40) return undefined;
  if (isSensibleDay(value)) return startOfDay(time_zone, value);
  const day = TIME.exec(value)?.[1];
  return day !== undefined && isSensibleDay(day) ? new Date(value) : undefined;
}

/** A day, or the day of a time. */
function readDay(value: string, rules: SimulationRules): string | undefined {
  if (isSensibleDay(value)) return value;
  const time = readTime(value, rules);
  return time && dateIn(rules.time_zone, time);
}

const isSensibleDay = (text: string) => isDate(text) && text >= FIRST_DAY && text <= LAST_DAY;
