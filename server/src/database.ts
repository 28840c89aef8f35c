import type { Config } from "./config.ts";
import { type Db, type DbOptions, openDb } from "./db/db.ts";
import { openEmbeddedPostgres } from "./db/embedded/embedded.ts";

export type Database = {
  db: Db;
  /** The same database with separate connections for the delivery queue, which never waits for the others. */
  queue: Db;
  /** The same two with the sandbox's own connections. */
  sandbox: { db: Db; queue: Db };
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
    named_statements: config.DATABASE_NAMED_STATEMENTS === "true",
    ...report,
  };
  // A pool connects when it is used, so a command that never uses the sandbox's costs nothing.
  const openAll = (connection: DbOptions["connection"]) => {
    const open = (pool_size: number) => ({
      db: openDb({ ...shared, connection, pool_size }),
      queue: openDb({ ...shared, connection, pool_size: QUEUE_CONNECTIONS, along_indexes: true }),
    });
    const production = open(config.DATABASE_POOL_SIZE);
    const sandbox = open(config.SANDBOX_POOL_SIZE);
    const pools = [production, sandbox].flatMap(({ db, queue }) => [db, queue]);
    return { ...production, sandbox, close: async () => void (await Promise.all(pools.map((pool) => pool.close()))) };
  };
  if (config.DATABASE_URL !== "") {
    const opened = openAll({ connectionString: config.DATABASE_URL });
    return { ...opened, embedded: false, revive: async () => {} };
  }
  const embedded = await openEmbeddedPostgres({
    data_dir: config.DATA_DIR,
    ...(log && { log }),
  });
  const opened = openAll(embedded.connection);
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
