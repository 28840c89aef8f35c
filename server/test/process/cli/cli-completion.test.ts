import { spawnSync } from "node:child_process";
import type { CommandRow } from "@pestle/cli/program";
import { beforeAll, describe, expect, test } from "vitest";
import { loadCommands } from "../../../src/cli/commands.ts";

const commands = await loadCommands();

const scripts = { bash: "", zsh: "", fish: "" };
beforeAll(async () => {
  for (const shell of Object.keys(scripts) as (keyof typeof scripts)[]) {
    const { text } = (await row("completion").run({}, shell)) as { text: string };
    scripts[shell] = text;
  }
});
const row = (name: string) => commands.find((command) => command.name === name) as CommandRow;

/** What bash offers after each of these lines, whose last word is being typed. */
const offered = (...typed: string[][]) => offeredAfter(["pestle"], "_pestle", "", ...typed);

/** The same for another program, completed by this function, in a shell that ran this script before. */
function offeredAfter(program: string[], completer: string, before: string, ...typed: string[][]): string[][] {
  const driver = `${before}
${scripts.bash}
while IFS=$'\\t' read -r -a COMP_WORDS; do
  [ "\${COMP_WORDS[\${#COMP_WORDS[@]}-1]}" = . ] && COMP_WORDS[\${#COMP_WORDS[@]}-1]=""
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  ${completer}
  printf '%s\\t' "\${COMPREPLY[@]}"; echo
done`;
  // An empty last word would be lost in transit, so a dot stands for it.
  const lines = typed.map((words) => [...program, ...words.slice(0, -1), words.at(-1) || "."].join("\t")).join("\n");
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", driver], { input: `${lines}\n`, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t").filter((word) => word !== ""));
}

const flagOf = (flags: string) => /--[a-z-]+/.exec(flags)![0];
/** As a user would have to type it. */
const typable = (words: readonly string[]) => words.map((word) => word.replaceAll(" ", "\\ "));

describe("bash completes", () => {
  test("every command, in its position", () => {
    const groups = [...new Set(commands.map(({ name }) => name.split(" ")[0]!))];
    const verbs = (group: string) =>
      commands.filter(({ name }) => name.startsWith(`${group} `)).map(({ name }) => name.split(" ")[1]);
    const withVerbs = groups.filter((group) => verbs(group).length > 0);
    const [top, begun, ...rest] = offered([""], ["simu"], ...withVerbs.map((group) => [group, ""]));
    expect(top).toEqual(groups);
    expect(begun).toEqual(["simulate"]);
    expect(rest).toEqual(withVerbs.map(verbs));
  });

  test("every option of every command", () => {
    const found = offered(...commands.map(({ name }) => [...name.split(" "), "--"]));
    const wanted = commands.map(({ options = [], runs_on }) => [
      ...options.map(([flags]) => flagOf(flags)),
      ...(runs_on ? [] : ["--json"]),
      "--help",
    ]);
    expect(found).toEqual(wanted);
  });

  test("every choice, for each value of an option that accepts several", () => {
    const cases = commands.flatMap(({ name, options = [] }) =>
      options.flatMap(([flags, , rules]) =>
        rules?.choices === undefined ? [] : [{ name, flags, choices: rules.choices }],
      ),
    );
    expect(cases.length).toBeGreaterThan(20);
    const found = offered(...cases.map(({ name, flags }) => [...name.split(" "), flagOf(flags), ""]));
    expect(found).toEqual(cases.map(({ choices }) => typable(choices)));
    const several = cases.filter(({ flags }) => flags.endsWith("...>"));
    const again = offered(
      ...several.map(({ name, flags, choices }) => [...name.split(" "), flagOf(flags), choices[0]!, ""]),
    );
    expect(again).toEqual(several.map(({ choices }) => typable(choices)));
  });

  test("the usual arguments, and nothing where the value cannot be known", () => {
    const known = commands.filter(({ argument }) => argument?.[2]?.words !== undefined);
    expect(known.map(({ name }) => name)).toContain("trigger");
    expect(offered(...known.map(({ name }) => [...name.split(" "), ""]))).toEqual(
      known.map(({ argument }) => argument![2]!.words),
    );
    const [event, order, free, unknown] = offered(
      ["orders", "act", "7K2M9XQ4TB", "rel"],
      ["orders", "get", ""],
      ["orders", "list", "--patient", ""],
      ["frobnicate", ""],
    );
    expect([event, order, free, unknown]).toEqual([["release"], [], [], []]);
  });
});

describe("bash completes npx", () => {
  const npx = (before: string, ...typed: string[][]) => offeredAfter(["npx"], "_pestle_npx", before, ...typed);

  test("with pestle after it, also behind npx's own options", () => {
    expect(
      npx("", ["pestle", "simu"], ["--yes", "pestle", "orders", "act", "7K2M9XQ4TB", "rel"], ["pes"], ["prettier", ""]),
    ).toEqual([["simulate"], ["release"], ["pestle"], []]);
    const driver = `${scripts.bash}\n${scripts.bash}\ncomplete -p npx`;
    const { stdout } = spawnSync("bash", ["--norc", "-c", driver], { encoding: "utf8" });
    expect(stdout).toBe("complete -o default -F _pestle_npx npx\n");
  });

  test("and keeps the completion that npx had", () => {
    const own = "_own() { COMPREPLY=(eslint); }; complete -F _own npx";
    expect(npx(own, ["es"], ["pestle", "simu"])).toEqual([["eslint"], ["simulate"]]);
  });
});

describe("other shells accept their script", () => {
  test.each([
    ["zsh", ["-n", "/dev/stdin"]],
    ["fish", ["--no-execute", "/dev/stdin"]],
  ] as const)("%s", (shell, args) => {
    expect(scripts[shell]).toContain("orders list");
    const { error, status, stderr } = spawnSync(shell, args, { input: scripts[shell], encoding: "utf8" });
    // If the shell is not installed, there is nothing to test.
    if ((error as NodeJS.ErrnoException | undefined)?.code === "ENOENT") return;
    expect([status, stderr]).toEqual([0, ""]);
  });

  test("an unknown shell is an error", async () => {
    await expect(row("completion").run({}, "csh")).rejects.toThrow("The shell must be one of bash, zsh, fish.");
  });
});
