import { type PartnerOptions, partnerAccount, profileOption } from "@pestle/cli/accounts/partner-account";
import { WrongUsage } from "@pestle/cli/errors";
import { type CommandRow, untilStopped } from "@pestle/cli/program";
import { type Environment, environments } from "@pestle/contract";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { type FindCommands, toolsFor } from "./tools.ts";

type McpOptions = Pick<PartnerOptions, "profile" | "partner"> & { environment?: Environment; allowWrites?: boolean };

/** Serves an assistant on standard input and output. Nothing else may print there. */
export const mcpCommand = (findCommands: FindCommands): CommandRow => ({
  name: "mcp",
  summary: "serve a developer's assistant (Model Context Protocol): documentation, sandbox orders, errors",
  runs_on: true,
  options: [
    profileOption,
    ["--partner <name>", "a partner of the demo (default when not logged in: the first)"],
    ["--environment <environment>", "sandbox unless you name production", { choices: environments }],
    ["--allow-writes", "also offer tools that change the sandbox: simulate, create orders, act on them"],
  ],
  examples: ["mcp", "mcp --allow-writes", "mcp --profile clinic --environment production"],
  async run({ environment, allowWrites = false, ...options }: McpOptions, _argument, env) {
    if (environment === "production" && allowWrites) {
      throw new WrongUsage("--allow-writes works in the sandbox only. Omit it, or omit --environment.");
    }
    const account = await partnerAccount({ ...options, ...(environment && { environment }) }, env);
    if (account.environment === "production" && environment === undefined) {
      throw new AdminRefusal(
        `The account of ${account.chosen_by} is a production account, with real patients. Choose a sandbox account, or give --environment production.`,
      );
    }
    const tools = toolsFor({ account, chosen: options, allow_writes: allowWrites, findCommands, env });
    const { serveTools } = await import("./serve-tools.ts");
    await untilStopped((stop) => serveTools(tools, stop));
    return undefined;
  },
});
