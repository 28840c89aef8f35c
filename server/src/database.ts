import type { Config } from "./config.ts";
import { type Db, openDb } from "./db/db.ts";
import { openEmbeddedPostgres } from "./db/embedded.ts";

export type Database = {
  db: Db;
  embedded: boolean;
  /** Starts an embedded database again that went away; with DATABASE_URL that is not ours to do. */
  revive(): Promise<void>;
  /** Closes the pool, and stops an embedded database that nobody else uses. */
  close(): Promise<void>;
};

/** The database that the settings name: yours, or one of our own in DATA_DIR. The CLI opens it the same way. */
export async function openDatabase(
  config: Config,
  report: { log?: (message: string) => void; onBroken?: (error: Error) => void; onEvents?: () => void } = {},
): Promise<Database> {
  const shared = {
    pool_size: config.DATABASE_POOL_SIZE,
    named_statements: config.DATABASE_NAMED_STATEMENTS === "true",
    ...(report.onBroken === undefined ? {} : { onBroken: report.onBroken }),
    ...(report.onEvents === undefined ? {} : { onEvents: report.onEvents }),
  };
  if (config.DATABASE_URL !== "") {
    const db = openDb({ ...shared, connection: { connectionString: config.DATABASE_URL } });
    return { db, embedded: false, revive: async () => {}, close: () => db.close() };
  }
  const embedded = await openEmbeddedPostgres({
    data_dir: config.DATA_DIR,
    ...(report.log === undefined ? {} : { log: report.log }),
  });
  const db = openDb({ ...shared, connection: embedded.connection });
  return {
    db,
    embedded: true,
    revive: () => embedded.ensureRunning(),
    async close() {
      await db.close();
      await embedded.stopIfUnused();
    },
  };
}
