import { drugSchedules, type MedicationRequest, type SimulatedPatient } from "@pestle/contract";
import { northAmericanPhone } from "../values/address/phone.ts";
import { dateIn, isDate, startOfDay } from "../values/calendar.ts";
import { fieldKinds } from "../values/field-kinds.ts";
import { normaliseNdc } from "../values/identifiers.ts";
import type { Problem } from "../values/refusals.ts";
import { isOneLine } from "../values/text.ts";
import type { SentFields } from "../values/unknown-fields.ts";
import { readPatientId, readSimulatedPatient } from "./simulated-patient.ts";

/** The prescription of a simulation. Omitted fields stay omitted here and are invented later. */
export type SimulatedPrescription = { [Field in SettableField]?: Said<(typeof fields)[Field]> } & {
  patient: SimulatedPatient;
};

/** Dates are in the pharmacy's time zone. */
export type SimulationRules = { time_zone: string; today: string };

/** Undefined: the value is invalid for this field. */
type Read<Value> = (value: unknown, rules: SimulationRules) => Value | undefined;
type Said<Reader> = Reader extends Read<infer Value> ? Exclude<Value, undefined> : never;
type SettableField = Exclude<keyof MedicationRequest, "id">;

/**
 * Every field of a medication request except the ID, which only the pharmacy assigns. Fields that a new prescription
 * cannot have yet accept only an empty list.
 */
const fields = {
  active: readBoolean,
  patient_id: readPatientId,
  prescriber_name: (value) => readName(value),
  prescriber_phone: orNull(readPhone),
  prescriber_fax: orNull(readPhone),
  receive_date: readTime,
  expire_date: readTime,
  written_date: readDay,
  effective_date: readDay,
  drug_name: (value) => readLine(value, 255),
  ndc: orNull(readNdc),
  gcn: orNull((value) => readLine(value, 35)),
  sig_text: readSig,
  written_qty: readQuantity,
  days_supply: orNull((value) => readWhole(value, 1, 999)),
  refills_left: (value) => readWhole(value, 0, 99),
  drug_schedule: (value) => drugSchedules.find((schedule) => schedule === value),
  daw: readBoolean,
  order_errors: readNothing,
  medication_dispenses: readNothing,
} as const satisfies Record<SettableField, Read<unknown>>;

/** The available fields, for people who write a simulation by hand. */
export const simulatedFields = Object.keys(fields) as SettableField[];

/** Reads a complete simulation and collects all problems. Never throws. */
export function readSimulatedPrescription(
  sent: SentFields,
  rules: SimulationRules,
): { simulated: SimulatedPrescription; problems: Problem[] } {
  const said: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(sent)) {
    if (name === "patient") continue;
    const read: Read<unknown> | undefined = Object.hasOwn(fields, name) ? fields[name as SettableField] : undefined;
    said[name] = read?.(value, rules);
    if (said[name] === undefined) problems.push({ code: 42200, field: `simulation.${name}` });
  }
  const { patient, problems: wrong } = readSimulatedPatient(sent["patient"], rules.today);
  problems.push(...wrong);
  // Two different IDs are rejected, because either choice would be a guess.
  const { patient_id } = said as SimulatedPrescription;
  if (patient_id !== undefined && patient.patient_id !== undefined && patient_id !== patient.patient_id) {
    problems.push({ code: 42200, field: "simulation.patient.patient_id" });
  }
  const whose = patient_id ?? patient.patient_id;
  const whole = { ...patient, ...(whose === undefined ? {} : { patient_id: whose }) };
  return { simulated: { ...(said as Omit<SimulatedPrescription, "patient">), patient: whole }, problems };
}

/** Dates outside this range make no sense, and later years have more digits. */
const [FIRST_DAY, LAST_DAY] = ["1900-01-01", "2999-12-31"];
const TIME = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/;

/** A time, or the start of a day. */
function readTime(value: unknown, { time_zone }: SimulationRules): Date | undefined {
  if (typeof value !== "string" || value.length > 40) return undefined;
  if (isSensibleDay(value)) return startOfDay(time_zone, value);
  const day = TIME.exec(value)?.[1];
  return day !== undefined && isSensibleDay(day) ? new Date(value) : undefined;
}

/** A day, or the day of a time. */
function readDay(value: unknown, rules: SimulationRules): string | undefined {
  if (typeof value === "string" && isSensibleDay(value)) return value;
  const time = readTime(value, rules);
  return time && dateIn(rules.time_zone, time);
}

const isSensibleDay = (text: string) => isDate(text) && text >= FIRST_DAY && text <= LAST_DAY;

function orNull<Value>(read: Read<Value>): Read<Value | null> {
  return (value, rules) => (value === null ? null : read(value, rules));
}

function readBoolean(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

function readName(value: unknown): string | undefined {
  return typeof value === "string" ? fieldKinds.prescriber_name(value, 120)?.trim() : undefined;
}

function readPhone(value: unknown): string | undefined {
  return typeof value === "string" ? (northAmericanPhone(value.trim()) ?? undefined) : undefined;
}

/** Rejects ten bare digits, which can mean three NDCs: the caller can send all eleven. */
function readNdc(value: unknown): string | undefined {
  const meant = typeof value === "string" ? normaliseNdc(value) : [];
  return meant.length === 1 ? meant[0] : undefined;
}

const LONGEST_SIG = 10_000;

/** Accepts an empty one and one too long for a label: both hold an order, which partners can try out. */
function readSig(value: unknown): string | undefined {
  const fits = typeof value === "string" && value.length <= LONGEST_SIG && !/[^\P{Cc}\t\n\r]|\p{Cs}/u.test(value);
  return fits ? value.trim() : undefined;
}

const MOST_UNITS = 100_000;
const MOST_DECIMALS = 3;

/** Accepts zero, which a pharmacist must review. */
function readQuantity(value: unknown): number | undefined {
  const fits = typeof value === "number" && value >= 0 && value <= MOST_UNITS;
  return fits && Number(value.toFixed(MOST_DECIMALS)) === value ? Math.abs(value) : undefined;
}

function readWhole(value: unknown, least: number, most: number): number | undefined {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most
    ? Math.abs(Number(value))
    : undefined;
}

function readLine(value: unknown, longest: number): string | undefined {
  return isOneLine(value, longest) ? value.trim() : undefined;
}

function readNothing(value: unknown): readonly [] | undefined {
  return Array.isArray(value) && value.length === 0 ? [] : undefined;
}
