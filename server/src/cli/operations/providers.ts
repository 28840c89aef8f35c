import { WrongUsage } from "@pestle/cli/errors";
import { table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { PROVIDER_KINDS, PROVIDER_NAMES } from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { providersInUse } from "../../providers-in-use.ts";
import { readDemo } from "../../seed/demo-file.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { checkProviders, isProvider } from "../../usecases/providers/check-up-providers.ts";

export const providerCommands: readonly CommandRow[] = [
  {
    name: "providers list",
    summary: "show who serves production accounts: payments, carrier, addresses, email, text messages",
    examples: ["providers list"],
    async run(_options, _argument, env) {
      const chosen = inUse(env);
      const findings = checkProviders(chosen);
      const rows = PROVIDER_KINDS.map((kind, index) => ({ kind, provider: chosen[kind], ...findings[index]! }));
      return {
        data: { providers: rows.map(({ kind, provider, state, says }) => ({ kind, provider, state, says })) },
        text: table(
          ["kind", "provider", "state", ""],
          rows.map(({ kind, provider, state, says }) => [kind, provider ?? "not set", state, says]),
        ),
      };
    },
  },
  {
    name: "providers test",
    summary: "call a provider once, without an effect",
    argument: ["provider", `one of ${PROVIDER_NAMES.join(", ")}`],
    examples: ["providers test stripe", "providers test smtp"],
    async run(_options, name, env) {
      if (!isProvider(name!))
        throw new WrongUsage(`${name} is not a provider. Use one of ${PROVIDER_NAMES.join(", ")}.`);
      const chosen = inUse(env);
      if (!Object.values(chosen).includes(name))
        throw new AdminRefusal(`No setting names ${name}. See \`pestle providers list\`.`);
      // Imported here: the adapters load the ZIP tables and the fonts.
      const { adaptersInUse } = await import("../../adapters-in-use.ts");
      const quiet = { observeProvider() {}, setBreaker() {} };
      const { provider_checks } = adaptersInUse(readConfig(env), {
        demo: false,
        metrics: quiet,
        now: () => new Date(),
      });
      const { testProvider } = await import("../../usecases/providers/read-providers.ts");
      const { works, says } = await testProvider({ provider_checks }, name);
      return { data: { provider: name, works, says }, text: says, failed: !works };
    },
  },
];

function inUse(env: NodeJS.ProcessEnv | undefined) {
  const config = readConfig(env);
  return providersInUse(config, readDemo(config.DATA_DIR) !== undefined);
}
