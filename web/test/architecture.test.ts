import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const src = fileURLToPath(new URL("../src/", import.meta.url));
const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
const imports = (file: string) =>
  [...readFileSync(join(src, file), "utf8").matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, name]) => name!);

/** The parts of `src`. Each feature of an app is a part. */
function partOf(path: string): string {
  const [first = "", second = "", ...rest] = path.split("/");
  return rest.length > 0 && (first === "dashboard" || first === "portal") ? `${first}/${second}` : first;
}

const mayUse = (part: string): readonly string[] =>
  part === "ui"
    ? ["ui"]
    : part === "app"
      ? ["app", "ui"]
      : part === "dashboard" || part === "portal"
        ? ["app", "ui", part]
        : // Features share the files next to their folders.
          [part, part.split("/")[0]!, "app", "ui"];

test("ui imports no app code, the app shell imports no screens, and features never import each other", () => {
  const wrong = files.flatMap((file) => {
    const part = partOf(file);
    return (
      imports(file)
        // The guide and the translations are text, not code.
        .filter((name) => name.startsWith(".") && !/\.(md\?raw|json)$/.test(name))
        .map((name) => partOf(join(dirname(file), name)))
        // Screen tables import every screen of their app.
        .filter(
          (used) =>
            !mayUse(part).includes(used) && !(part === used.split("/")[0] && /screens\.ts|start\.tsx$/.test(file)),
        )
        .map((used) => `${file} uses ${used}`)
    );
  });
  expect(wrong.filter((one) => !/^(welcome|docs|main)/.test(one))).toEqual([]);
});

test("nothing sets HTML, so external content always renders as text", () => {
  const sets = /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write/;
  expect(files.filter((file) => !file.startsWith("docs/") && sets.test(readFileSync(join(src, file), "utf8")))).toEqual(
    [],
  );
});
