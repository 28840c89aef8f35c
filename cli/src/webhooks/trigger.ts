import { type EventType, eventTypeNames, isEventType, sampleEvents } from "@pestle/contract";
import { type PartnerOptions, partnerOptions } from "../accounts/partner-account.ts";
import { WrongUsage } from "../errors.ts";
import { facts } from "../output.ts";
import { openPartnerApi } from "../partner-api.ts";
import type { CommandRow } from "../program.ts";

type TriggerOptions = PartnerOptions & { patient?: string; order?: string };

export const triggerCommand: CommandRow = {
  name: "trigger",
  summary: "send a sample event from a sandbox account; nothing else changes",
  argument: ["event", `one of ${eventTypeNames.join(", ")}`, { words: eventTypeNames }],
  options: [
    ["--patient <patient_id>", "the patient (default: a made-up id)"],
    ["--order <order_number>", "the order (default: a made-up number)"],
    ...partnerOptions,
  ],
  examples: ["trigger RX_RECEIVED", "trigger ORDER_EXCEPTION --order 7K2M9XQ4TB --json"],
  async run({ patient, order, ...options }: TriggerOptions, event, env) {
    const event_type = event.toUpperCase();
    if (!isEventType(event_type)) throw new WrongUsage(`The event must be one of ${eventTypeNames.join(", ")}.`);
    const simulation = { event_type, ...sample(event_type, patient, order) };
    const api = await openPartnerApi(options, env);
    const body = { simulation_type: "event", simulation };
    const missing = "Only sandbox accounts can trigger events.";
    const { event_id } = await api.request<{ event_id: string }>("POST", "/simulate", { body, missing });
    return { data: { event_id, event_type }, text: facts({ event_type, event_id }) };
  },
};

function sample(event_type: EventType, patient_id: string | undefined, order_number: string | undefined) {
  const fields: Record<string, unknown> = { ...sampleEvents[event_type](new Date()) };
  for (const [name, value, option] of [
    ["patient_id", patient_id, "--patient"],
    ["order_number", order_number, "--order"],
  ] as const) {
    if (value === undefined) continue;
    if (!Object.hasOwn(fields, name)) throw new WrongUsage(`${option} does not apply to ${event_type}.`);
    fields[name] = value;
  }
  return fields;
}
