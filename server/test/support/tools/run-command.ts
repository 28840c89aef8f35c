import type { Output } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { loadCommands } from "../../../src/cli/commands.ts";
import { explainHere } from "../../../src/cli/explain.ts";

const commands = await loadCommands();

/** A command in this process: its output, or its error. */
export async function runCommand<Data = never>(
  env: Record<string, string>,
  name: string,
  options: Record<string, unknown> = {},
  argument = "",
) {
  const row = commands.find((command) => command.name === name) as CommandRow;
  const output = (await row.run(options, argument, env)) as Output & { data: Data };
  // docs/cli.md says which commands list.
  const { data } = output as Output;
  const listed = Array.isArray(data) || "next_cursor" in data;
  if (listed && row.lists === undefined) throw new Error(`${name} lists, but its row does not say what.`);
  return output;
}

/** The exit code and the error line of a command that fails. */
export const refusalOf = (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => "done",
    (error) => `${explainHere(error).exit_code} ${explainHere(error).message}`,
  );
