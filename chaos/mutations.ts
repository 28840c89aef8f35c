import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { insist } from "./ask.ts";
import { deliver, intakeToken } from "./client.ts";
import { newDataFolder } from "./data-folder.ts";
import { mutated, withOwnId } from "./mutated.ts";
import type { MutationTally, MutationWork } from "./mutation-worker.ts";
import { connectToPostgres } from "./postmaster.ts";
import { type From, killServer, removeDataDir, startServer, stopServer } from "./server-process.ts";
import { until } from "./until.ts";

export type Mutations = { first: number; count: number };

/** A worker thread does not inherit this thread's TypeScript loader. */
const BEGIN = `import("tsx/esm/api").then(({ register }) => {
  register();
  return import(${JSON.stringify(new URL("./mutation-worker.ts", import.meta.url).href)});
});`;
const HANGS_AFTER_MS = 60_000;
const LOOK_EVERY_MS = 250;

/** Reads damaged messages in worker threads, which the campaign can stop when a read never ends. */
export async function readMutations({ first, count }: Mutations): Promise<MutationTally & { hangs: number[] }> {
  const step = Math.min(availableParallelism(), count);
  const hangs: number[] = [];
  const tallies = await Promise.all(
    Array.from({ length: step }, (_, worker) =>
      readInThread({ first: first + worker, end: first + count, step }, hangs),
    ),
  );
  const outcomes: Record<string, number> = {};
  for (const [outcome, times] of tallies.flatMap((tally) => Object.entries(tally.outcomes))) {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + times;
  }
  const [slowest] = tallies.map((tally) => tally.slowest).sort((a, b) => b.took_ms - a.took_ms);
  return { outcomes, crashes: tallies.flatMap(({ crashes }) => crashes), slowest: slowest!, hangs };
}

function readInThread(work: Omit<MutationWork, "current">, hangs: number[]): Promise<MutationTally> {
  const current = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(BEGIN, { eval: true, execArgv: ["--conditions=source"], workerData: { ...work, current } });
  return new Promise((resolve, reject) => {
    let [seen, since_ms] = [-1, Date.now()];
    const watch = setInterval(() => {
      const seed = Atomics.load(current, 0);
      if (seed !== seen) [seen, since_ms] = [seed, Date.now()];
      else if (Date.now() - since_ms > HANGS_AFTER_MS) {
        // This thread's counts are lost with it. The campaign has failed anyway.
        hangs.push(seed);
        worker.terminate();
        resolve({ outcomes: {}, crashes: [], slowest: { seed, took_ms: HANGS_AFTER_MS } });
      }
    }, LOOK_EVERY_MS);
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => clearInterval(watch));
  });
}

const SENDERS = 8;
const ANSWER_DEADLINE_MS = 60_000;
const DONE_WITHIN_MS = 60_000;
/** A crashed reader, and a message that the service could not process: no client should get these answers. */
const OUR_FAULT = /<DescriptionCode>007<|<Code>000</;

/** Sends damaged messages to a service started for this purpose and counts the answers. */
export async function sendMutations(
  { first, count }: Mutations,
  from: From,
): Promise<{ statuses: Record<number, number>; unexpected: string[] }> {
  const data_dir = await newDataFolder("mutations", from);
  const server = await startServer({ data_dir, from });
  const statuses: Record<number, number> = {};
  const unexpected: string[] = [];
  try {
    const token = await intakeToken(server.demo);
    let next = first;
    const sending = async () => {
      while (next < first + count) {
        const seed = next++;
        const message = mutated(seed);
        const body = withOwnId(seed, message);
        const reply = await insist(() => deliver(server.demo, token, message.format, body), ANSWER_DEADLINE_MS);
        statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
        if (![200, 400].includes(reply.status) || OUR_FAULT.test(reply.text)) {
          unexpected.push(`message ${seed} (${message.format}) got ${reply.status}`);
        }
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, sending));
    await checkNothingWaits(data_dir).catch((error: Error) => unexpected.push(error.message));
    const { code } = await stopServer(server);
    if (code !== 0) unexpected.push(`the service exited with ${code}: ${server.errors().trim()}`);
    return { statuses, unexpected };
  } finally {
    await killServer(server);
    await removeDataDir(data_dir);
  }
}

async function checkNothingWaits(data_dir: string): Promise<void> {
  const client = await connectToPostgres(data_dir);
  const text = "select count(*)::int as waiting from intake_message where state = 'received'";
  const nothing = async () => (await client.query<{ waiting: number }>(text)).rows[0]!.waiting === 0;
  await until("every stored message is processed", nothing, { deadline_ms: DONE_WITHIN_MS }).finally(() =>
    client.end(),
  );
}
