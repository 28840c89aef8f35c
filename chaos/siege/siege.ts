import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { startChild } from "../../bench/child.ts";
import type { Load, Measured } from "../../bench/load.ts";
import type { Demo } from "../../server/src/seed/demo-file.ts";
import { ask, insist } from "../ask.ts";
import { type Client, issue, tokenOf } from "../client.ts";
import { newDataFolder } from "../data-folder.ts";
import { type From, killServer, removeDataDir, startServer } from "../server-process.ts";
import { addCredentials, addPartner } from "./add-partner.ts";
import { type AttackName, type AttackTally, startAttack, type Target } from "./attacks.ts";

/** How much a siege may take. The defaults are those of the commands; a test uses less. */
export type SiegeSize = {
  from: From;
  /** The part of each attack's full strength. */
  strength: number;
  /** Simulated events in the sandbox before the start, for the largest pages. */
  events: number;
  /** Credentials of a production partner that floods. Another production partner, with an empty account, is measured. */
  flooders?: number;
};

export type Victim = Pick<Measured, "count" | "p50_ms" | "p99_ms" | "not_ok">;
type Where = "service" | "bare";
export type Siege = {
  /** What a production partner sees meanwhile. */
  measure(duration_ms: number): Promise<Victim>;
  /** Attacks until `work` ends. The bare server takes the same requests and does nothing with them. */
  attack<Result>(
    where: Where,
    names: readonly AttackName[],
    work: () => Promise<Result>,
  ): Promise<{ result: Result; attacks: Record<string, AttackTally> }>;
  /** Resident bytes of the service's processes, without the database's. */
  memory(): Promise<number>;
};

/** Half of a production credential's rate limit. */
const PROBES_PER_SECOND = 50;
const PROBE_CONNECTIONS = 8;
const DEADLINE_MS = 120_000;
/** A production partner who waits longer than this has no answer. */
const PATIENCE_MS = 60_000;

/** Runs the service and, beside it, a bare server. Only this machine talks to them. */
export async function underSiege<Result>(size: SiegeSize, work: (siege: Siege) => Promise<Result>): Promise<Result> {
  const closers: (() => unknown)[] = [];
  try {
    const data_dir = await newDataFolder("siege", size.from);
    closers.unshift(() => removeDataDir(data_dir));
    // As in production: without this setting, the demo shares its process.
    const env = { SANDBOX_PROCESS: "separate" };
    const server = await startServer({ data_dir, from: size.from, args: ["--demo"], env });
    closers.unshift(() => killServer(server));
    const bare = startChild("./bare-route.ts");
    closers.unshift(bare.end);
    let prober = startChild("./load.ts");
    closers.unshift(() => prober.end());
    const { demo } = server;
    const anything = { path: "*", status: 200, body: "{}" };
    const { url } = (await bare.ask([
      { method: "GET", ...anything },
      { method: "POST", ...anything },
    ])) as { url: string };
    const demo_partner = demo.partners[2]!;
    const { flooders = 0 } = size;
    const place = { data_dir, from: size.from };
    const flooding = await addCredentials(place, demo_partner.account_id, flooders);
    const service = await targetOf(demo, flooding);
    const targets: Record<Where, Target> = {
      service,
      bare: { ...service, base_url: url, auth_url: url, sandbox_auth_url: url },
    };
    await fillSandbox(demo, targets.service.sandbox_tokens[0]!, size.events);
    const load = await probes(demo, flooders > 0 ? await addPartner(place) : demo_partner);
    return await work({
      async measure(duration_ms) {
        const asked: Load = { ...load, duration_ms };
        const over = new AbortController();
        const late = delay(duration_ms + PATIENCE_MS, "late" as const, over).catch(() => "late" as const);
        const answer = await Promise.race([
          prober.ask(asked).catch((error: Error) => ({ failed: error.message })),
          late.then(() => ({ failed: "no answer" })),
        ]);
        over.abort();
        if (!("measured" in answer)) {
          prober.end();
          prober = startChild("./load.ts");
          return {
            count: 0,
            p50_ms: Number.POSITIVE_INFINITY,
            p99_ms: Number.POSITIVE_INFINITY,
            not_ok: [String(answer.failed)],
          };
        }
        const { count, p50_ms, p99_ms, not_ok } = answer["measured"] as Measured;
        return { count, p50_ms, p99_ms, not_ok };
      },
      async attack(where, names, during) {
        const running = names.map((name) => [name, startAttack(name, targets[where], size.strength)] as const);
        try {
          const result = await during();
          const stopped = await Promise.all(running.map(async ([name, one]) => [name, await one.stop()] as const));
          return { result, attacks: Object.fromEntries(stopped) };
        } finally {
          for (const [, one] of running) await one.stop();
        }
      },
      memory: () => residentBytes(server.pid),
    });
  } finally {
    for (const close of closers) await close();
  }
}

