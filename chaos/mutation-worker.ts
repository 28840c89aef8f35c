import { parentPort, workerData } from "node:worker_threads";
import { readFhir } from "../server/src/formats/fhir/read.ts";
import { readScript } from "../server/src/formats/script/read.ts";
import { mutated } from "./mutated.ts";

/** Every `step`th message from `first` to before `end`. `current` is the message being read. */
export type MutationWork = { first: number; end: number; step: number; current: Int32Array };
export type MutationTally = {
  /** How many messages were read, or rejected by code. */
  outcomes: Record<string, number>;
  crashes: { seed: number; fault: string }[];
  slowest: { seed: number; took_ms: number };
};

const TRIES = 3;
/** A slow message is read again, because the machine may have been busy. */
const DOUBTFUL_MS = 50;

const { first, end, step, current } = workerData as MutationWork;
const tally: MutationTally = { outcomes: {}, crashes: [], slowest: { seed: first, took_ms: 0 } };
for (let seed = first; seed < end; seed += step) {
  Atomics.store(current, 0, seed);
  const { format, body } = mutated(seed);
  const read = () => (format === "fhir" ? readFhir(body, null) : readScript(body));
  try {
    let took_ms = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES && took_ms > DOUBTFUL_MS; tries++) {
      const begin_ms = performance.now();
      const result = read();
      took_ms = Math.min(took_ms, performance.now() - begin_ms);
      if (tries > 0) continue;
      const outcome = `${format} ${result.ok ? `read, ${result.message.content.kind}` : result.refusal.description_code}`;
      tally.outcomes[outcome] = (tally.outcomes[outcome] ?? 0) + 1;
    }
    if (took_ms > tally.slowest.took_ms) tally.slowest = { seed, took_ms };
  } catch (error) {
    tally.crashes.push({ seed, fault: (error as Error).name });
  }
}
parentPort!.postMessage(tally);
