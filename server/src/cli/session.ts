import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { openDatabase } from "../database.ts";
import type { Db } from "../db/db.ts";
import { migrationState } from "../db/migrate.ts";
import { StatusRefusal } from "../domain/values/refusals.ts";
import { AdminRefusal } from "../usecases/accounts/admin-refusal.ts";
import { masterKeys } from "../vault/master-key.ts";
import { openVault, type Vault } from "../vault/vault.ts";
import { reason } from "./errors.ts";

export type Session = { config: Config; db: Db; now: Date };

/**
 * Opens the database, runs, closes. Beside a running service the embedded database is shared and left running;
 * without one it is started and stopped again.
 */
export async function withDatabase<Result>(
  config: Config,
  work: (session: Session) => Promise<Result>,
  { create = false } = {},
): Promise<Result> {
  // A command typed in the wrong folder must not leave a new database there.
  if (!create && !hasDatabase(config)) {
    throw new AdminRefusal(
      `There is no database in ${config.DATA_DIR} yet. Set DATA_DIR, or run \`pestle start\` first.`,
    );
  }
  let trouble: Error | undefined;
  const onBroken = (error: Error) => {
    trouble = error;
  };
  const database = await openDatabase(config, { onBroken });
  try {
    return await work({ config, db: database.db, now: new Date() });
  } catch (error) {
    if (!(error instanceof StatusRefusal)) throw error;
    const remedy =
      config.DATABASE_URL === "" ? "DATA_DIR/postgres.log says why." : "Check that it runs, and DATABASE_URL.";
    throw new AdminRefusal(`The database is out of reach: ${reason(trouble)}. ${remedy}`, { cause: trouble });
  } finally {
    await database.close();
  }
}

/** For commands that need this build's tables. They change nothing of the schema: that is for `migrate` and `start`. */
export function withSchema<Result>(config: Config, work: (session: Session) => Promise<Result>): Promise<Result> {
  return withDatabase(config, async (session) => {
    const { pending } = await migrationState(session.db);
    if (pending.length > 0)
      throw new AdminRefusal("The database is older than this build. Run `pestle migrate` first.");
    return work(session);
  });
}

/** For commands that seal or open. */
export function withVault<Result>(
  config: Config,
  work: (session: Session & { vault: Vault }) => Promise<Result>,
): Promise<Result> {
  return withSchema(config, async (session) =>
    work({ ...session, vault: await openVault(session.db, (make) => masterKeys(config, make), session.now) }),
  );
}

export const hasDatabase = (config: Config) =>
  config.DATABASE_URL !== "" ||
  ["postgres", "postgres.location"].some((name) => existsSync(join(config.DATA_DIR, name)));
