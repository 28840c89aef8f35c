// A minimal receiver that does everything a receiver must: verify, answer quickly, process each event once.
import { createServer } from "node:http";
import { createReceiver, nodeHandler, openInbox } from "@pestle/sdk/webhooks";

const { WEBHOOK_URL, CLIENT_SECRET, WEBHOOK_SECRET, SIGNING_SECRET, PORT = "3000", STATE } = process.env;
for (const name of ["CLIENT_SECRET", "WEBHOOK_SECRET"]) {
  if (process.env[name]) continue;
  // Without it the receiver could verify nothing and would reject every request.
  console.error(`${name} is not set: the README beside this file says where it comes from.`);
  process.exit(1);
}

/** What `pestle certify --state` reads: every event it has processed, and each order's newest and missing changes. */
const state = { events: [], orders: {} };

const inbox = openInbox({
  otherwise(event, { late, missing }) {
    state.events.push(event.event_id);
    if (event.sequence !== undefined) {
      const sequence = Math.max(state.orders[event.order_number]?.sequence ?? 0, event.sequence);
      state.orders[event.order_number] = { sequence, missing };
    }
    const about = event.order_number ?? event.patient_id ?? "";
    console.log([event.event_type, about, event.event_id, late ? "late" : ""].join(" ").trimEnd());
  },
  onTest: ({ event_type, event_id }) => console.log(`test ${event_type} ${event_id}`),
  onGap: ({ order_number, missing }) => console.log(`gap ${order_number} ${missing.join(",")}`),
});

const receive = createReceiver({
  url: WEBHOOK_URL ?? `http://127.0.0.1:${PORT}/hook`,
  client_secrets: CLIENT_SECRET.split(","),
  webhook_secret: WEBHOOK_SECRET,
  ...(SIGNING_SECRET && { signing_secret: SIGNING_SECRET }),
  inbox,
  onError: (error) => console.error(error),
});

const hook = nodeHandler(receive);
const server = createServer((request, response) =>
  STATE && request.url === "/state" ? response.end(JSON.stringify(state)) : hook(request, response),
);
server.listen(Number(PORT), "127.0.0.1", () => console.log(`listening ${server.address().port}`));
process.once("SIGTERM", () => server.close());
process.once("SIGINT", () => server.close());
