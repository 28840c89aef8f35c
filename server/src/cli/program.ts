import { Command, CommanderError, Option } from "commander";
import { version } from "../version.ts";
import { explain } from "./errors.ts";
import { type Output, print } from "./output.ts";

/** One command, as help, the parser and the tests know it. */
export type CommandRow = {
  /** "start", or a group and a verb: "partner create". */
  name: string;
  summary: string;
  argument?: ArgumentRow;
  /** A second one comes with the options, under its name. */
  second_argument?: ArgumentRow;
  options?: readonly OptionRow[];
  /** What is typed after `pestle`; the first is the most usual. */
  examples: readonly [string, ...string[]];
  /** Set for the one that serves until it is stopped. Every other takes --json. */
  runs_on?: true;
  /** `env` stands in for the environment in tests. */
  run(options: Record<string, unknown>, argument: string, env?: NodeJS.ProcessEnv): Promise<Output | undefined>;
};
type ArgumentRow = readonly [
  name: string,
  meaning: string,
  /** `words`: what it usually is, for shells that complete. */
  rules?: { optional?: true; words?: readonly string[] },
];
type OptionRow = readonly [flags: string, meaning: string, rules?: { required?: true; choices?: readonly string[] }];

/** What each group of commands is about. */
export const groups: Record<string, string> = {
  partner: "partners and their accounts",
  credential: "client ids and secrets",
  user: "people who sign in",
  rx: "prescriptions: send, explain, review",
  orders: "a partner's orders, over the API: list, place, act on, follow",
  order: "the pharmacy's work on orders: review, fill, check, ship, hold, print",
  report: "what authorities are told",
  simulate: "the sandbox: prescriptions, orders, events, the clock",
  catalogue: "what accounts may order: import, export, versions",
  stock: "what is on hand, and why",
  safety: "the tables that orders are checked with: import, show, check",
  webhooks: "where events are sent: endpoints, tests, statistics",
  events: "what happened in an account, and what was sent",
  logs: "an account's requests, as they come",
  keys: "the keys that secrets are sealed with",
};

const FOOTER = `
Settings come from the environment: \`pestle config\` lists them.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage or a wrong setting.`;

/** Parses the arguments, runs the command and ends the process with its exit code. */
export async function runProgram(rows: readonly CommandRow[]): Promise<void> {
  // Whoever reads only the beginning (`| head`) is no fault of ours.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  try {
    await createProgram(rows).parseAsync();
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const { line, exit_code } = explain(error);
    if (line !== "") process.stderr.write(`pestle: ${line}\n`);
    process.exit(exit_code);
  }
}

export function createProgram(rows: readonly CommandRow[]): Command {
  const program = new Command("pestle").description("Pharmacy-as-a-service, run by you.").version(version);
  // Both are inherited by the commands made below. The one line of an error is written in one place, above.
  program.exitOverride().configureOutput({ outputError: () => {} });
  // Without this the program's own --version would take a command's.
  program.enablePositionalOptions();
  program.addHelpText("after", FOOTER);
  for (const row of rows) addCommand(program, row);
  return program;
}

function addCommand(program: Command, row: CommandRow): void {
  const [first = "", verb] = row.name.split(" ");
  const command = verb === undefined ? program.command(first) : groupOf(program, first).command(verb);
  command.description(row.summary);
  for (const argument of [row.argument, row.second_argument]) {
    if (argument === undefined) continue;
    const [name, meaning, rules] = argument;
    command.argument(rules?.optional ? `[${name}]` : `<${name}>`, meaning);
  }
  for (const [flags, meaning, rules] of row.options ?? []) {
    const option = new Option(flags, meaning);
    if (rules?.choices !== undefined) option.choices(rules.choices);
    command.addOption(option.makeOptionMandatory(rules?.required ?? false));
  }
  if (!row.runs_on) command.option("--json", "print JSON");
  const examples = row.examples.map((line) => `  $ ${line.includes("pestle") ? line : `pestle ${line}`}`);
  command.addHelpText("after", `\nExamples:\n${examples.join("\n")}`);
  command.action(async () => {
    const options = command.opts();
    if (row.second_argument !== undefined) options[row.second_argument[0]] = command.args[1];
    const output = await row.run(options, command.args[0] ?? "");
    if (output === undefined) return;
    print(output, options["json"] === true);
    if (output.failed) process.exitCode = 1;
  });
}

function groupOf(program: Command, name: string): Command {
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
