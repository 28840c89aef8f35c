import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { chosenRun, type NumberOption, type RunOption, type TextOption } from "../scripts/chosen-run.ts";
import type { Report } from "./figures.ts";
import { OPERATION_KEYS } from "./operations/operation-keys.ts";
import type { Effort } from "./stage.ts";

type Asked = {
  numbers: Readonly<Record<string, readonly number[]>>;
  texts: Readonly<Record<string, readonly string[]>>;
};
type Bench = {
  about: string;
  minutes: number;
  options: Record<string, RunOption>;
  files?: readonly string[];
  run(effort: Effort, asked: Asked & { files: readonly string[] }): Promise<Report>;
};

const rounds = (initial: number): NumberOption => ({
  about: "rounds of each measurement",
  initial: [initial],
  least: 1,
});
const seconds = (initial: number): NumberOption => ({ about: "length of a round", initial: [initial], least: 1 });
const warm: NumberOption = { about: "seconds of load before the first round", initial: [5], least: 1 };
const service: TextOption = {
  about: "checkouts whose built service to measure in turn, the newest first",
  text: ".",
  many: true,
};
const json: RunOption = { about: "print one JSON document, for compare", flag: true };
// A bench loads its modules when it runs, so that help and mistakes are answered at once.
const benches: Record<string, Bench> = {
  operations: {
    about: "every operation: processor time of service and PostgreSQL, rate, latency, ratio to a ceiling",
    minutes: 12,
    options: {
      rounds: rounds(5),
      seconds: seconds(3),
      warm,
      sizes: {
        about: "orders in the account, one database each, at least 1000",
        initial: [1_000],
        least: 1_000,
        many: true,
      },
      service,
      only: { about: `some of ${OPERATION_KEYS.join(", ")}`, text: "", many: true, valid: OPERATION_KEYS },
      profile: { about: "a folder for a processor profile of the service (node --cpu-prof)", text: "" },
      collector: { about: "an OpenTelemetry collector: the service traces every request and sends it there", text: "" },
      json,
    },
    run: async (effort, { numbers, texts }) =>
      (await import("./operations/operations.ts")).benchOperations(effort, {
        services: texts["service"]!,
        sizes: numbers["sizes"]!,
        only: texts["only"]!,
        profile: texts["profile"]![0],
        env: { OTEL_EXPORTER_OTLP_ENDPOINT: texts["collector"]![0] ?? "" },
      }),
  },
  fresh: {
    about: "orders in a new database that was never analyzed: its slowest five seconds compared with the median",
    minutes: 4,
    options: { rounds: rounds(1), seconds: seconds(150), warm, service, json },
    run: async (effort, { texts }) => (await import("./fresh.ts")).benchFresh(effort, { services: texts["service"]! }),
  },
  processes: {
    about: "two processes on one database compared with one, each held to 40 % of a core (Linux, as root)",
    minutes: 8,
    options: { rounds: rounds(3), seconds: seconds(3), warm, json },
    run: async (effort) => (await import("./processes.ts")).benchProcesses(effort),
  },
  sizing: {
    about: "what 1,000 orders and 1,000 prescriptions cost: processor time, bytes, connections, memory",
    minutes: 3,
    options: { rounds: rounds(3), seconds: seconds(10), warm, json },
    run: async (effort) => (await import("./sizing.ts")).benchSizing(effort),
  },
  safety: {
    about: "all safety checks of one order, and the load time and memory of the safety tables",
    minutes: 1,
    options: { rounds: rounds(3), json },
    run: async (effort) => (await import("./safety/safety.ts")).benchSafety(effort),
  },
  web: {
    about: "Lighthouse on home, queue, order, portal home and docs, in an account with many orders",
    minutes: 8,
    options: {
      rounds: rounds(3),
      orders: { about: "delivered orders in the account, four of each patient", initial: [100_000], least: 4 },
      json,
    },
    run: async (effort, { numbers }) =>
      (await import("./web/web.ts")).benchWeb(effort, { orders: numbers["orders"]![0]! }),
  },
  screens: {
    about: "every screen in an account with many orders: size of the first load, time to content, longest task",
    minutes: 5,
    options: {
      orders: { about: "orders in the account, one of ten open", initial: [100_000], least: 10 },
      patients: { about: "patients of the orders", initial: [10_000], least: 1 },
      json,
    },
    run: async (_, { numbers }) =>
      (await import("./web/screens.ts")).benchScreens({
        orders: numbers["orders"]![0]!,
        patients: numbers["patients"]![0]!,
      }),
  },
  compare: {
    about: "two documents of --json side by side, or one with two services, and the ratio of each figure",
    minutes: 0,
    options: { json },
    files: ["A", "B"],
    run: async (_, { files }) => (await import("./compare.ts")).compareRuns(files),
  },
};

const { run: bench, flags, files, ...asked } = chosenRun("bench", benches);
const [count = 0] = asked.numbers["rounds"] ?? [];
const [round_s = 0] = asked.numbers["seconds"] ?? [];
const [warm_s = 0] = asked.numbers["warm"] ?? [];
if (bench.minutes > 0) {
  // The bench measures the build that operators run, so the build must be current. Standard output is the report's.
  for (const path of asked.texts["service"] ?? ["."]) {
    const built = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: resolve(path), stdio: ["ignore", 2, 2] });
    if (built.status !== 0) process.exit(1);
  }
  console.error(
    `${availableParallelism()} cores. Run nothing else meanwhile, or the rates are not reliable. About ${bench.minutes} minutes …\n`,
  );
}
try {
  const effort = { rounds: count, round_ms: round_s * 1000, warm_up_ms: warm_s * 1000 };
  const report = await bench.run(effort, { ...asked, files });
  console.log(flags["json"] ? JSON.stringify(report.json, null, 2) : report.text);
  process.exit(report.reached ? 0 : 1);
} catch (error) {
  console.error(`bench: ${(error as Error).message}`);
  process.exit(1);
}
