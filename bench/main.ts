import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { chosenRun, type RunOption } from "../scripts/chosen-run.ts";
import type { Report } from "./report.ts";
import type { Effort } from "./stage.ts";

type Bench = {
  about: string;
  minutes: number;
  options: Record<string, RunOption>;
  run(effort: Effort, sizes: number[]): Promise<Report>;
};

const effort: Record<string, RunOption> = {
  rounds: { about: "rounds of each measurement", initial: [3], least: 1 },
  seconds: { about: "length of a round", initial: [5], least: 1 },
};
const sizes = (initial: number[], about: string): RunOption => ({ about, initial, many: true });

const ORDER_BOOK_SIZES = [1_000, 100_000, 1_000_000];
const FINISHED_DELIVERIES = [0, 1_000_000];

// A bench loads its modules when it runs, so that help and mistakes are answered at once.
const benches: Record<string, Bench> = {
  intake: {
    about: "e-prescriptions a second compared with pgbench running the same statements, and the readers alone",
    minutes: 2,
    options: effort,
    run: async (effort) => (await import("./intake.ts")).benchIntake(effort),
  },
  orders: {
    about: "orders placed and read a second, in accounts of several sizes",
    minutes: 20,
    options: { ...effort, sizes: sizes(ORDER_BOOK_SIZES, "orders in each account, 0 or at least 1000") },
    run: async (effort, sizes) => (await import("./orders.ts")).benchOrders(effort, sizes),
  },
  safety: {
    about: "all safety checks of one order, and the load time and memory of the safety tables",
    minutes: 1,
    options: { rounds: effort["rounds"]! },
    run: async (effort) => (await import("./safety.ts")).benchSafety(effort),
  },
  token: {
    about: "tokens and authenticated reads a second, compared with the bare web framework and pgbench",
    minutes: 2,
    options: effort,
    run: async (effort) => (await import("./token.ts")).benchToken(effort),
  },
  webhooks: {
    about: "deliveries a second compared with undici alone, and the time from commit to first attempt",
    minutes: 6,
    options: {
      ...effort,
      sizes: sizes(FINISHED_DELIVERIES, "finished deliveries in the database, 0 or at least 1000"),
    },
    run: async (effort, sizes) => (await import("./webhooks.ts")).benchWebhooks(effort, sizes),
  },
};

const { run: bench, numbers } = chosenRun("bench", benches);
const [rounds = 0] = numbers["rounds"] ?? [];
const [seconds = 0] = numbers["seconds"] ?? [];
const asked = [...(numbers["sizes"] ?? [])];
if (asked.some((size) => size > 0 && size < 1_000)) {
  console.error("--sizes are 0 or from 1000.");
  process.exit(2);
}
// The bench measures the build that operators run, so the build must be current.
if (spawnSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" }).status !== 0) process.exit(1);
console.log(
  `${availableParallelism()} cores. Run nothing else meanwhile, or the figures are not reliable. About ${bench.minutes} minutes …\n`,
);
try {
  const { text, json, reached } = await bench.run({ rounds, round_ms: seconds * 1000 }, asked);
  console.log(`${text}\n\n${JSON.stringify(json)}`);
  process.exit(reached ? 0 : 1);
} catch (error) {
  console.error(`bench: ${(error as Error).message}`);
  process.exit(1);
}
