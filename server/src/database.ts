import type { Config } from "./config.ts";
import { type Db, type DbOptions, openDb } from "./db/db.ts";
import { openEmbeddedPostgres } from "./db/embedded/embedded.ts";

export type Database = {
  db: Db;
  /** The same with a few connections of its own for the queue of deliveries, which never waits for the others. */
  queue: Db;
  embedded: boolean;
  /** Starts an embedded database again that went away; with DATABASE_URL that is not ours to do. */
  revive(): Promise<void>;
  /** Closes the pool, and stops an embedded database that nobody else uses. */
  close(): Promise<void>;
};

/** One claims, one writes down, one to spare. */
const QUEUE_CONNECTIONS = 3;

/** The database that the settings name: yours, or one of our own in DATA_DIR. The CLI opens it the same way. */
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
