import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export type NetworkFault = "reset" | "half_open" | "delay" | "partition" | "truncated";
export const networkFaults: readonly NetworkFault[] = ["reset", "half_open", "delay", "partition", "truncated"];
/** A connection between two programs that runs through this process, which can injure it. */
export type Wire = {
  /** Where the caller connects to. 0 for a Unix socket. */
  port: number;
  /** Connections that are open now. */
  connections(): number;
  /** Injures all connections, and returns when new ones work again. Returns how many it hit. */
  injure(fault: NetworkFault, random: () => number): Promise<number>;
  close(): Promise<void>;
};
/** One connection: the caller's side and the far side. */
type Pair = {
  near: Socket;
  far: Socket;
  /** What one side sent and the other has not got yet. */
  held: { to: Socket; chunk: Buffer; due_ms: number }[];
  state: "well" | "silent" | "dead" | "cut";
};

const LONGEST_PARTITION_MS = 4_000;
const LONGEST_DELAY_MS = 800;
const DELAYED_FOR_MS = 2_000;
const CUT_WITHIN_MS = 1_000;
const TURN_MS = 5;

/** Opens a wire on a free loopback port, or on a Unix socket. */
export async function openWire(target: NetConnectOpts, path?: string): Promise<Wire> {
  const pairs = new Set<Pair>();
  let [delay_ms, is_parted] = [0, false];

  const pass = (pair: Pair, to: Socket, chunk: Buffer) => {
    if (pair.state === "dead") return;
    if (pair.state === "cut" && to === pair.near) {
      // Half of an answer, and then the connection breaks.
      pair.near.write(chunk.subarray(0, chunk.length >> 1), () => breakOff(pair));
      pair.state = "dead";
      return;
    }
    if (pair.state === "well" && delay_ms === 0 && pair.held.length === 0) return void to.write(chunk);
    pair.held.push({ to, chunk, due_ms: performance.now() + delay_ms });
  };
  const server = createServer((near) => {
    const far = connect(target);
    const pair: Pair = { near, far, held: [], state: is_parted ? "silent" : "well" };
    pairs.add(pair);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.setNoDelay(true);
      socket.on("data", (chunk: Buffer) => pass(pair, other, chunk));
      socket.on("error", () => {});
      socket.on("close", () => {
        if (socket === near) pairs.delete(pair);
        // The caller of a dead connection learns nothing of its end.
        if (socket === near || pair.state !== "dead") other.destroy();
      });
    }
  });
  // Sends what was held back, in its order.
  const turn = setInterval(() => {
    const now = performance.now();
    for (const pair of pairs) {
      if (pair.state !== "well") continue;
      while (pair.held.length > 0 && pair.held[0]!.due_ms <= now) {
        const { to, chunk } = pair.held.shift()!;
        to.write(chunk);
      }
    }
  }, TURN_MS);
  const faults: Record<NetworkFault, (random: () => number) => Promise<void>> = {
    async reset() {
      for (const pair of pairs) breakOff(pair);
    },
    /** The far side is gone, and nothing says so. New connections work. */
    async half_open() {
      for (const pair of pairs) {
        pair.state = "dead";
        pair.far.destroy();
      }
    },
    async delay(random) {
      delay_ms = random() * LONGEST_DELAY_MS;
      await delay(DELAYED_FOR_MS);
      delay_ms = 0;
    },
    /** Nothing gets through, old connections and new ones. Then everything does, as after a repeated packet. */
    async partition(random) {
      is_parted = true;
      for (const pair of pairs) if (pair.state === "well") pair.state = "silent";
      await delay(random() * LONGEST_PARTITION_MS);
      is_parted = false;
      for (const pair of pairs) if (pair.state === "silent") pair.state = "well";
    },
    async truncated() {
      const hit = [...pairs].filter(({ state }) => state === "well");
      for (const pair of hit) pair.state = "cut";
      await delay(CUT_WITHIN_MS);
      for (const pair of hit) if (pair.state === "cut") pair.state = "well";
    },
  };
  await new Promise<void>((resolve) => {
    if (path === undefined) server.listen(0, "127.0.0.1", resolve);
    else server.listen(path, resolve);
  });
  return {
    port: path === undefined ? (server.address() as AddressInfo).port : 0,
    connections: () => pairs.size,
    async injure(fault, random) {
      const hit = pairs.size;
      await faults[fault](random);
      return hit;
    },
    async close() {
      clearInterval(turn);
      for (const { near, far } of pairs) for (const socket of [near, far]) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Resets both sides. A Unix socket cannot be reset. */
function breakOff({ near, far }: Pair): void {
  for (const socket of [near, far]) {
    if (socket.remoteAddress === undefined) socket.destroy();
    else socket.resetAndDestroy();
  }
}
