import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Bug, type Detector, nameOf } from "./bugs.ts";
import type { CheckoutCopy } from "./checkout-copy.ts";

/** What noticed a defect, and what it said. `null`: nothing did. */
export type Result = { by: string; told: string | null };
export type SeededTally = { tried: number; caught: number; results: Record<string, Result>; faults: string[] };

const RESULTS = fileURLToPath(new URL("results.json", import.meta.url));
const ENDS_WITHIN_MS = 900_000;
const LONGEST_LINE = 160;
/** A program with a mistake in its text shows nothing about the campaign. */
const DOES_NOT_RUN = /SyntaxError|TransformError|ReferenceError|ERR_MODULE_NOT_FOUND/;

/** The results that the last run of each defect left. The documentation shows them. */
export const readResults = (): Record<string, Result> =>
  existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, "utf8")) as Record<string, Result>) : {};

export function keepResults(results: Record<string, Result>, known: readonly string[]): void {
  const kept = { ...readResults(), ...results };
  const own = Object.fromEntries(known.flatMap((bug) => (kept[bug] === undefined ? [] : [[bug, kept[bug]]])));
  writeFileSync(RESULTS, `${JSON.stringify(own, null, 2)}\n`);
}

/** A detector must find nothing in a copy without a defect. */
export async function tryClean(copy: CheckoutCopy, by: Detector): Promise<SeededTally> {
  const { code, output } = await detect(copy, by);
  console.log(`without a defect, ${nameOf(by)} ${code === 0 ? "finds nothing" : "FAILS"}`);
  const faults = code === 0 ? [] : [`${nameOf(by)} fails without a defect: ${tellingLine(output)}`];
  return { tried: 0, caught: 0, results: {}, faults };
}

/** Plants a defect, runs what should notice it, and takes it out. */
export async function tryBug(copy: CheckoutCopy, bug: Bug): Promise<SeededTally> {
  const repair = copy.plant(bug);
  try {
    const { code, output } = await detect(copy, bug.by);
    const runs = !DOES_NOT_RUN.test(output);
    const told = code !== 0 && runs ? tellingLine(output) : null;
    console.log(`${bug.bug}: ${told === null ? `NOT caught${runs ? "" : " (it does not run)"}` : told}`);
    const result = { by: nameOf(bug.by), told };
    return { tried: 1, caught: told === null ? 0 : 1, results: { [bug.bug]: result }, faults: [] };
  } finally {
    repair();
  }
}

function detect({ folder }: CheckoutCopy, by: Detector): Promise<{ code: number | null; output: string }> {
  const tally = join(folder, ".artifacts/seeded.json");
  rmSync(tally, { force: true });
  const [program, ...args] =
    "test" in by
      ? ["node_modules/vitest/vitest.mjs", "run", by.test]
      : ["--import", "tsx", "--conditions=source", "chaos/main.ts", ...by.campaign, "--tally", tally, ...seedOf(by)];
  const child = spawn(process.execPath, [program!, ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    // From the sources: a build of each defect would take longer than the campaign.
    env: { ...process.env, CAMPAIGN_PROGRAM: "source", NO_COLOR: "1", TEST_PROGRAM: "source" },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8");
    });
  }
  // The campaign ends its children when it is interrupted.
  const late = setTimeout(() => {
    output += "\nError: it does not end\n";
    child.kill("SIGTERM");
  }, ENDS_WITHIN_MS);
  return new Promise((resolve) => {
    child.on("close", (code) => {
      clearTimeout(late);
      resolve({ code, output });
    });
  });
}

/** `rolling` has no seed. */
const seedOf = ({ campaign: [name] }: { campaign: readonly string[] }) => (name === "rolling" ? [] : ["--seed", "1"]);

/** The first line that says what is wrong: a fault of a campaign, an error, or an assertion. */
export function tellingLine(output: string): string {
  const lines = output.split("\n");
  const found =
    lines.find((line) => /^ {13}\S/.test(line)) ??
    lines.find((line) => /^\s*(AssertionError|Error|TypeError):/.test(line)) ??
    lines.find((line) => /^\S*Error\b/.test(line)) ??
    lines.findLast((line) => line.trim() !== "") ??
    "";
  return found.trim().slice(0, LONGEST_LINE);
}
