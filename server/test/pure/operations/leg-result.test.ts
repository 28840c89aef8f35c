import { expect, test } from "vitest";
import { type FileRun, filesToRepeat, legResult } from "../../../../scripts/leg-result.ts";

const good = (file: string): FileRun => ({ file, passed: 10, problems: [] });
const bad = (file: string, ...problems: string[]): FileRun => ({ file, passed: 9, problems });
const first = { files: [good("a"), bad("b", "lost a race"), bad("c", "is broken")] };

test("a leg without a failure repeats nothing and counts every test", () => {
  const run = { files: [good("a"), good("b")] };
  expect(filesToRepeat(run)).toEqual([]);
  expect(legResult(run)).toEqual({ passed: 20, failed: [], unsteady: [] });
});

test("up to three failing files run again, and more do not", () => {
  const failing = ["a", "b", "c", "d"].map((file) => bad(file, "fails"));
  expect(filesToRepeat({ files: [...failing.slice(1), good("e")] })).toEqual(["b", "c", "d"]);
  expect(filesToRepeat({ files: failing })).toEqual([]);
  expect(legResult({ files: failing.slice(0, 2) })).toEqual({
    passed: 18,
    failed: ["a: fails", "b: fails"],
    unsteady: [],
  });
});

test("each repeated file counts by its own second try", () => {
  expect(legResult(first, { files: [good("b"), bad("c", "is still broken")] })).toEqual({
    passed: 29,
    failed: ["c: is broken"],
    unsteady: ["b: lost a race"],
  });
  expect(legResult(first, { files: [good("b"), good("c")] })).toEqual({
    passed: 30,
    failed: [],
    unsteady: ["b: lost a race", "c: is broken"],
  });
});

test("a file that does not run again has failed, and so has a run that fails for no file's reason", () => {
  expect(legResult(first, { files: [good("b")] })).toMatchObject({
    failed: ["c: is broken"],
    unsteady: ["b: lost a race"],
  });
  expect(legResult(first, { files: [], problem: "no report" }).failed).toEqual([
    "b: lost a race",
    "c: is broken",
    "no report",
  ]);
  expect(legResult({ files: [good("a")], problem: "exit code 1" })).toMatchObject({ failed: ["exit code 1"] });
});
