import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("the sample projects verify with the documented verifiers", () => {
  for (const [language, file] of [
    ["python", "verify.py"],
    ["php", "verify.php"],
  ]) {
    expect(textOf(`cli/samples/${language}/${file}`)).toBe(textOf(`docs/verifiers/${file}`));
  }
});

test("the TypeScript sample uses our own versions of its packages", () => {
  const { dependencies, devDependencies } = JSON.parse(textOf("cli/samples/typescript/package.json"));
  expect(dependencies).toEqual({ "@pestle/sdk": JSON.parse(textOf("sdk/package.json")).version });
  expect(devDependencies).toEqual({ tsx: JSON.parse(textOf("package.json")).devDependencies.tsx });
});
