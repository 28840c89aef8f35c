import { randomUUID } from "node:crypto";
import { eventTypeNames, eventTypes } from "@pestle/contract";
import { table } from "../output.ts";
import type { CommandRow } from "../program.ts";
import { EVENT, eventTypeOf, type SampleOptions, sampleOf, sampleOptions } from "./sample-body.ts";

/** Bodies of webhooks for a partner's own tests. They need no service and no account. */
export const fixtureCommands: readonly CommandRow[] = [
  {
    name: "fixtures list",
    lists: "event types",
    summary: "list the events that `pestle fixtures show` and `pestle trigger` can make",
    examples: ["fixtures list", "fixtures list --json"],
    async run() {
      const data = eventTypeNames.map((event_type) => ({ event_type, sent_when: eventTypes[event_type].sent_when }));
      const rows = data.map(({ event_type, sent_when }) => [event_type, sent_when]);
      return { data, text: table(["event", "sent when"], rows) };
    },
  },
  {
    name: "fixtures show",
    summary: "print the body of a sample webhook, for your own tests; nothing is sent",
    argument: EVENT,
    options: sampleOptions,
    examples: [
      "fixtures show ORDER_EXCEPTION",
      "pestle fixtures show RX_RECEIVED --patient ay87nt --set medication_requests[0].refills_left=0 > rx.json",
    ],
    async run(options: SampleOptions, event) {
      const event_type = eventTypeOf(event);
      const timestamp = Math.floor(Date.now() / 1000);
      const data = { event_id: randomUUID(), event_type, timestamp, ...sampleOf(event_type, options) };
      return { data, text: JSON.stringify(data, null, 2) };
    },
  },
];
