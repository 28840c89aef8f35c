import { partnerCommandFiles } from "@pestle/cli/commands";
import { type Failure, failureKinds } from "@pestle/cli/errors";
import { loadCommands } from "../../server/src/cli/commands.ts";
import { code, fence, generated, page, table } from "./markdown.ts";

const commands = await loadCommands();

/** The first words of the commands that the partner's package has. */
const partnerWords = new Set(partnerCommandFiles.flatMap(([words]) => words));

const EXAMPLE: Failure = {
  error: "refused",
  message: "Refused. items[0].quantity (42242): wrong_type. Choose a quantity that the product offers.",
  exit_code: failureKinds.refused.exit_code,
  request_id: "5f1c2b8e-3a47-4d0b-9c6e-7d2f8a1b4c3d",
};

export function cliPage() {
  return page(
    generated("the commands in `cli/src` and `server/src/cli`"),
    "# The command line\n",
    "You will find the command you need here, and read its results and failures from a script. `pestle COMMAND --help` shows every option with examples. [The quick start](guides/quick-start.md) installs it.\n",
    "## Without the server\n",
    "A partner's developer needs only `npx @pestle/cli`: it has the commands marked with ● below, and no server and no database. Wherever these pages write `pestle orders`, `npx @pestle/cli orders` works too.\n",
    "`pestle samples create` writes a small project in TypeScript, Python or PHP: it orders in the sandbox, and its receiver verifies webhooks.\n",
    "## Which account a command uses\n",
    "A command that calls a service uses, in this order: `--client-id`, `--profile` or `PESTLE_PROFILE`, `--partner` of the demo, the default profile of `pestle login`, and the demo's first partner. `pestle whoami` shows which one that is. `--environment` never changes the account: if the account is of the other environment, the command refuses.\n",
    "## Results as JSON\n",
    "With `--json`, a command prints its result as JSON on standard output. Every list has the same shape, and `next_cursor` is null if there are no more items:\n",
    fence("json", JSON.stringify({ items: [], next_cursor: null })),
    "A command that runs until you stop it (`listen`, `logs tail`, `orders watch`) prints one JSON object per line.\n",
    "## Failures\n",
    "A failure is one line on standard error. With `--json` it is one JSON object on standard error, and standard output stays empty. `request_id` is null if no service answered. `errors`, if present, are the `errors` of the service's answer.\n",
    fence("json", JSON.stringify(EXAMPLE)),
    table(
      ["exit code", "`error`", "meaning"],
      Object.entries(failureKinds).map(([kind, { exit_code, meaning }]) => [exit_code, code(kind), meaning]),
    ),
    "A command that checks something, such as `doctor` or `orders create --dry-run`, prints its result on standard output and exits with 1 if it found a problem.\n",
    "## Commands\n",
    table(
      ["command", "`@pestle/cli`", "what it does", "lists"],
      commands.map(({ name, summary, lists = "" }) => [
        code(name),
        partnerWords.has(name.split(" ")[0]!) ? "●" : "",
        summary,
        lists,
      ]),
    ),
  );
}
