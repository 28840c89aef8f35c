import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

type Reply = { status: number; headers: [name: string, value: string][]; body: Buffer };
/** One request in flight, and what a bad network can do with it. */
type Passage = {
  forward(): Promise<Reply>;
  answer(reply: Reply): void;
  reset(): void;
  /** A random delay. */
  wait(): Promise<void>;
};

const LONGEST_WAIT_MS = 300;
/** Every second request passes without a fault. */
const FAULT_SHARE = 0.5;

/** Network faults, all equally likely. A request without an answer ends at the client's timeout. */
const faults = {
  request_dropped: async () => {},
  request_reset: async ({ reset }) => reset(),
  request_delayed: async ({ wait, forward, answer }) => {
    await wait();
    answer(await forward());
  },
  /** The client sees a broken connection, and its first request arrives after its retry. */
  request_late: async ({ reset, wait, forward }) => {
    reset();
    await wait();
    await forward();
  },
  request_doubled: async ({ forward, answer }) => {
    const both = [forward(), forward()];
    answer(await Promise.race(both));
    await Promise.all(both);
  },
  /** Both at once. The client gets the answer that finishes last. */
  request_doubled_answered_last: async ({ forward, answer }) => {
    let last: Reply | undefined;
    await Promise.all(
      [forward(), forward()].map(async (reply) => {
        last = await reply;
      }),
    );
    answer(last!);
  },
  request_again_later: async ({ forward, answer, wait }) => {
    answer(await forward());
    await wait();
    await forward();
  },
  answer_dropped: async ({ forward }) => void (await forward()),
  answer_reset: async ({ forward, reset }) => {
    await forward();
    reset();
  },
  answer_cut: async ({ forward, answer }) => {
    const reply = await forward();
    answer({ ...reply, body: reply.body.subarray(0, reply.body.length / 2) });
  },
  answer_delayed: async ({ forward, answer, wait }) => {
    const reply = await forward();
    await wait();
    answer(reply);
  },
} as const satisfies Record<string, (passage: Passage) => Promise<void>>;
export type Fault = keyof typeof faults;
export const faultNames = Object.keys(faults) as Fault[];

/** A loopback proxy that injects a fault into every other request. */
export async function startBadNetwork(target: string, random: () => number) {
  const met: Partial<Record<Fault, number>> = {};
  let requests = 0;
  let conflicts = 0;
  const under_way = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    requests++;
    const fault = random() < FAULT_SHARE ? faultNames[Math.floor(random() * faultNames.length)]! : undefined;
    if (fault !== undefined) met[fault] = (met[fault] ?? 0) + 1;
    const passing = pass(request, response, fault).catch(() => void request.socket.destroy());
    under_way.add(passing);
    void passing.finally(() => under_way.delete(passing));
  });

  async function pass(request: IncomingMessage, response: ServerResponse, fault: Fault | undefined): Promise<void> {
    const body = await buffer(request);
    const passage: Passage = {
      forward: () => forward(`${target}${request.url}`, request, body),
      answer({ status, headers, body: sent }) {
        const length = headers.find(([name]) => name === "content-length")?.[1];
        if (status === 409) conflicts++;
        response.writeHead(status, Object.fromEntries(headers));
        // Cut off: fewer bytes than content-length, then nothing.
        if (length !== undefined && Number(length) > sent.length) response.write(sent, () => request.socket.destroy());
        else response.end(sent);
      },
      reset: () => void request.socket.resetAndDestroy(),
      wait: () => delay(random() * LONGEST_WAIT_MS),
    };
    if (fault === undefined) passage.answer(await passage.forward());
    else await faults[fault](passage);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: () => ({ requests, conflicts, met }),
    /** Waits until all delayed requests have arrived. */
    async settle() {
      while (under_way.size > 0) await Promise.all(under_way);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const HOP_BY_HOP = new Set(["connection", "host", "keep-alive", "transfer-encoding", "content-length"]);

async function forward(url: string, request: IncomingMessage, body: Buffer): Promise<Reply> {
  const headers = Object.entries(request.headers).filter(([name]) => !HOP_BY_HOP.has(name)) as [string, string][];
  const init = { method: request.method ?? "GET", headers };
  const response = await fetch(url, body.length === 0 ? init : { ...init, body: new Uint8Array(body) });
  const text = Buffer.from(await response.arrayBuffer());
  const kept = [...response.headers].filter(([name]) => !HOP_BY_HOP.has(name) && name !== "content-encoding");
  return { status: response.status, headers: [...kept, ["content-length", String(text.length)]], body: text };
}
