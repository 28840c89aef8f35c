import { type EventType, eventTypeNames, isEventType, sampleEvents } from "@pestle/contract";
import { WrongUsage } from "../errors.ts";
import { overridden } from "../override-fields.ts";
import type { CommandRow } from "../program.ts";
import type { JsonFields } from "../set-fields.ts";

export type SampleOptions = { patient?: string; order?: string; set?: string[] };
export const sampleOptions: NonNullable<CommandRow["options"]> = [
  ["--patient <patient_id>", "the patient (default: a made-up id)"],
  ["--order <order_number>", "the order (default: a made-up number)"],
  ["--set <field=value...>", "change any other field, such as medication_requests[0].refills_left=0"],
];
export const EVENT: NonNullable<CommandRow["argument"]> = [
  "event",
  `one of ${eventTypeNames.join(", ")}`,
  { words: eventTypeNames },
];

export function eventTypeOf(typed: string): EventType {
  const event_type = typed.toUpperCase();
  if (isEventType(event_type)) return event_type;
  throw new WrongUsage(`The event must be one of ${eventTypeNames.join(", ")}.`);
}

/** A sample event's own fields, with the changes that the options ask for. */
export function sampleOf(event_type: EventType, { patient, order, set = [] }: SampleOptions): JsonFields {
  const fields: JsonFields = { ...sampleEvents[event_type](new Date()) };
  for (const [name, value, option] of [
    ["patient_id", patient, "--patient"],
    ["order_number", order, "--order"],
  ] as const) {
    if (value === undefined) continue;
    if (!Object.hasOwn(fields, name)) throw new WrongUsage(`${option} does not apply to ${event_type}.`);
    fields[name] = value;
  }
  return overridden(fields, set);
}
