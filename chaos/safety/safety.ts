import fc from "fast-check";
import type { Deps } from "../../server/src/deps.ts";
import type { SafetyData } from "../../server/src/domain/safety/data.ts";
import type { World } from "../lifecycle/lifecycle-world.ts";
import { auditorOf, type SafetyTally } from "./safety-audit.ts";
import { type Story, story } from "./safety-commands.ts";
import { performer } from "./safety-perform.ts";
import {
  type Employees,
  findStaff,
  hireStaff,
  openSafetyStage,
  type Scene,
  type Stage,
  withSilentCarrier,
} from "./safety-world.ts";

type SafetyRun = {
  count: number;
  seed: number;
  /** Plays only this story. */
  only?: Story;
  /** Concurrent stories, each on its own account. */
  lanes?: number;
  /** Breaks a rule of the service, and returns how to repair it. */
  breakRule?: (world: World) => Promise<() => Promise<void>>;
  /** Ends with the first fault, and does not look for a smaller story. */
  first_fault?: boolean;
  onProgress?: (told: number) => void;
};

const LANES = 4;
/** An account keeps the orders of its stories, and its jobs look at all of them. */
const STORIES_PER_STAGE = 250;

/** Plays random stories on the real use cases. An auditor with its own book judges every shipment. */
export async function playSafety(world: World, run: SafetyRun): Promise<SafetyTally> {
  const { count, seed, lanes = LANES, first_fault = false, onProgress } = run;
  const stories = run.only === undefined ? story : fc.constant(run.only);
  const begin_ms = Date.now();
  const tally: SafetyTally = { stories: 0, orders: 0, seen: {}, outcomes: {}, faults: [] };
  await hireStaff(world.deps, begin_ms);
  const tables = world.deps.safety.current();
  if (!("data" in tables)) throw new Error("the safety tables are unfit");
  // The auditor keeps these tables, whatever the service works with.
  const { data } = tables;
  const repair = await run.breakRule?.(world);
  try {
    const play: Play = { world, employees: await findStaff(world.deps), data, begin_ms, tally };
    const lane = async (number: number) => {
      const numRuns = Math.floor(count / lanes) + (number < count % lanes ? 1 : 0);
      if (numRuns === 0) return;
      const tell = openLane(play, () => onProgress?.(tally.stories));
      const told = async (one: Story) => {
        if (!first_fault || tally.faults.length === 0) await tell(one);
      };
      const given = { numRuns, seed: seed + number, endOnFailure: first_fault };
      const { failed, errorInstance, counterexample } = await fc.check(fc.asyncProperty(stories, told), given);
      if (!failed) return;
      const why = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
      tally.faults.push(`seed ${seed}, lane ${number}: ${why}\n${JSON.stringify(counterexample?.[0])}`);
    };
    await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
  } finally {
    await repair?.();
  }
  return tally;
}

/** As many as `playSafety` needs. */
export const CONNECTIONS = LANES * 2;

type Play = { world: World; employees: Employees; data: SafetyData; begin_ms: number; tally: SafetyTally };

/** Plays one story after another. */
function openLane(play: Play, onTold: () => void): (told: Story) => Promise<void> {
  const { world, begin_ms, tally } = play;
  const stages = new Map<boolean, { stage: Stage; left: number }>();
  const stageFor = async (automatic: boolean) => {
    const known = stages.get(automatic);
    const open =
      known === undefined || known.left === 0
        ? { stage: await openSafetyStage(withSilentCarrier(world.deps), automatic, begin_ms), left: STORIES_PER_STAGE }
        : known;
    open.left -= 1;
    stages.set(automatic, open);
    return open.stage;
  };
  return async (told) => {
    const stage = await stageFor(told.automatic);
    const scene = await stage.begin(told);
    try {
      await tellStory(play, scene, told);
      await stage.end(scene);
    } catch (error) {
      // Leftovers would disturb the next story.
      stages.delete(told.automatic);
      throw error;
    }
    tally.stories += 1;
    tally.orders += scene.book.orders.length;
    onTold();
  };
}

async function tellStory({ world, employees, data, tally }: Play, scene: Scene, told: Story): Promise<void> {
  const { book } = scene;
  // The story has its own clock, which advances only with a command.
  const deps: Deps = { ...withSilentCarrier(world.deps), now: () => new Date(book.real_ms) };
  const auditor = auditorOf(deps, performer(deps, employees, scene), scene, data, tally);
  try {
    for (const command of told.rest) await auditor.follow(command);
    await auditor.cancelOpen();
    // A failing job logs an error and continues. Here no job may fail.
    const [warning] = world.warnings.splice(0);
    if (warning !== undefined) throw new Error(warning);
  } catch (error) {
    world.warnings.splice(0);
    const why = error instanceof Error ? error.message : String(error);
    throw new Error([why, ...auditor.trace.map((line) => `  ${line}`)].join("\n"), { cause: error });
  }
}
