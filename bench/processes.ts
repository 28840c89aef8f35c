import type { From } from "../chaos/server-process.ts";
import { openCheckout } from "./checkout.ts";
import { median, type Report } from "./figures.ts";
import { openOperations } from "./operations/operations.ts";
import { type Effort, onStage } from "./stage.ts";

/** Of one core, for each process. PostgreSQL and the load generator share the rest of two cores. */
const CORE_SHARE = 0.4;
const AIM = 1.8;
const SIZE = 1_000;
const KEYS = ["read", "get-order", "not-modified", "post-order"];
const COUNTS = [1, 2] as const;

type Rates = Record<string, number>;

/** How much more two processes do than one on the same PostgreSQL, if the database has processor time to spare. */
export async function benchProcesses(
  { rounds, round_ms, warm_up_ms }: Effort,
  { from, keys = KEYS, size = SIZE }: { from?: From | undefined; keys?: readonly string[]; size?: number } = {},
): Promise<Report<{ bench: string; operations: Record<string, Rates>; reached: boolean }>> {
  const checkout = await openCheckout();
  const measured: Rates[] = [];
  for (const processes of COUNTS) {
    measured.push(
      await onStage({ checkout, from, processes, core_share: CORE_SHARE }, async (stage) => {
        const found: Record<string, number[]> = {};
        for (const operation of await openOperations(stage, size, keys)) {
          await operation.warmUp(warm_up_ms);
          for (let round = 1; round <= rounds; round++) {
            for (const [name, { per_second }] of Object.entries(await operation.round(round_ms))) {
              if (typeof per_second === "number") found[name] = [...(found[name] ?? []), per_second];
            }
          }
        }
        return Object.fromEntries(Object.entries(found).map(([name, rates]) => [name, median(rates)]));
      }),
    );
    console.error(`${processes} of ${COUNTS.at(-1)} processes are measured`);
  }
  const [one, two] = measured as [Rates, Rates];
  const operations = Object.fromEntries(
    Object.keys(one).map((name) => [name, { one: one[name]!, two: two[name]!, ratio: two[name]! / one[name]! }]),
  );
  const reached = Object.values(operations).every(({ ratio }) => ratio >= AIM);
  const lines = Object.entries(operations).map(
    ([name, { one, two, ratio }]) =>
      `${name.padEnd(26)}${one.toFixed(0).padStart(8)}${two.toFixed(0).padStart(8)}${ratio.toFixed(2).padStart(8)}   ${ratio >= AIM ? "reached" : "missed"}`,
  );
  const head = `per second, each process held to ${CORE_SHARE * 100} % of a core (aim: ${AIM} times as many)`;
  const titles = `${"".padEnd(26)}${"1".padStart(8)}${"2".padStart(8)}${"ratio".padStart(8)}`;
  return { text: [head, titles, ...lines].join("\n"), json: { bench: "processes", operations, reached }, reached };
}
