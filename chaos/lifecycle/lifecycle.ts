import fc from "fast-check";
import type { Deps } from "../../server/src/deps.ts";
import { faultsOf, ledgerFaults, openLives } from "./lifecycle-check.ts";
import { type Command, type Story, story } from "./lifecycle-commands.ts";
import { concrete, nameOf } from "./lifecycle-concrete.ts";
import { DONE } from "./lifecycle-orders.ts";
import { perform } from "./lifecycle-perform.ts";
import { predict } from "./lifecycle-predictions.ts";
import { openWorld, type Scene, type Stage, type World } from "./lifecycle-world.ts";

export type LifecycleOptions = {
  database_url: string;
  master_key: string;
  count: number;
  seed: number;
  /** Concurrent stories, each on its own account. */
  lanes?: number;
  onProgress?: (told: number) => void;
};
export type LifecycleTally = {
  stories: number;
  orders: number;
  /** Number of outcomes, by command and kind. */
  outcomes: Record<string, Record<string, number>>;
  /** The smallest stories that ended differently from the model, with the actual outcome. */
  faults: string[];
};

const LANES = 4;
const COMMAND_MS = 1_000;
/** By then no parcel has further news. */
const LAST_DAYS = 4;

/** Plays random stories of orders on the real use cases and compares each step with a model. */
export async function playLifecycles(options: LifecycleOptions): Promise<LifecycleTally> {
  const { count, seed, lanes = LANES, onProgress } = options;
  const world = await openWorld({ ...options, pool_size: lanes * 2 });
  const tally: LifecycleTally = { stories: 0, orders: 0, outcomes: {}, faults: [] };
  const lane = async (number: number) => {
    const numRuns = Math.floor(count / lanes) + (number < count % lanes ? 1 : 0);
    if (numRuns === 0) return;
    const play = await openLane(world, tally, () => onProgress?.(tally.stories));
    const checked = await fc.check(fc.asyncProperty(story, play.tell), { numRuns, seed: seed + number });
    if (checked.failed) {
      const { errorInstance, counterexample } = checked;
      const why = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
      tally.faults.push(`lane ${number}: ${why}\n${JSON.stringify(counterexample?.[0])}`);
    } else tally.faults.push(...(await play.end()));
  };
  try {
    await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
    return tally;
  } finally {
    await world.close();
  }
}

/** Plays one story after another. */
async function openLane(world: World, tally: LifecycleTally, onTold: () => void) {
  const stages = new Map<boolean, Stage>();
  let real_ms = Date.now();
  const stageFor = async (automatic: boolean) => {
    const stage = stages.get(automatic) ?? (await world.openStage(automatic));
    stages.set(automatic, stage);
    return stage;
  };
  return {
    async tell(told: Story): Promise<void> {
      const scene = await (await stageFor(told.automatic)).begin(told, real_ms);
      const { model } = scene;
      // The lane has its own clock, which advances only with a command.
      const deps: Deps = { ...world.deps, now: () => new Date(model.real_ms) };
      try {
        await tellStory(deps, scene, told, tally);
        // A failing job logs an error and continues. Here no job may fail.
        const [warning] = world.warnings.splice(0);
        if (warning !== undefined) throw new Error(warning);
      } catch (error) {
        // Leftovers would disturb the next story.
        stages.delete(told.automatic);
        throw error;
      } finally {
        real_ms = model.real_ms + COMMAND_MS;
      }
      tally.stories += 1;
      tally.orders += model.orders.length;
      onTold();
    },
    async end(): Promise<string[]> {
      const faults = [...stages.values()].map(({ account_id }) => ledgerFaults(world.deps.db, account_id));
      return (await Promise.all(faults)).flat();
    },
  };
}

async function tellStory(deps: Deps, scene: Scene, told: Story, tally: LifecycleTally): Promise<void> {
  const { model } = scene;
  const allergies: Command[] =
    told.allergies.length === 0 ? [] : [{ kind: "tell_allergies", allergies: told.allergies }];
  for (const command of [...allergies, told.first, ...told.rest]) await follow(deps, scene, command, tally);
  await compare(deps, scene);
  // Every order can be finished, and then it holds no units on the shelves.
  for (const life of openLives(model)) {
    const order = model.orders.indexOf(life);
    const fields = { prescription: 0, item_id: 1, cents: 1, right: true } as Extract<
      Command,
      { kind: "act" }
    >["fields"];
    await follow(deps, scene, { kind: "act", order, event: "cancel", pick: 0, named: false, fields }, tally);
  }
  await follow(deps, scene, { kind: "clock", days: LAST_DAYS }, tally);
  await compare(deps, scene);
}

async function follow(deps: Deps, scene: Scene, command: Command, tally: LifecycleTally): Promise<void> {
  const times = command.kind === "go_on" ? command.times : 1;
  for (let time = 0; time < times; time++) await followOnce(deps, scene, command, tally);
}

async function followOnce(deps: Deps, scene: Scene, command: Command, tally: LifecycleTally): Promise<void> {
  const { model } = scene;
  const meant = concrete(model, command);
  if (meant === undefined) return;
  model.real_ms += COMMAND_MS;
  const name = nameOf(meant);
  const { outcome, told } = await perform(deps, scene, meant);
  const expected = predict(model, meant, told);
  const counts = tally.outcomes[name] ?? {};
  tally.outcomes[name] = { ...counts, [outcome]: (counts[outcome] ?? 0) + 1 };
  if (outcome !== expected) throw new Error(`${name}: ${outcome}, expected ${expected}`);
  if (outcome === DONE && told.order_numbers.length > 0) throw new Error(`${name}: created an unexpected order`);
}

async function compare(deps: Deps, scene: Scene): Promise<void> {
  const faults = await faultsOf(deps, scene);
  if (faults.length > 0) throw new Error(faults.join("\n"));
}
