import type { Config } from "./config.ts";
import { type Db, type DbOptions, openDb } from "./db/db.ts";
import { openEmbeddedPostgres } from "./db/embedded/embedded.ts";

export type Database = {
  db: Db;
  /** The same database with separate connections for the delivery queue, which never waits for the others. */
  queue: Db;
  embedded: boolean;
  /** Restarts an embedded database that stopped. Does nothing with DATABASE_URL. */
  revive(): Promise<void>;
  /** Closes the pool, and stops an embedded database that no other process uses. */
  close(): Promise<void>;
};

/** One to claim, one to record results, one spare. */
const QUEUE_CONNECTIONS = 3;

/** Opens the configured database: DATABASE_URL, or the embedded one in DATA_DIR. The service and the CLI share this. */
export async function openDatabase(
  config: Config,
  {
    log,
    ...report
  }: { log?: (message: string) => void } & Pick<DbOptions, "onBroken" | "onEvents" | "onAnnounced"> = {},
): Promise<Database> {
  const shared = {
    pool_size: config.DATABASE_POOL_SIZE,
    named_statements: config.DATABASE_NAMED_STATEMENTS === "true",
    ...report,
  };
  const openBoth = (connection: DbOptions["connection"]) => {
    const db = openDb({ ...shared, connection });
    const queue = openDb({ ...shared, connection, pool_size: QUEUE_CONNECTIONS, along_indexes: true });
    return { db, queue, close: async () => void (await Promise.all([db.close(), queue.close()])) };
  };
  if (config.DATABASE_URL !== "") {
    const opened = openBoth({ connectionString: config.DATABASE_URL });
    return { ...opened, embedded: false, revive: async () => {} };
  }
  const embedded = await openEmbeddedPostgres({
    data_dir: config.DATA_DIR,
    ...(log && { log }),
  });
  const opened = openBoth(embedded.connection);
  return {
    ...opened,
    embedded: true,
    revive: () => embedded.ensureRunning(),
    async close() {
      await opened.close();
      await embedded.stopIfUnused();
    },
  };
}
