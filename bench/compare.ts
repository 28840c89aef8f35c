import { readFileSync } from "node:fs";
import { comparison, type Measurement, type Report, type Run } from "./figures.ts";

/** Two files of `--json`, or one file of a run that measured two services. */
export function compareRuns(files: readonly string[]): Report {
  const [first, second] = files.length === 1 ? measurementsOf(files[0]!) : files.map((file) => measurementsOf(file)[0]);
  if (first === undefined || second === undefined) {
    throw new Error("there is nothing to compare: name two files, or one file of a run with two services");
  }
  return { text: comparison(first, second), json: { bench: "compare", first, second }, reached: true };
}

function measurementsOf(file: string): Measurement[] {
  const { measurements } = JSON.parse(readFileSync(file, "utf8")) as Partial<Run>;
  if (!Array.isArray(measurements)) throw new Error(`${file} is not the output of a bench with --json`);
  return measurements;
}
