import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ask, type Reply } from "../ask.ts";
import { partnerToken, read } from "../client.ts";
import type { ServerPair } from "../server-pair.ts";
import { until } from "../until.ts";
import { openSwitch } from "./switch.ts";

export type RollingTally = {
  restarts: number;
  reads: number;
  events: number;
  p50_ms: number;
  p99_ms: number;
  slowest_ms: number;
  faults: string[];
};

const READERS = 3;
/** With the pair behind the switch, each process drains for longer than the switch takes to notice. */
export const DRAIN = { DRAIN_SECONDS: "1" };

/**
 * Restarts one process after the other while clients use both through a load balancer. No request may fail, and each event
 * that the service acknowledged must arrive once. The partner's limits must be high.
 */
export async function rollingRestarts(
  pair: ServerPair,
  { restarts, onRestart = () => {} }: { restarts: number; onRestart?: (done: number) => void },
): Promise<RollingTally> {
  const balancer = await openSwitch(() => pair.sites().map((site) => site?.base_url));
  const demo = { ...pair.sites()[0]!, base_url: balancer.base_url };
  const token = await partnerToken(demo);
  const receiver = await openReceiver();
  const faults: string[] = [];
  const times_ms: number[] = [];
  const sent: string[] = [];
  let reads = 0;
  let over = false;
  const timed = async (what: string, status: number, call: () => Promise<Reply | undefined>) => {
    const begin_ms = performance.now();
    const reply = await call();
    times_ms.push(performance.now() - begin_ms);
    if (reply?.status !== status) faults.push(`${what}: ${reply?.status ?? "no answer"}`);
    return reply?.status === status ? reply : undefined;
  };
  const post = (path: string, key: string, body: unknown) =>
    ask(`${demo.base_url}${path}`, {
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        authorization: `Bearer ${token}`,
        "idempotency-key": key,
      },
      body: JSON.stringify(body),
    });
  const added = await timed("POST /webhook_endpoints", 201, () =>
    post("/webhook_endpoints", `rolling-${Date.now()}`, { url: receiver.url, secret: "sesame" }),
  );
  const { id } = JSON.parse(added?.text ?? "{}") as { id: string };
  const reader = async () => {
    while (!over) if (await timed("GET /shipping_methods", 200, () => read(demo, token))) reads++;
  };
  const writer = async () => {
    for (let number = 1; !over; number++) {
      const key = `rolling-${Date.now()}-${number}`;
      const path = `/webhook_endpoints/${id}/test`;
      const made = await timed("POST /webhook_endpoints/…/test", 202, () => post(path, key, {}));
      if (made !== undefined) sent.push((JSON.parse(made.text) as { event_id: string }).event_id);
    }
  };
  const clients = Promise.all([...Array.from({ length: READERS }, reader), writer()]);
  for (let done = 0; done < restarts; done++) {
    const which = done % 2;
    await pair.restart(which);
    await until("both processes take requests", () => balancer.ready() === 2);
    onRestart(done + 1);
  }
  over = true;
  await clients;
  await until("every event has arrived", () => sent.every((event_id) => receiver.arrivals.has(event_id))).catch(
    (error: Error) => faults.push(error.message),
  );
  for (const [event_id, times] of receiver.arrivals)
    if (times > 1) faults.push(`event ${event_id} arrived ${times} times`);
  faults.push(...pair.fallen());
  await balancer.close();
  await receiver.close();
  const sorted = times_ms.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { restarts, reads, events: sent.length, p50_ms: at(0.5), p99_ms: at(0.99), slowest_ms: at(1), faults };
}

/** Counts the arrivals of each event. */
async function openReceiver() {
  const arrivals = new Map<string, number>();
  const server = createServer((request, response) => {
    const event_id = String(request.headers["webhook-id"]);
    arrivals.set(event_id, (arrivals.get(event_id) ?? 0) + 1);
    request.resume().on("end", () => response.end("ok"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    arrivals,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
