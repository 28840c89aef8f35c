import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../support/tools/doc-blocks.ts";

const filesBelow = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(tsx?|html)$/.test(name))
    .map((name) => ({ name: `${folder}/${name}`, text: readFileSync(join(ROOT, folder, name), "utf8") }));
const server = filesBelow("server/src");
const web = filesBelow("web/src");

test("the service starts programs with a list of arguments, never through a shell", () => {
  const starting = server.filter(({ text }) => text.includes("node:child_process"));
  expect(starting.length).toBeGreaterThan(0);
  for (const { name, text } of starting) {
    const imported = /import \{([^}]*)\} from "node:child_process"/.exec(text)?.[1] ?? "*";
    const functions = imported.split(",").map((one) => one.replace("type", "").trim());
    const allowed = ["ChildProcess", "execFile", "execFileSync", "fork", "spawn", "SpawnOptions", "spawnSync", ""];
    expect([name, functions.filter((one) => !allowed.includes(one))]).toEqual([name, []]);
    expect([name, /shell:\s*(true|")/.test(text)]).toEqual([name, false]);
  }
});

test("every field for a password is masked, and no page handles pasting or forbids a password manager", () => {
  const fields = web.flatMap(({ name, text }) =>
    [...text.matchAll(/autoComplete="(?:current|new)-password"/g)].map((found) => ({
      name,
      around: text.slice(Math.max(0, found.index - 250), found.index + 250),
    })),
  );
  expect(fields.length).toBeGreaterThan(2);
  for (const { name, around } of fields) expect([name, around.includes('type="password"')]).toEqual([name, true]);
  for (const { name, text } of web) {
    expect([name, /onPaste|"paste"/.test(text)]).toEqual([name, false]);
    const unnamed = [...text.matchAll(/type="password"/g)].filter(
      ({ index }) => !/autoComplete="(current|new)-password"/.test(text.slice(index - 250, index + 250)),
    );
    expect([name, unnamed.length]).toEqual([name, 0]);
  }
});

test("no page needs a plug-in", () => {
  for (const { name, text } of web) expect([name, /<(object|embed|applet)\b/i.test(text)]).toEqual([name, false]);
});
