import { table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { describeConfig } from "../../config.ts";

export const configCommand: CommandRow = {
  name: "config",
  lists: "settings",
  summary: "list every setting with its value, source and meaning",
  examples: ["config", "config --json"],
  async run(_options, _argument, env) {
    const rows = describeConfig(env);
    const cells = rows.map(({ name, value, origin, meaning }) => [name, value || "-", origin, meaning]);
    return { data: rows, text: table(["setting", "value", "from", "meaning"], cells) };
  },
};
