import { describeConfig } from "../../config.ts";
import { table } from "../output.ts";
import type { CommandRow } from "../program.ts";

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
