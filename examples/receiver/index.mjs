// A minimal receiver that does everything a receiver must: verify, answer quickly, process each event once.
import { createServer } from "node:http";
import { createReceiver, nodeHandler, openInbox } from "@pestle/sdk/webhooks";

const { WEBHOOK_URL, CLIENT_SECRET, WEBHOOK_SECRET, SIGNING_SECRET, PORT = "3000" } = process.env;
for (const name of ["CLIENT_SECRET", "WEBHOOK_SECRET"]) {
  if (process.env[name]) continue;
  // Without it the receiver could verify nothing and would reject every request.
  console.error(`${name} is not set: the README beside this file says where it comes from.`);
  process.exit(1);
}

const inbox = openInbox({
  otherwise(event, { late }) {
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

const server = createServer(nodeHandler(receive));
server.listen(Number(PORT), "127.0.0.1", () => console.log(`listening ${server.address().port}`));
process.once("SIGTERM", () => server.close());
process.once("SIGINT", () => server.close());
