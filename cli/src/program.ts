import { Command, CommanderError, Option } from "commander";
import { type Failure, failureKinds } from "./errors.ts";
import { type Output, print } from "./output.ts";

/** One command. The help, the parser and the tests all read this. */
export type CommandRow = {
  /** "start", or a group and a verb: "partner create". */
  name: string;
  summary: string;
  argument?: ArgumentRow;
  /** `run` receives the second argument in the options, under its name. */
  second_argument?: ArgumentRow;
  options?: readonly OptionRow[];
  /** Command lines without `pestle`, most common first. */
  examples: readonly [string, ...string[]];
  /** What the command lists, if it can: `--json` then prints the items in the shape of every list. */
  lists?: string;
  /** Set for `start` and `mcp`, which run until stopped. Every other command takes --json. */
  runs_on?: true;
  /** Tests pass `env` in place of the process environment. */
  run(options: Record<string, unknown>, argument: string, env?: NodeJS.ProcessEnv): Promise<Output | undefined>;
};
type ArgumentRow = readonly [
  name: string,
  meaning: string,
  /** `words`: common values, for shell completion. */
  rules?: { optional?: true; words?: readonly string[] },
];
type OptionRow = readonly [flags: string, meaning: string, rules?: { required?: true; choices?: readonly string[] }];

/** A program of commands: `pestle` with the service, or the partner's command line alone. */
export type Program = {
  /** What the user types before a command. */
  command: string;
  description: string;
  version: string;
  /** The meaning of each group of commands. */
  groups: Readonly<Record<string, string>>;
  /** The first words of the commands under each heading of the help. */
  headings: Readonly<Record<string, readonly string[]>>;
  footer: string;
  explain(error: unknown): Failure;
};

const EXIT_CODES = `Exit codes: 0 success${Object.values(failureKinds)
  .map(({ exit_code, meaning }) => `,\n  ${exit_code} ${meaning}`)
  .join("")}.
With --json, a failure is one JSON object on standard error.`;

/** Parses the arguments, runs the command and exits with its code. */
export async function runProgram(about: Program, rows: readonly CommandRow[]): Promise<void> {
  // A reader that closes the pipe early (`| head`) is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  try {
    await createProgram(about, rows).parseAsync();
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const failure = about.explain(error);
    const message = inWordsOf(about, failure.message);
    if (message !== "") {
      // Commander may have refused the arguments, so the parsed options cannot tell.
      const json = process.argv.includes("--json");
      process.stderr.write(json ? `${JSON.stringify({ ...failure, message })}\n` : `pestle: ${message}\n`);
    }
    process.exit(failure.exit_code);
  }
}

/** Texts name commands as `pestle …`. */
const inWordsOf = ({ command }: Program, text: string): string =>
  command === "pestle" ? text : text.replaceAll(/(^|[`$ (])pestle (?=[a-z])/g, `$1${command} `);

export function createProgram(about: Program, rows: readonly CommandRow[]): Command {
  const program = new Command(about.command).description(about.description).version(about.version);
  // Subcommands inherit both. runProgram prints the error, so Commander must not.
  program.exitOverride().configureOutput({ outputError: () => {} });
  // Without this the program's --version would shadow a command's.
  program.enablePositionalOptions();
  program.addHelpText("after", `\n${about.footer}\n${EXIT_CODES}`);
  for (const row of rows) addCommand(program, about, row);
  for (const [heading, words] of Object.entries(about.headings)) {
    for (const command of program.commands) if (words.includes(command.name())) command.helpGroup(`${heading}:`);
  }
  return program;
}

function addCommand(program: Command, about: Program, row: CommandRow): void {
  const [first = "", verb] = row.name.split(" ");
  const command = verb === undefined ? program.command(first) : groupOf(program, about, first).command(verb);
  command.description(inWordsOf(about, row.summary));
  for (const argument of [row.argument, row.second_argument]) {
    if (argument === undefined) continue;
    const [name, meaning, rules] = argument;
    command.argument(rules?.optional ? `[${name}]` : `<${name}>`, inWordsOf(about, meaning));
  }
  for (const [flags, meaning, rules] of row.options ?? []) {
    const option = new Option(flags, inWordsOf(about, meaning));
    if (rules?.choices !== undefined) option.choices(rules.choices);
    command.addOption(option.makeOptionMandatory(rules?.required ?? false));
  }
  if (!row.runs_on) command.option("--json", "print JSON");
  const examples = row.examples.map(
    (line) => `  $ ${inWordsOf(about, line.includes("pestle") ? line : `pestle ${line}`)}`,
  );
  command.addHelpText("after", `\nExamples:\n${examples.join("\n")}`);
  command.action(async () => {
    const options = command.opts();
    if (row.second_argument !== undefined) options[row.second_argument[0]] = command.args[1];
    const output = await row.run(options, command.args[0] ?? "");
    if (output === undefined) return;
    print({ ...output, text: inWordsOf(about, output.text) }, options["json"] === true);
    if (output.failed) process.exitCode = 1;
  });
}

function groupOf(program: Command, { groups }: Program, name: string): Command {
  return (
    program.commands.find((command) => command.name() === name) ?? program.command(name).description(groups[name] ?? "")
  );
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Runs until the work ends or the user presses Ctrl-C. Ctrl-C is a normal end, not a failure. */
export async function untilStopped(work: (stop: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const end = () => stop.abort();
  for (const signal of SIGNALS) process.once(signal, end);
  try {
    await work(stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
}
