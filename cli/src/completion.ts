import {
  bashCompletion,
  type CompletedOption,
  type CompletedPlace,
  type CompletedWord,
  fishCompletion,
  zshCompletion,
} from "./completion-scripts.ts";
import { WrongUsage } from "./errors.ts";
import type { CommandRow } from "./program.ts";

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };
type Shell = keyof typeof shells;
const shellNames = Object.keys(shells) as Shell[];

/** Takes the commands as a function because this command is one of them. */
export const completionCommand = (
  load: () => Promise<readonly CommandRow[]>,
  groups: Readonly<Record<string, string>>,
): CommandRow => ({
  name: "completion",
  summary: "print a shell completion script for `pestle` and `npx pestle`",
  argument: ["shell", `one of ${shellNames.join(", ")}`, { words: shellNames }],
  examples: [
    'eval "$(pestle completion bash)"',
    'eval "$(npx pestle completion bash)"',
    "pestle completion zsh > ~/.zfunc/_pestle",
    "pestle completion fish > ~/.config/fish/completions/pestle.fish",
  ],
  async run(_options, shell) {
    const write = shells[shell as Shell];
    if (write === undefined) throw new WrongUsage(`The shell must be one of ${shellNames.join(", ")}.`);
    const script = write(completedPlaces(await load(), groups));
    return { data: { shell, script }, text: script.trimEnd() };
  },
});

function completedPlaces(rows: readonly CommandRow[], groups: Readonly<Record<string, string>>): CompletedPlace[] {
  const first = new Map<string, string>();
  const verbs = new Map<string, CompletedWord[]>();
  for (const { name, summary } of rows) {
    const [group = "", verb] = name.split(" ");
    if (verb === undefined) first.set(group, summary);
    else if (!first.has(group)) first.set(group, groups[group] ?? "");
    if (verb !== undefined) verbs.set(group, [...(verbs.get(group) ?? []), { word: verb, meaning: summary }]);
  }
  const isCommand = (path: string) => rows.some(({ name }) => name === path);
  const top = [...first].map(([word, meaning]) => ({ word, meaning }));
  const version = { flag: "--version", meaning: "print the version", takes: "nothing" as const, choices: [] };
  return [
    { path: "", words: top, options: [version, HELP] },
    ...[...verbs].filter(([path]) => !isCommand(path)).map(([path, words]) => ({ path, words, options: [HELP] })),
    // A command can be a group too, such as `certify`.
    ...rows.map((row) => {
      const words = [...(verbs.get(row.name) ?? []), ...wordsOf(row)];
      return { path: row.name, words, options: optionsOf(row) };
    }),
  ];
}

const HELP: CompletedOption = { flag: "--help", meaning: "show help", takes: "nothing", choices: [] };
const JSON_FLAG: CompletedOption = { flag: "--json", meaning: "print JSON", takes: "nothing", choices: [] };

const wordsOf = ({ argument, second_argument }: CommandRow): CompletedWord[] =>
  [...(argument?.[2]?.words ?? []), ...(second_argument?.[2]?.words ?? [])].map((word) => ({ word, meaning: "" }));

function optionsOf({ options = [], runs_on }: CommandRow): CompletedOption[] {
  const own = options.map(([flags, meaning, rules]): CompletedOption => {
    const [, flag = flags, value = ""] = /(--[a-z-]+)(?: (.+))?$/.exec(flags) ?? [];
    const takes = value === "" ? "nothing" : value.endsWith("...>") ? "many" : "one";
    return { flag, meaning, takes, choices: rules?.choices ?? [] };
  });
  return [...own, ...(runs_on ? [] : [JSON_FLAG]), HELP];
}
