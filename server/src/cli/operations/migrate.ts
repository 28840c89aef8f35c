import type { CommandRow } from "@pestle/cli/program";
import { readConfig } from "../../config.ts";
import { migrate, migrationState } from "../../db/migrate.ts";
import { withOwner } from "../session.ts";

export const migrateCommand: CommandRow = {
  name: "migrate",
  summary: "migrate the database to this build (`start` also does this)",
  options: [["--status", "only list pending migrations"]],
  examples: ["migrate", "migrate --status"],
  async run({ status }, _argument, env) {
    const config = readConfig(env);
    if (status === true) {
      const { pending } = await withOwner(config, ({ db }) => migrationState(db));
      return { data: { pending }, text: pending.length === 0 ? "No pending migrations." : list("Pending:", pending) };
    }
    const applied = await withOwner(config, async ({ db, roles }) => migrate(db, { roles: await roles() }), {
      create: true,
    });
    return { data: { applied }, text: applied.length === 0 ? "Already up to date." : list("Applied:", applied) };
  },
};

const list = (title: string, names: readonly string[]) => [title, ...names.map((name) => `  ${name}`)].join("\n");
