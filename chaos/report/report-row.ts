import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Found, readTally, type Sizes, type Tally } from "../tally.ts";
import { duration, figuresOf } from "./report-figures.ts";
import { reported } from "./reported.ts";

/** A row of Markdown for each finished run in a folder: the sizes, what it checked, the faults, the time, the commits. */
export function reportRow(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .flatMap((name) => {
      const tally = readTally<Found>(join(folder, name));
      return tally?.ended_at == null || !Array.isArray(tally.commits) ? [] : [rowOf(tally)];
    });
}

export function rowOf(tally: Tally<Found>): string {
  const { campaign, asked, took_ms, ended_at, commits, machine, found } = tally;
  const cells = [
    `\`${campaign}${sizesOf(asked)}\``,
    (reported[campaign] ?? figuresOf)((found ?? {}) as never),
    String(found?.faults.length ?? 0),
    duration(took_ms),
    `${ended_at!.slice(0, 10)}, ${commits.join(" ")}, ${machine}`,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

const sizesOf = (asked: Sizes) =>
  Object.entries(asked)
    .filter(([, value]) => value !== 0 && value !== "")
    .map(([option, value]) => ` --${option} ${value}`)
    .join("");
