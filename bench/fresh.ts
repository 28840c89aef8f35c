import type { From } from "../chaos/server-process.ts";
import { openAccount } from "./account.ts";
import { openCheckout } from "./checkout.ts";
import { type Aim, median, type Report, type Round, type Run } from "./figures.ts";
import { reportOf } from "./operations/operations.ts";
import { orderLoad } from "./operations/order-operations.ts";
import { type Effort, each, onStage } from "./stage.ts";

const WINDOW_MS = 5_000;
const NAME = "POST /orders, fresh database";
const AIMS: Record<string, Aim> = { [NAME]: { figure: "lowest", least: 0.8 } };

/**
 * Orders in a database that was never analyzed, while its tables fill. Reports the slowest five seconds relative to the
 * median, and the costliest, which depends less on what else the machine does.
 */
export async function benchFresh(
  effort: Effort,
  {
    services,
    from,
    window_ms = WINDOW_MS,
  }: { services: readonly string[]; from?: From | undefined; window_ms?: number },
): Promise<Report<Run>> {
  const measured = [];
  for (const service of services) {
    const checkout = await openCheckout(service);
    const rows: Partial<Round>[] = [];
    for (let round = 1; round <= effort.rounds; round++) {
      rows.push(
        await onStage({ checkout, from }, async (stage) => {
          const { prepare, send } = await orderLoad(stage, await openAccount(stage));
          // Code that the process runs for the first time is not what this measures.
          await prepare(effort.warm_up_ms);
          await send(effort.warm_up_ms);
          const windows = [];
          for (let at_ms = 0; at_ms < effort.round_ms; at_ms += window_ms) {
            await prepare(window_ms);
            const { result, service_ms, postgres_ms } = await stage.costOf(() => send(window_ms));
            const { count, per_second } = result;
            windows.push({
              per_second,
              service_ms: each(service_ms, count),
              postgres_ms: each(postgres_ms, count),
            });
          }
          return windowsRow(windows);
        }),
      );
      console.error(`${checkout.name}: round ${round} of ${effort.rounds}`);
    }
    measured.push({ checkout, size: 0, rounds: new Map([[NAME, rows]]) });
  }
  return reportOf("fresh", effort, measured, AIMS);
}

type Window = Pick<Round, "service_ms" | "postgres_ms"> & { per_second: number };

function windowsRow(windows: readonly Window[]): Partial<Round> {
  const known = (name: "service_ms" | "postgres_ms") => windows.map((one) => one[name]).filter((one) => one !== null);
  const middle = (values: number[]) => (values.length === 0 ? null : median(values));
  const per_second = median(windows.map((one) => one.per_second));
  const postgres = known("postgres_ms");
  return {
    service_ms: middle(known("service_ms")),
    postgres_ms: middle(postgres),
    per_second,
    lowest: Math.min(...windows.map((one) => one.per_second)) / per_second,
    highest_cpu: postgres.length === 0 ? null : Math.max(...postgres) / median(postgres),
  };
}
