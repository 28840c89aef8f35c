import { Command, CommanderError, Option } from "commander";
import { version } from "../version.ts";
import { explain, failureKinds } from "./errors.ts";
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

/** Help text per command group. */
export const groups: Record<string, string> = {
  partner: "partners and their accounts",
  credential: "client ids and secrets",
  user: "user accounts",
  sso: "single sign-on for staff and partners",
  rx: "prescriptions: send, explain, review",
  orders: "a partner's orders, over the API: list, create, act on, watch",
  order: "pharmacy work on orders: review, fill, check, ship, hold, print",
  report: "regulatory reports",
  statements: "a partner's monthly statements, over the API: list, show, export",
  ledger: "fees and credits of partners, and a check of the books",
  simulate: "the sandbox: prescriptions, orders, events, the clock",
  catalogue: "products that accounts can order: import, export, versions",
  stock: "inventory on hand and its ledger",
  safety: "clinical safety tables: import, show, check",
  webhooks: "webhook endpoints: add, test, statistics",
  events: "an account's events and their deliveries",
  logs: "an account's API requests",
  audit: "the audit log: verify, prove, sign, list disclosures",
  keys: "encryption keys",
  database: "the roles of your PostgreSQL",
};

const FOOTER = `
Settings come from the environment: \`pestle config\` lists them.
Exit codes: 0 success${Object.values(failureKinds)
  .map(({ exit_code, meaning }) => `,\n  ${exit_code} ${meaning}`)
  .join("")}.
With --json, a failure is one JSON object on standard error.`;

/** Parses the arguments, runs the command and exits with its code. */
export async function runProgram(rows: readonly CommandRow[]): Promise<void> {
  // A reader that closes the pipe early (`| head`) is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  try {
    await createProgram(rows).parseAsync();
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const failure = explain(error);
    if (failure.message !== "") {
      // Commander may have refused the arguments, so the parsed options cannot tell.
      const json = process.argv.includes("--json");
      process.stderr.write(json ? `${JSON.stringify(failure)}\n` : `pestle: ${failure.message}\n`);
    }
    process.exit(failure.exit_code);
  }
}

export function createProgram(rows: readonly CommandRow[]): Command {
  const program = new Command("pestle").description("Self-hosted pharmacy-as-a-service.").version(version);
  // Subcommands inherit both. runProgram prints the error, so Commander must not.
  program.exitOverride().configureOutput({ outputError: () => {} });
  // Without this the program's --version would shadow a command's.
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
