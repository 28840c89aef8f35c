import { performance } from "node:perf_hooks";
import { safetyOrders } from "./safety-orders.ts";

export type SafetyWork = { from: "built" | "source"; orders: number; seed: number };
export type SafetyMeasured = {
  load_ms: number;
  tables_mb: number;
  p50_ms: number;
  p99_ms: number;
  mean_ms: number;
  /** If half of the listed medications are texts that no order had before. */
  p50_new_texts_ms: number;
  findings_per_order: number;
};

const WARM_UP_ORDERS = 2_000;
const MB = 1024 * 1024;

/** A new process loads the tables once, as the service does at its start, and then checks orders. */
process.on("message", async ({ from, orders, seed }: SafetyWork) => {
  try {
    process.send?.(await measure(from, orders, seed));
  } catch (error) {
    process.send?.({ failed: (error as Error).message });
  }
});

async function measure(from: SafetyWork["from"], orders: number, seed: number): Promise<SafetyMeasured> {
  const part = (name: string) =>
    import(
      new URL(
        `../../server/${from === "built" ? "dist" : "src"}/${name}.${from === "built" ? "js" : "ts"}`,
        import.meta.url,
      ).href
    );
  const { loadSafetyFile } = (await part(
    "usecases/safety/load-safety-data",
  )) as typeof import("../../server/src/usecases/safety/load-safety-data.ts");
  const { loadNdcTable } = (await part(
    "usecases/intake/load-ndc-table",
  )) as typeof import("../../server/src/usecases/intake/load-ndc-table.ts");
  const { assessSafety } = (await part(
    "domain/safety/assess-safety",
  )) as typeof import("../../server/src/domain/safety/assess-safety.ts");
  const before_bytes = usedBytes();
  const begin_ms = performance.now();
  const { data, unfit } = loadSafetyFile({ SAFETY_DATA_FILE: "" });
  const load_ms = performance.now() - begin_ms;
  if (data === null || unfit.length > 0) throw new Error("the safety tables are unfit");
  const ndcs = loadNdcTable();
  const tables_mb = (usedBytes() - before_bytes) / MB;

  for (const facts of safetyOrders(WARM_UP_ORDERS, seed + 1)) assessSafety(data, facts);
  let findings = 0;
  const timesOf = (checked: ReturnType<typeof safetyOrders>) =>
    checked
      .map((facts) => {
        const check_ms = performance.now();
        findings += assessSafety(data, facts).length;
        return performance.now() - check_ms;
      })
      .sort((a, b) => a - b);
  const times = timesOf(safetyOrders(orders, seed));
  const findings_per_order = findings / orders;
  const times_of_new = timesOf(safetyOrders(orders, seed + 2, true));
  if (ndcs.drugOf("") !== null) throw new Error("the NDC table knows an empty NDC");
  return {
    load_ms,
    tables_mb,
    p50_ms: times[Math.floor(orders * 0.5)]!,
    p99_ms: times[Math.floor(orders * 0.99)]!,
    mean_ms: times.reduce((sum, time) => sum + time, 0) / orders,
    p50_new_texts_ms: times_of_new[Math.floor(orders * 0.5)]!,
    findings_per_order,
  };
}

function usedBytes(): number {
  // A second collection frees what the first one finalizes.
  for (let time = 0; time < 2; time++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
