import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { signingKey, verifyServiceSecret, verifyServiceSignature, verifyStandardSignature } from "@pestle/contract";

/** How an endpoint behaves. Each hostile one fails in its own way. */
export const hostility = {
  hangs: () => {},
  fails: (response: ServerResponse) => void response.writeHead(500).end(),
  resets: (response: ServerResponse) => void response.socket?.resetAndDestroy(),
} as const;
export type Behaviour = "well" | keyof typeof hostility;

/** What one endpoint received, for the check afterwards. */
export type Receiver = {
  url: string;
  behaviour: Behaviour;
  /** Set when the endpoint is registered. */
  signing_secret: string;
  /** The first arrival of each event, in order of arrival. */
  bodies: Map<string, string>;
  /** Events whose first attempt failed, as the service's record of its attempts says. */
  retried: Set<string>;
  /** Arrivals of events that had arrived before. */
  again: number;
  faults: string[];
  close(): Promise<void>;
};

export const WEBHOOK_SECRET = "what the partner chose";
const SLOWEST_ANSWER_MS = 30;

/** A loopback endpoint that verifies each request and records it. */
export async function openReceiver(
  behaviour: Behaviour,
  client_secret: string,
  random: () => number,
): Promise<Receiver> {
  const key = signingKey(client_secret);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    // A kill may stop the sender in the middle of a request.
    request.on("error", () => {});
    request.on("end", () => {
      if (behaviour !== "well") return hostility[behaviour](response);
      const header = (name: string) => String(request.headers[name]);
      const body = Buffer.concat(chunks).toString("latin1");
      const standard = {
        id: header("webhook-id"),
        timestamp: header("webhook-timestamp"),
        signature: header("webhook-signature"),
      };
      if (!verifyServiceSignature(key, "POST", receiver.url, body, header("x-service-signature"))) {
        receiver.faults.push("a signature does not verify");
      }
      if (!verifyServiceSecret(key, WEBHOOK_SECRET, header("x-service-secret"))) {
        receiver.faults.push("a secret does not verify");
      }
      if (!verifyStandardSignature(receiver.signing_secret, standard, body, Date.now() / 1000)) {
        receiver.faults.push("a Standard Webhooks signature does not verify");
      }
      const before = receiver.bodies.get(standard.id);
      if (before === undefined) receiver.bodies.set(standard.id, body);
      else {
        receiver.again += 1;
        if (before !== body) receiver.faults.push("an event arrived again with different bytes");
      }
      setTimeout(() => response.end(), random() * SLOWEST_ANSWER_MS);
      return undefined;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    behaviour,
    signing_secret: "",
    bodies: new Map(),
    retried: new Set(),
    again: 0,
    faults: [],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
