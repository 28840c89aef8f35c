import { commandsOf, filesFor, partnerCommandFiles, partnerGroups, partnerHeadings } from "./commands.ts";
import { explain } from "./errors.ts";
import { runProgram } from "./program.ts";

/** The partner's command line: everything over the API, nothing of the service. */
export async function run(version: string): Promise<void> {
  const [, , first_word] = process.argv;
  const rows = first_word === "--version" ? [] : await commandsOf(filesFor(partnerCommandFiles, first_word));
  await runProgram(
    {
      command: "npx @pestle/cli",
      description: "The partner's command line for a Pestle pharmacy.",
      version,
      groups: partnerGroups,
      headings: partnerHeadings,
      footer: "Log in once with `npx @pestle/cli login`.",
      explain,
    },
    rows,
  );
}
