import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** What the stages of a campaign found so far, in a file, because a campaign may outlast a sitting. */
export type Staged = { stages: number; took_ms: number; done: boolean };

export const NO_STAGE: Staged = { stages: 0, took_ms: 0, done: false };

/** The tally of a campaign that was interrupted. A finished one starts again. */
export function readTally<Tally extends Staged>(file: string, none: Tally): Tally {
  const read = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Tally) : none;
  return read.done ? none : read;
}

export function writeTally(file: string, tally: Staged): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.draft`, `${JSON.stringify(tally, null, 2)}\n`);
  renameSync(`${file}.draft`, file);
}

/** The file of a campaign's tally, as an option. */
export const tallyFile = (campaign: string) => ({
  about: "file that keeps the counts; a run that was interrupted continues",
  text: `.artifacts/${campaign}.json`,
});
