import { availableParallelism } from "node:os";
import type { From } from "../../chaos/server-process.ts";
import { openAccount } from "../account.ts";
import { openCheckout } from "../checkout.ts";
import {
  type Aim,
  figuresOf,
  isReached,
  type Measurement,
  type Report,
  type Round,
  type Run,
  runText,
} from "../figures.ts";
import { type Effort, onStages, type Stage } from "../stage.ts";
import { accountOperations } from "./account-operations.ts";
import { intakeOperations } from "./intake-operations.ts";
import type { Operation } from "./operation.ts";
import { PART_KEYS } from "./operation-keys.ts";
import { orderOperations } from "./order-operations.ts";
import { openWebhooks, webhookOperations } from "./webhook-operations.ts";

export const AIMS: Record<string, Aim> = {
  "POST /orders": { figure: "cpu_ms", most: 2 },
  "GET /orders, 25": { figure: "cpu_ms", most: 1.5 },
  "GET /orders/{n}": { figure: "cpu_ms", most: 0.6 },
  "GET /orders?patient_id=": { figure: "cpu_ms", most: 0.8 },
  NewRx: { figure: "cpu_ms", most: 3 },
  "webhook delivery": { figure: "service_ms", most: 0.13 },
  "authenticated read": { figure: "ratio", least: 0.65 },
  token: { figure: "ratio", least: 0.45 },
  "first attempt after commit": { figure: "p99_ms", most: 20 },
};

/** Preparing a part takes a while. */
const PARTS: Record<keyof typeof PART_KEYS, (scene: Scene) => Promise<Operation[]> | Operation[]> = {
  orders: ({ stage, account, webhooks, size }) => orderOperations(stage, account, webhooks, size),
  intake: ({ stage, account }) => intakeOperations(stage, account),
  webhooks: ({ stage, account, webhooks }) => webhookOperations(stage, account, webhooks),
  accounts: ({ stage }) => accountOperations(stage),
};

type Scene = {
  stage: Stage;
  account: Awaited<ReturnType<typeof openAccount>>;
  webhooks: Awaited<ReturnType<typeof openWebhooks>>;
  size: number;
};

export type Selection = {
  /** Checkouts whose service is measured. Rounds alternate between them. */
  services: readonly string[];
  /** Orders in the account. Each size has its own database and service. */
  sizes: readonly number[];
  /** Keys of operations; all if empty. */
  only: readonly string[];
  from?: From | undefined;
  profile?: string | undefined;
  /** More settings of the service. */
  env?: Readonly<Record<string, string>>;
};

/** Every operation of the service with its cost, its rate and its latencies. */
export async function benchOperations(effort: Effort, selection: Selection): Promise<Report<Run>> {
  const { services, sizes, only, from, profile, env } = selection;
  const checkouts = await Promise.all(services.map(openCheckout));
  const variants = checkouts.flatMap((checkout) => sizes.map((size) => ({ checkout, from, profile, env, size })));
  return onStages(variants, async (stages) => {
    const measured = [];
    for (const [index, stage] of stages.entries()) {
      const operations = await openOperations(stage, variants[index]!.size, only);
      for (const operation of operations) await operation.warmUp(effort.warm_up_ms);
      await stage.db.raw("vacuum analyze");
      measured.push({ ...variants[index]!, operations, rounds: new Map<string, Partial<Round>[]>() });
      console.error(`${stage.checkout.name} (${stage.checkout.commit}) is ready`);
    }
    const keys = measured[0]!.operations.map(({ key }) => key);
    for (let round = 1; round <= effort.rounds; round++) {
      for (const key of keys) {
        // The services take turns within an operation, so that what slows the machine slows all of them.
        for (const { operations, rounds } of round % 2 === 1 ? measured : measured.toReversed()) {
          const rows = await operations.find((one) => one.key === key)!.round(effort.round_ms);
          for (const [name, row] of Object.entries(rows)) rounds.set(name, [...(rounds.get(name) ?? []), row]);
        }
      }
      console.error(`round ${round} of ${effort.rounds}`);
    }
    return reportOf("operations", effort, measured, AIMS);
  });
}

export async function openOperations(stage: Stage, size: number, only: readonly string[]): Promise<Operation[]> {
  const account = await openAccount(stage);
  const scene = { stage, account, webhooks: await openWebhooks(stage, account), size };
  const wanted = (key: string) => only.length === 0 || only.includes(key);
  const operations: Operation[] = [];
  for (const part of Object.keys(PARTS) as (keyof typeof PARTS)[]) {
    if (PART_KEYS[part].some(wanted)) operations.push(...(await PARTS[part](scene)));
  }
  return operations.filter(({ key }) => wanted(key));
}

type Measured = {
  checkout: { name: string; commit: string };
  size: number;
  rounds: ReadonlyMap<string, Partial<Round>[]>;
};

/** The text and the document of a run. */
export function reportOf(
  bench: string,
  { rounds, round_ms }: Effort,
  measured: readonly Measured[],
  aims: Record<string, Aim>,
): Report<Run> {
  const measurements = measured.map(
    ({ checkout: { name, commit }, size, rounds }): Measurement => ({
      service: name,
      commit,
      size,
      operations: Object.fromEntries([...rounds].map(([operation, rows]) => [operation, figuresOf(rows)])),
    }),
  );
  const { operations } = measurements[0]!;
  const reached = Object.entries(aims).every(([name, aim]) => isReached(aim, operations[name] ?? {}));
  const json: Run = {
    bench,
    at: new Date().toISOString(),
    node: process.version,
    cores: availableParallelism(),
    rounds,
    seconds: round_ms / 1000,
    measurements,
    reached,
  };
  return { text: runText(json, aims), json, reached };
}
