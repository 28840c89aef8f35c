import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compareRuns } from "../../../../bench/compare.ts";
import { cpuUsedFrom } from "../../../../bench/cpu.ts";
import { figuresOf, isReached, type Measurement, runText } from "../../../../bench/figures.ts";

const rounds = [3, 1, 2].map((cpu_ms) => ({ cpu_ms, per_second: 100 * cpu_ms, p50_ms: null }));

test("a bench reports the median of its rounds and their spread", () => {
  expect(figuresOf(rounds)).toEqual({
    cpu_ms: { median: 2, low: 1, high: 3 },
    per_second: { median: 200, low: 100, high: 300 },
    p50_ms: null,
  });
});

const measurement = (commit: string, factor: number): Measurement => ({
  service: "a checkout",
  commit,
  size: 1_000,
  operations: { "POST /orders": figuresOf(rounds.map(({ cpu_ms }) => ({ cpu_ms: cpu_ms * factor, p50_ms: null }))) },
});

test("the table marks a missed aim and a figure that the system does not report", () => {
  const text = runText({ measurements: [measurement("abc", 1)] }, { "POST /orders": { figure: "cpu_ms", most: 1.5 } });
  expect(text).toContain("2.000 (1.000–3.000)");
  expect(text).toContain("not available");
  expect(text).toContain("aim at most 1.5, missed");
  const { operations } = measurement("abc", 1);
  expect(isReached({ figure: "cpu_ms", most: 2 }, operations["POST /orders"]!)).toBe(true);
  expect(isReached({ figure: "cpu_ms", least: 2.1 }, operations["POST /orders"]!)).toBe(false);
});

test("compare shows two files, or one file with two services, and their ratio", () => {
  const folder = mkdtempSync(join(tmpdir(), "pestle-compare-"));
  try {
    const write = (name: string, measurements: Measurement[]) => {
      writeFileSync(join(folder, name), JSON.stringify({ measurements }));
      return join(folder, name);
    };
    const [a, b] = [write("a", [measurement("old", 1)]), write("b", [measurement("new", 0.5)])];
    const both = write("both", [measurement("old", 1), measurement("new", 0.5)]);
    const { text } = compareRuns([a, b]);
    expect(text.split("\n").at(-1)).toMatch(/^POST \/orders +together ms +2\.000 .* +1\.000 .* +0\.50$/);
    expect(compareRuns([both]).text).toBe(text);
    expect(() => compareRuns([a])).toThrow("there is nothing to compare");
    writeFileSync(join(folder, "c"), "{}");
    expect(() => compareRuns([a, join(folder, "c")])).toThrow("is not the output of a bench");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.runIf(process.platform === "linux")("the processor time of a process is its own", () => {
  const used_ms = cpuUsedFrom(process.pid);
  const begin = process.cpuUsage();
  const ownTime_ms = () => {
    const { user, system } = process.cpuUsage(begin);
    return (user + system) / 1000;
  };
  while (ownTime_ms() < 200);
  expect(used_ms()).toBeGreaterThanOrEqual(150);
  expect(cpuUsedFrom(2 ** 30)()).toBeNull();
});
