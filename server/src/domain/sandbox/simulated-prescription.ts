import { drugSchedules, type MedicationRequest, type SimulatedPatient } from "@pestle/contract";
import { northAmericanPhone } from "../values/address/phone.ts";
import { dateIn, isDate, startOfDay } from "../values/calendar.ts";
import { fieldKinds } from "../values/field-kinds.ts";
import { normaliseNdc } from "../values/identifiers.ts";
import type { Problem } from "../values/refusals.ts";
import { isOneLine } from "../values/text.ts";
import type { SentFields } from "../values/unknown-fields.ts";
import { readPatientId, readSimulatedPatient } from "./simulated-patient.ts";

/** What a simulation says of a prescription; what it leaves out is left out here too, and invented later. */
export type SimulatedPrescription = { [Field in SettableField]?: Said<(typeof fields)[Field]> } & {
  patient: SimulatedPatient;
};

/** Days are judged in the pharmacy's zone. */
export type SimulationRules = { time_zone: string; today: string };

/** Undefined: the value is not one for this field. */
type Read<Value> = (value: unknown, rules: SimulationRules) => Value | undefined;
type Said<Reader> = Reader extends Read<infer Value> ? Exclude<Value, undefined> : never;
type SettableField = Exclude<keyof MedicationRequest, "id">;

/**
 * Every field of a medication request but the number, which only the pharmacy gives. What a prescription that has just
 * come in cannot have yet is taken where it says so itself: an empty list.
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

/** For whoever writes a simulation by hand: which fields there are. */
export const simulatedFields = Object.keys(fields) as SettableField[];

/** Reads a simulation to its end, whatever is wrong with it. It never throws. */
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
  // One of two ids would be a guess whose prescription it is.
  const { patient_id } = said as SimulatedPrescription;
  if (patient_id !== undefined && patient.patient_id !== undefined && patient_id !== patient.patient_id) {
    problems.push({ code: 42200, field: "simulation.patient.patient_id" });
  }
  const whose = patient_id ?? patient.patient_id;
  const whole = { ...patient, ...(whose === undefined ? {} : { patient_id: whose }) };
  return { simulated: { ...(said as Omit<SimulatedPrescription, "patient">), patient: whole }, problems };
}

/** Before and after these a simulation makes no sense, and calendars run out of digits. */
const [FIRST_DAY, LAST_DAY] = ["1900-01-01", "2999-12-31"];
const TIME = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/;

/** A time, or the beginning of a day. */
function readTime(value: unknown, { time_zone }: SimulationRules): Date | undefined {
  if (typeof value !== "string" || value.length > 40) return undefined;
  if (isSensibleDay(value)) return startOfDay(time_zone, value);
  const day = TIME.exec(value)?.[1];
  return day !== undefined && isSensibleDay(day) ? new Date(value) : undefined;
}

/** A day, or the one that a time is on. */
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

/** Ten bare digits may mean three codes: whoever simulates can say which. */
function readNdc(value: unknown): string | undefined {
  const meant = typeof value === "string" ? normaliseNdc(value) : [];
  return meant.length === 1 ? meant[0] : undefined;
}

const LONGEST_SIG = 10_000;

/** Also none at all, or one too long for a label: both hold an order, which is worth trying. */
function readSig(value: unknown): string | undefined {
  const fits = typeof value === "string" && value.length <= LONGEST_SIG && !/[^\P{Cc}\t\n\r]|\p{Cs}/u.test(value);
  return fits ? value.trim() : undefined;
}

const MOST_UNITS = 100_000;
const MOST_DECIMALS = 3;

/** Also zero, which a pharmacist has to look at. */
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
