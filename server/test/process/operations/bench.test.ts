import { expect, test } from "vitest";
import type { Figures, Run } from "../../../../bench/figures.ts";
import { benchFresh } from "../../../../bench/fresh.ts";
import { OPERATION_KEYS } from "../../../../bench/operations/operation-keys.ts";
import { AIMS, benchOperations } from "../../../../bench/operations/operations.ts";
import { benchProcesses } from "../../../../bench/processes.ts";
import { benchSafety } from "../../../../bench/safety/safety.ts";
import { screenPaths } from "../../../../bench/web/screen-paths.ts";
import { benchScreens } from "../../../../bench/web/screens.ts";
import { TESTED } from "../../../../chaos/server-process.ts";

// They run and report every figure. A busy machine says nothing about the times.
const SIZE = 200;
const effort = { rounds: 1, round_ms: 200, warm_up_ms: 100 };

/** Processor time comes from /proc, which only Linux has. */
const HAS_CPU = process.platform === "linux";
const COSTS = ["service_ms", "postgres_ms", "cpu_ms", "cpu_ratio", "highest_cpu"];
/** A short round can take less processor time than the system counts. */
const TOO_SHORT = "cpu_ratio";

function expectFigures(operation: string, figures: Figures, names: string[]) {
  expect([operation, Object.keys(figures)]).toEqual([operation, names]);
  for (const [name, spread] of Object.entries(figures)) {
    const shown = `${operation}: ${name} ${JSON.stringify(spread)}`;
    if (spread === null && name === TOO_SHORT) continue;
    if (!HAS_CPU && COSTS.includes(name)) expect(spread, shown).toBeNull();
    else expect(Object.values(spread ?? {}).filter(Number.isFinite), shown).toHaveLength(3);
  }
}

test("the bench of operations reports cost, rate, latency and ratio of each", async () => {
  const selection = { services: ["."], sizes: [SIZE], only: [], from: TESTED };
  const { text, json } = await benchOperations(effort, selection);
  expect(json).toMatchObject({ bench: "operations", rounds: 1, seconds: 0.2 } satisfies Partial<Run>);
  const { operations, ...about } = json.measurements[0]!;
  expect(about).toMatchObject({ service: "this checkout", size: SIZE });
  const cost = ["service_ms", "postgres_ms", "cpu_ms", "per_second"];
  const latency = ["p50_ms", "p99_ms"];
  const ratio = ["ratio", "cpu_ratio"];
  const http = [...cost, ...latency, ...ratio];
  const { "first attempt after commit": first, "webhook delivery": delivery, ...others } = operations;
  expectFigures("first attempt after commit", first!, latency);
  expectFigures("webhook delivery", delivery!, [...cost, ...ratio]);
  expect(Object.keys(others)).toHaveLength(OPERATION_KEYS.length - 1);
  for (const [name, figures] of Object.entries(others)) expectFigures(name, figures, http);
  for (const name of Object.keys(AIMS)) expect(text).toContain(name);
}, 300_000);

test("the bench of a fresh database reports its slowest part", async () => {
  const { json } = await benchFresh({ ...effort, round_ms: 600 }, { services: ["."], from: TESTED, window_ms: 200 });
  const names = ["service_ms", "postgres_ms", "per_second", "lowest", "highest_cpu"];
  expectFigures("fresh", json.measurements[0]!.operations["POST /orders, fresh database"]!, names);
}, 300_000);

test("the bench of two processes reports the rates of one and of two", async () => {
  const report = () => benchProcesses(effort, { from: TESTED, keys: ["read"], size: SIZE });
  // Only root on Linux may hold a process to a share of a core.
  if (!HAS_CPU || process.getuid?.() !== 0) return expect(report()).rejects.toThrow(/control groups|as root/);
  const { json } = await report();
  const { one, two, ratio } = json.operations["authenticated read"]!;
  expect([one! > 0, two! > 0]).toEqual([true, true]);
  expect(ratio).toBeCloseTo(two! / one!);
}, 300_000);

test("the safety bench reports the check of an order and the cost of the tables", async () => {
  const { text, json } = await benchSafety({ rounds: 1 }, { from: "source", orders: 200 });
  expect(json).toMatchObject({ bench: "safety", rounds: 1, orders: 200, reached: expect.any(Boolean) });
  for (const figure of ["p50_ms", "p99_ms", "p50_new_texts_ms", "load_ms", "tables_mb", "findings_per_order"]) {
    expect([figure, Number(json[figure]) > 0]).toEqual([figure, true]);
  }
  expect(text).toContain("memory of the tables");
}, 120_000);

test("the bench of screens finds a record for every screen that shows one, and reports size and times", async () => {
  // The others need no record: a run of the bench opens them too.
  const only = (path: string) => /\$(?!environment)/.test(path);
  const { json } = await benchScreens({ orders: 20, patients: 2 }, { from: TESTED, only, cache: "kept" });
  const shown = ["dashboard", "portal"] as const;
  const paths = shown.flatMap((app) =>
    screenPaths(app)
      .filter(only)
      .map((path) => `/${app}${path.replace("$environment", "sandbox")}`),
  );
  const { rows, unseen } = json as { rows: (Record<string, number> & { screen: string })[]; unseen: string[] };
  expect([rows.map(({ screen }) => screen).sort(), unseen]).toEqual([paths.sort(), []]);
  expect(paths.length).toBeGreaterThan(10);
  for (const row of rows) {
    for (const figure of ["code_kb", "data_kb", "content_ms"])
      expect([row.screen, row[figure]! > 0]).toEqual([row.screen, true]);
  }
}, 300_000);
