import { startChild } from "../child.ts";
import { median, type Report } from "../figures.ts";
import type { SafetyMeasured, SafetyWork } from "./safety-child.ts";

const ORDERS = 20_000;
const SEED = 20261110;
const AIMS = { p50_ms: 0.2, load_ms: 300, tables_mb: 60 };

/** All safety checks of one order, and what their tables cost: each round in a new process, as after a start. */
export async function benchSafety(
  { rounds: count }: { rounds: number },
  { from = "built", orders = ORDERS }: Partial<Pick<SafetyWork, "from" | "orders">> = {},
): Promise<Report<Record<string, number | string | boolean>>> {
  const rounds: SafetyMeasured[] = [];
  for (let round = 0; round < count; round++) {
    const child = startChild("./safety/safety-child.ts", ["--expose-gc", "--conditions=source"]);
    try {
      const work: SafetyWork = { from, orders, seed: SEED + round };
      rounds.push((await child.ask(work)) as SafetyMeasured);
    } finally {
      child.end();
    }
  }
  return safetyReport(rounds, orders);
}

function safetyReport(
  rounds: readonly SafetyMeasured[],
  orders: number,
): Report<Record<string, number | string | boolean>> {
  const middle = (name: keyof SafetyMeasured) => median(rounds.map((round) => round[name]));
  const figures = {
    p50_ms: fine(middle("p50_ms")),
    p99_ms: fine(middle("p99_ms")),
    mean_ms: fine(middle("mean_ms")),
    p50_new_texts_ms: fine(middle("p50_new_texts_ms")),
    findings_per_order: fine(middle("findings_per_order")),
    load_ms: Math.round(middle("load_ms")),
    tables_mb: Math.round(middle("tables_mb") * 10) / 10,
  };
  const passed = (name: keyof typeof AIMS) => figures[name] < AIMS[name];
  const verdict = (name: keyof typeof AIMS) => (passed(name) ? "reached" : "missed");
  const reached = (Object.keys(AIMS) as (keyof typeof AIMS)[]).every(passed);
  const text = [
    `all checks of one order   p50 ${figures.p50_ms} ms   p99 ${figures.p99_ms} ms   mean ${figures.mean_ms} ms   (target: p50 below ${AIMS.p50_ms} ms, ${verdict("p50_ms")})`,
    `with unknown texts        p50 ${figures.p50_new_texts_ms} ms   (half of the listed medications were never read before)`,
    `loading the tables        ${figures.load_ms} ms   (target: below ${AIMS.load_ms} ms, ${verdict("load_ms")})`,
    `memory of the tables      ${figures.tables_mb} MB   (target: below ${AIMS.tables_mb} MB, ${verdict("tables_mb")})`,
    `${orders} orders per round, ${figures.findings_per_order} findings per order`,
  ].join("\n");
  return { text, json: { bench: "safety", rounds: rounds.length, orders, ...figures, reached }, reached };
}

/** Microseconds matter here. */
const fine = (value: number) => Math.round(value * 10_000) / 10_000;
