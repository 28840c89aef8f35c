// Receives webhooks and trusts none before it has verified it.
import { createServer } from "node:http";
import { verifyStandardWebhook, verifyWebhook } from "@pestle/sdk";

process.loadEnvFile();
const { WEBHOOK_URL = "", CLIENT_SECRET = "", WEBHOOK_SECRET = "", SIGNING_SECRET = "" } = process.env;

// In production this is a table with a unique key: the same event can come twice.
const seen = new Set<string>();

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  // The signatures cover these bytes, so verify before you parse.
  const rawBody = Buffer.concat(chunks);
  const { headers } = request;
  try {
    await verifyStandardWebhook({ rawBody, headers, signing_secret: SIGNING_SECRET });
    const event = await verifyWebhook({
      rawBody,
      headers,
      url: WEBHOOK_URL,
      client_secrets: [CLIENT_SECRET],
      webhook_secret: WEBHOOK_SECRET,
    });
    // Store the event here, then answer.
    const isNew = !seen.has(event.event_id);
    seen.add(event.event_id);
    response.writeHead(204).end();
    if (isNew && event.event_type === "ORDER_UPDATED") {
      console.log("verified", event.event_type, event.order_number, event.order_status);
    } else if (isNew) {
      console.log("verified", event.event_type);
    }
  } catch (error) {
    response.writeHead(401).end();
    console.log("refused:", (error as Error).message);
  }
});
server.listen(Number(new URL(WEBHOOK_URL).port), "127.0.0.1", () => console.log("listening at", WEBHOOK_URL));
