import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { seededRandom } from "./random.ts";

/** What every campaign reports. A fault is a violation. */
export type Found = { faults: readonly string[] };
/** The sizes that a run was asked for, without its seed. */
export type Sizes = Readonly<Record<string, number | string>>;
/** What the stages of a campaign found so far, in a file, because a campaign may outlast a sitting. */
export type Tally<Result extends Found> = {
  campaign: string;
  asked: Sizes;
  seed: number;
  /** Stages that ended. The next sitting continues after them. */
  stages: number;
  took_ms: number;
  began_at: string;
  ended_at: string | null;
  /** The commits whose builds ran, and the machine. */
  commits: readonly string[];
  machine: string;
  /** Null before the first stage ended. */
  found: Result | null;
};
/** A part of a campaign. It has a database of its own and is judged at its end. */
export type Stage<Result extends Found> = (random: () => number, number: number) => Promise<Result>;

const MOST_FAULTS = 200;

/** The file of a campaign's tally, as an option. */
export const tallyFile = (campaign: string) => ({
  about: "file that keeps the counts; a run that was interrupted continues",
  text: `.artifacts/${campaign}.json`,
});

/**
 * Runs the stages that an interrupted run has left, writes the tally after each, and stops at the first stage with a fault. A
 * stage repeats its random choices if the campaign is given the same seed.
 */
export async function inStages<Result extends Found>(
  run: { campaign: string; file: string; asked: Sizes; seed: number; onStage?: (found: Result) => void },
  stages: readonly Stage<Result>[],
): Promise<Tally<Result> & { found: Result }> {
  let tally = continued<Result>(run);
  if (tally.stages > 0) console.log(`continues after ${tally.stages} of ${stages.length} stages (${run.file})`);
  while (tally.stages < stages.length && (tally.found?.faults.length ?? 0) === 0) {
    const begin_ms = Date.now();
    const stage = await stages[tally.stages]!(seededRandom(tally.seed + tally.stages), tally.stages);
    tally = {
      ...tally,
      found: tally.found === null ? stage : added(tally.found, stage),
      stages: tally.stages + 1,
      took_ms: tally.took_ms + Date.now() - begin_ms,
      commits: [...new Set([...tally.commits, commit()])],
    };
    writeTally(run.file, tally);
    run.onStage?.(tally.found!);
  }
  tally = { ...tally, ended_at: new Date().toISOString() };
  writeTally(run.file, tally);
  return { ...tally, found: tally.found! };
}

/** The tally of a run that was interrupted, or a new one. A finished one starts again. */
function continued<Result extends Found>({
  campaign,
  file,
  asked,
  seed,
}: {
  campaign: string;
  file: string;
  asked: Sizes;
  seed: number;
}): Tally<Result> {
  const known = readTally<Result>(file);
  if (known !== undefined && known.ended_at === null) {
    if (JSON.stringify([known.campaign, known.asked]) === JSON.stringify([campaign, asked])) return known;
    const was = Object.entries(known.asked).map(([option, value]) => ` --${option}=${value}`);
    throw new Error(
      `${file} has an interrupted run of ${known.campaign}${was.join("")}. Continue it with these options, name another file with --tally, or remove it.`,
    );
  }
  const machine = `${availableParallelism()} cores`;
  return {
    ...{ campaign, asked, seed, stages: 0, took_ms: 0, began_at: new Date().toISOString(), ended_at: null },
    ...{ commits: [], machine, found: null },
  };
}

export function readTally<Result extends Found>(file: string): Tally<Result> | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Tally<Result>) : undefined;
}

function writeTally(file: string, tally: Tally<Found>): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.draft`, `${JSON.stringify(tally, null, 2)}\n`);
  renameSync(`${file}.draft`, file);
}

/** Of these figures the largest counts; all others add up. */
const LARGEST = /^(slowest|longest|most|worst)_/;

/** What two stages found together. */
export function added<Value>(one: Value, other: Value): Value {
  return sum(one, other, "") as Value;
}

function sum(one: unknown, other: unknown, name: string): unknown {
  if (one === undefined) return other;
  if (other === undefined) return one;
  if (typeof one === "number" && typeof other === "number")
    return LARGEST.test(name) ? Math.max(one, other) : one + other;
  if (Array.isArray(one) && Array.isArray(other))
    return [...one, ...other].slice(0, name === "faults" ? MOST_FAULTS : undefined);
  if (isRecord(one) && isRecord(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    // Within a record of largest figures, every figure is one.
    const within = (own: string) => (LARGEST.test(name) ? name : own);
    return Object.fromEntries([...names].map((own) => [own, sum(one[own], other[own], within(own))]));
  }
  return other;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The sizes of stages that are together as large as a campaign. */
export function parts(total: number, most: number): number[] {
  return Array.from({ length: Math.ceil(total / most) }, (_, index) => Math.min(most, total - index * most));
}

/** So many of something, spread over parts by their sizes. */
export function shares(total: number, sizes: readonly number[]): number[] {
  const whole = sizes.reduce((all, size) => all + size, 0);
  let [before, given] = [0, 0];
  return sizes.map((size) => {
    before += size;
    const share = Math.round((total * before) / whole) - given;
    given += share;
    return share;
  });
}

function commit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}
