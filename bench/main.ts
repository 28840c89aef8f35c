import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { benchIntake } from "./intake.ts";
import { benchOrders, ORDER_BOOK_SIZES } from "./orders.ts";
import type { Report } from "./report.ts";
import type { Effort } from "./stage.ts";
import { benchToken } from "./token.ts";
import { benchWebhooks, FINISHED_DELIVERIES } from "./webhooks.ts";

type Bench = {
  about: string;
  minutes: number;
  sizes?: number[];
  run(effort: Effort, sizes: number[]): Promise<Report>;
};

const benches: Record<string, Bench> = {
  intake: {
    about: "e-prescriptions a second, beside pgbench with the same statements, and the readers alone",
    minutes: 2,
    run: benchIntake,
  },
  orders: {
    about: `orders placed and read a second in accounts with ${ORDER_BOOK_SIZES.join(", ")} orders (--sizes)`,
    minutes: 20,
    sizes: ORDER_BOOK_SIZES,
    run: benchOrders,
  },
  token: {
    about: "tokens and authenticated reads a second, beside the bare web framework and pgbench",
    minutes: 2,
    run: benchToken,
  },
  webhooks: {
    about: `deliveries a second beside undici alone, and commit to first attempt, with ${FINISHED_DELIVERIES.join(" and ")} finished (--sizes)`,
    minutes: 6,
    sizes: FINISHED_DELIVERIES,
    run: benchWebhooks,
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "5" },
    sizes: { type: "string" },
  },
});
const [name = ""] = positionals;
const effort = { rounds: Number(values.rounds), round_ms: Number(values.seconds) * 1000 };
const bench = Object.entries(benches).find(([known]) => known === name)?.[1];
const sizes = values.sizes?.split(",").map(Number) ?? bench?.sizes ?? [];
const sensible = effort.rounds >= 1 && effort.round_ms >= 1000 && sizes.every((size) => size === 0 || size >= 1_000);
if (bench === undefined || !sensible) {
  console.log("npm run bench NAME [-- --rounds N --seconds N --sizes N,N]");
  for (const [known, { about }] of Object.entries(benches)) console.log(`  ${known.padEnd(10)} ${about}`);
  process.exit(name === "" ? 0 : 1);
}
// What is measured is what an operator runs, so it must not be stale.
if (spawnSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" }).status !== 0) process.exit(1);
console.log(
  `${availableParallelism()} cores. Nothing else may run meanwhile, or the figures mean little. ${bench.minutes} minutes …\n`,
);
try {
  const { text, json, reached } = await bench.run(effort, sizes);
  console.log(`${text}\n\n${JSON.stringify(json)}`);
  process.exit(reached ? 0 : 1);
} catch (error) {
  console.error(`bench: ${(error as Error).message}`);
  process.exit(1);
}