async function tokenFor(demo: Demo, client: Client): Promise<string> {
  const reply = await insist(() => issue(demo, client), DEADLINE_MS);
  if (reply.status !== 200) throw new Error(`the service rejected the demo's credentials with ${reply.status}`);
  return tokenOf(reply);
}

async function targetOf(demo: Demo, flooding: readonly Client[]): Promise<Target> {
  const { base_url, auth_url, sandbox_auth_url, partners } = demo;
  const tokens = (clients: readonly Client[]) => Promise.all(clients.map((client) => tokenFor(demo, client)));
  const sandbox_tokens = await tokens([partners[0]!, partners[1]!]);
  const { account_id } = partners[0]!;
  const flooder_tokens = await tokens(flooding);
  return { base_url, auth_url, sandbox_auth_url, account_id, sandbox_tokens, flooder_tokens };
}

/** Reads that a production partner makes all day, with and without a statement. */
async function probes(demo: Demo, client: Client): Promise<Omit<Load, "duration_ms">> {
  const token = await tokenFor(demo, client);
  const requests = ["/v1/orders", "/v1/products", "/v1/webhook_events", "/v1/shipping_methods"].map(
    (path) =>
      `GET ${path} HTTP/1.1\r\nhost: ${new URL(demo.base_url).host}\r\naccept: application/json\r\n` +
      `authorization: Bearer ${token}\r\n\r\n`,
  );
  return { url: demo.base_url, requests, connections: PROBE_CONNECTIONS, due_per_second: PROBES_PER_SECOND };
}

async function fillSandbox(demo: Demo, token: string, events: number): Promise<void> {
  const body = JSON.stringify({
    simulation_type: "event",
    simulation: { event_type: "RX_RECEIVED", medication_requests: [{ note: "n".repeat(16 * 1024) }] },
  });
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    authorization: `Bearer ${token}`,
  };
  for (let made = 0; made < events; made++) {
    const reply = await insist(() => ask(`${demo.base_url}/simulate`, { method: "POST", headers, body }), DEADLINE_MS);
    if (reply.status > 299) throw new Error(`an event for the sandbox: ${reply.status} ${reply.text}`);
  }
}

/** From the system, because a service in trouble may not answer. With the sandbox's process, which is its child. */
async function residentBytes(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,rss=,args="]);
  let sum = 0;
  for (const line of stdout.split("\n")) {
    const [one, parent, kib, ...args] = line.trim().split(/\s+/);
    const own = Number(one) === pid || (Number(parent) === pid && args.some((arg) => arg.includes("sandbox-process")));
    if (own) sum += Number(kib) * 1024;
  }
  return sum;
}

/**
 * Returns a function that tells which part of all processor time since then other machines on the same host took. Null where
 * the system does not count it.
 */
export function stolenSince(): () => number | null {
  const before = processorTime();
  return () => {
    const now = processorTime();
    if (before === null || now === null || now.all <= before.all) return null;
    return (now.stolen - before.stolen) / (now.all - before.all);
  };
}

/** The first line of Linux's counters: user, nice, system, idle, iowait, irq, softirq, steal. */
function processorTime(): { all: number; stolen: number } | null {
  if (!existsSync("/proc/stat")) return null;
  const ticks = readFileSync("/proc/stat", "utf8").split("\n")[0]!.split(/\s+/).slice(1, 9).map(Number);
  return { all: ticks.reduce((sum, one) => sum + one, 0), stolen: ticks[7] ?? 0 };
}

/** Reads a value at an interval until `work` ends. */
export async function sampled<Result>(
  every_ms: number,
  look: () => Promise<number>,
  work: () => Promise<Result>,
): Promise<{ result: Result; samples: number[] }> {
  const samples: number[] = [];
  let working = true;
  const looking = (async () => {
    while (working) {
      samples.push(await look());
      await delay(every_ms);
    }
  })();
  try {
    return { result: await work(), samples };
  } finally {
    working = false;
    await looking;
  }
}

/** Growth over the last two thirds of the samples, by a straight line through them, as a part of their mean. */
export function growth(samples: readonly number[]): number {
  const last = samples.slice(Math.floor(samples.length / 3));
  const mean = last.reduce((sum, one) => sum + one, 0) / last.length;
  const middle = (last.length - 1) / 2;
  let [up, along] = [0, 0];
  for (const [index, one] of last.entries()) {
    up += (index - middle) * (one - mean);
    along += (index - middle) ** 2;
  }
  return along === 0 ? 0 : ((up / along) * (last.length - 1)) / mean;
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
