import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asvsPage, levelOf } from "../../../../scripts/docs/asvs-page.ts";
import { asvs, chapters, levels } from "../../../../scripts/docs/asvs-table.ts";
import { ROOT } from "../../support/tools/doc-blocks.ts";

const numbersOf = (wanted: string) =>
  Object.entries(levels).flatMap(([section, all]) =>
    [...all].flatMap((level, index) => (wanted.includes(level) ? [`${section}.${index + 1}`] : [])),
  );

test("the standard has 70, 183 and 92 requirements in its levels", () => {
  expect(["1", "2", "3"].map((level) => numbersOf(level).length)).toEqual([70, 183, 92]);
});

test("every requirement of levels 1 and 2 is there once, in order, and level 3 only where it is met", () => {
  const numbers = asvs.map(({ number }) => number);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.filter((number) => levelOf(number) < 3)).toEqual(numbersOf("12"));
  expect(numbers.filter((number) => Number.isNaN(levelOf(number)))).toEqual([]);
  const beyond = asvs.filter(({ number }) => levelOf(number) === 3);
  expect(beyond.filter(({ verdict }) => verdict.kind !== "shown")).toEqual([]);
  expect(numbers.every((number) => number.split(".")[0]! in chapters)).toBe(true);
});

test("each yes names a file that exists, and each no or does not apply has a reason", () => {
  for (const { number, verdict } of asvs) {
    const files = verdict.kind === "shown" ? verdict.tests : verdict.kind === "written" ? verdict.pages : [];
    const missing = files.filter((file) => !existsSync(join(ROOT, file)));
    expect([number, missing]).toEqual([number, []]);
    expect([number, files.length > 0 || verdict.note.length > 10]).toEqual([number, true]);
    if (verdict.kind === "shown") expect(files.every((file) => file.endsWith(".test.ts"))).toBe(true);
  }
});

test("the page has a line for each row", () => {
  const lines = asvsPage().match(/^\| `\d+\.\d+\.\d+` \|/gm) ?? [];
  expect(lines.length).toBe(asvs.length);
});
