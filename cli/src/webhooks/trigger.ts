import { type PartnerOptions, partnerOptions } from "../accounts/partner-account.ts";
import { facts } from "../output.ts";
import { openPartnerApi } from "../partner-api.ts";
import type { CommandRow } from "../program.ts";
import { EVENT, eventTypeOf, type SampleOptions, sampleOf, sampleOptions } from "./sample-body.ts";

export const triggerCommand: CommandRow = {
  name: "trigger",
  summary: "send a sample event from a sandbox account; nothing else changes",
  argument: EVENT,
  options: [...sampleOptions, ...partnerOptions],
  examples: [
    "trigger RX_RECEIVED",
    "trigger ORDER_EXCEPTION --order 7K2M9XQ4TB --json",
    "trigger RX_RECEIVED --set medication_requests[0].refills_left=0 medication_requests[0].drug_schedule=4",
  ],
  async run(options: PartnerOptions & SampleOptions, event, env) {
    const event_type = eventTypeOf(event);
    const simulation = { event_type, ...sampleOf(event_type, options) };
    const api = await openPartnerApi(options, env);
    const body = { simulation_type: "event", simulation };
    const missing = "Only sandbox accounts can trigger events.";
    const { event_id } = await api.request<{ event_id: string }>("POST", "/simulate", { body, missing });
    return { data: { event_id, event_type }, text: facts({ event_type, event_id }) };
  },
};
