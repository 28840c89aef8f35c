import { existsSync } from "node:fs";
import { join } from "node:path";
import { reason } from "@pestle/cli/errors";
import type { Config } from "../config.ts";
import { type Database, openDatabase } from "../database.ts";
import type { Db } from "../db/db.ts";
import { IndexKeyRefusal } from "../db/index-key-fence.ts";
import { migrationState } from "../db/migrate.ts";
import { StatusRefusal } from "../domain/values/refusals.ts";
import { AdminRefusal } from "../usecases/accounts/admin-refusal.ts";
import { sealOldRows } from "../usecases/operations/seal-old-rows.ts";
import { masterKeys } from "../vault/master-key.ts";
import { openVault, type Vault } from "../vault/vault.ts";
import { auditCommand } from "./audit-command.ts";

/** `db` works across accounts, and `tenants` for one account at a time. */
export type Session = { config: Config; db: Db; tenants: Db; replicas: Database["replicas"]; now: Date };

/**
 * Opens the database, runs the work and closes it. If a service is running, the command shares its embedded database
 * and leaves it running; otherwise the command starts the database and stops it again.
 */
export const withDatabase = <Result>(config: Config, work: (session: Session) => Promise<Result>): Promise<Result> =>
  opened(config, ({ db, tenants, replicas }) => work({ config, db, tenants, replicas, now: new Date() }));

/** The database as the owner of the tables, and how to find the other roles. */
export type OwnerSession = Pick<Database, "roles"> & { db: Db; now: Date };

/** For commands that need the owner of the tables: migrations, backups and restores. */
export const withOwner = <Result>(
  config: Config,
  work: (session: OwnerSession) => Promise<Result>,
  { rotates = false, ...options }: { create?: boolean; rotates?: boolean } = {},
): Promise<Result> =>
  opened(
    config,
    async (database) => {
      const db = database.openOwner({ rotates });
      try {
        return await work({ db, roles: database.roles, now: new Date() });
      } finally {
        await db.close();
      }
    },
    options,
  );

async function opened<Result>(
  config: Config,
  work: (database: Database) => Promise<Result>,
  { create = false } = {},
): Promise<Result> {
  // A command run in the wrong folder must not create a database there.
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
    return await work(database);
  } catch (error) {
    if (!(error instanceof StatusRefusal) || error instanceof IndexKeyRefusal) throw error;
    const remedy =
      config.DATABASE_URL === "" ? "See DATA_DIR/postgres.log." : "Check that it is running, and check DATABASE_URL.";
    throw new AdminRefusal(`Cannot reach the database: ${reason(trouble)}. ${remedy}`, { cause: trouble });
  } finally {
    await database.close();
  }
}

/** For commands that need this build's tables. Only `migrate` and `start` change the schema. */
export function withSchema<Result>(config: Config, work: (session: Session) => Promise<Result>): Promise<Result> {
  return withDatabase(config, async (session) => {
    await enterSchema(session);
    return work(session);
  });
}

/** Refuses an older schema, and writes the command's audit entry. */
export async function enterSchema({ db, now }: { db: Db; now: Date }): Promise<void> {
  const { pending } = await migrationState(db);
  if (pending.length > 0) throw new AdminRefusal("The database is older than this build. Run `pestle migrate` first.");
  await auditCommand(db, now);
}

/** For commands that encrypt or decrypt. */
export function withVault<Result>(
  config: Config,
  work: (session: Session & { vault: Vault }) => Promise<Result>,
): Promise<Result> {
  return withSchema(config, async (session) => {
    const vault = await openVault(session.db, (make) => masterKeys(config, make), session.now);
    // The service has done this unless it never started since the upgrade.
    await sealOldRows(session.db, vault);
    return work({ ...session, vault });
  });
}

export const hasDatabase = (config: Config) =>
  config.DATABASE_URL !== "" ||
  ["postgres", "postgres.location"].some((name) => existsSync(join(config.DATA_DIR, name)));
