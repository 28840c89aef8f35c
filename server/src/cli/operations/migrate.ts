import { readConfig } from "../../config.ts";
import { migrate, migrationState } from "../../db/migrate.ts";
import type { CommandRow } from "../program.ts";
import { withDatabase } from "../session.ts";

export const migrateCommand: CommandRow = {
  name: "migrate",
  summary: "bring the database up to this build (`start` does it too)",
  options: [["--status", "only tell what is pending"]],
  examples: ["migrate", "migrate --status"],
  async run({ status }, _argument, env) {
    const config = readConfig(env);
    if (status === true) {
      const { pending } = await withDatabase(config, ({ db }) => migrationState(db));
      return { data: { pending }, text: pending.length === 0 ? "Nothing is pending." : list("Pending:", pending) };
    }
    const applied = await withDatabase(config, ({ db }) => migrate(db), { create: true });
    return { data: { applied }, text: applied.length === 0 ? "Up to date already." : list("Applied:", applied) };
  },
};

const list = (title: string, names: readonly string[]) => [title, ...names.map((name) => `  ${name}`)].join("\n");
