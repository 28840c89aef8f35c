import { type Config, WrongSetting } from "./config.ts";
import { connectionsTo, connectionTo, type SslSettings, withLoginOf } from "./db/connection.ts";
import { type Connection, type Db, type DbOptions, openDb } from "./db/db.ts";
import { openEmbeddedPostgres } from "./db/embedded/embedded.ts";
import { indexKeyFence } from "./db/index-key-fence.ts";
import { loadRole, type Roles } from "./db/roles.ts";
import { isSameDatabase } from "./db/same-database.ts";
import { lowerSessionPriority } from "./thread-priority.ts";

/** The connections of one environment. */
export type Pools = {
  /** For work across accounts: jobs, the pharmacy's pages, intake and commands. Its role sees every account. */
  db: Db;
  /** For requests of one account (`tenants.of`). Without an account, its role sees no row of any. */
  tenants: Db;
  /** The same database as `db`, with separate connections for the delivery queue, which never waits for the others. */
  queue: Db;
};

/** The connections to one replica, with the roles of the primary's. */
export type ReplicaPools = {
  name: string;
  production: Omit<Pools, "queue">;
  sandbox: Omit<Pools, "queue">;
  /** One connection that looks how far it is. */
  watch: Db;
};

export type Database = Pools & {
  /** The same with the sandbox's own connections. */
  sandbox: Pools;
  /** Empty without READ_DATABASE_URL. */
  replicas: readonly ReplicaPools[];
  /**
   * Opens the database as the owner of the tables, for migrations, backups and restores. The caller closes it. `rotates`:
   * for the rotation of the index key, which must be the only one with a connection.
   */
  openOwner(options?: { rotates?: boolean }): Db;
  /** Throws if the settings name more than one database: after a restore, an operator may have changed only one of them. */
  requireOne(owner: Db): Promise<void>;
  /** Undefined if one role does everything. */
  roles(): Promise<Roles | undefined>;
  embedded: boolean;
  /** Restarts an embedded database that stopped. Does nothing with DATABASE_URL. */
  revive(): Promise<void>;
  /** Closes the pools, and stops an embedded database that no other process uses. */
  close(): Promise<void>;
};

type Connections = Record<"owner" | "service" | "jobs", Connection> & {
  /** Past the pooler; undefined without one. */
  direct?: Connection;
  replicas?: ReplicaConnection[];
};
type ReplicaConnection = { name: string; service: Connection; jobs: Connection };

/** Tells the connections of the rotation from those that it must not find. */
const ROTATION_NAME = "pestle index key rotation";
/** A replica that does not answer this soon is left alone, and the primary answers. */
const REPLICA_SILENT_AFTER_MS = 2_000;
/** One to claim, one to record results, one spare. */
const QUEUE_CONNECTIONS = 3;
const OWNER_CONNECTIONS = 2;
const FEWEST_CONNECTIONS = 2;

/** Opens the configured database: DATABASE_URL, or the embedded one in DATA_DIR. The service and the CLI share this. */
export async function openDatabase(
  config: Config,
  {
    log,
    onIndexKeyChanged,
    ...report
  }: {
    log?: (message: string) => void;
    /** The index key was rotated while this process had no connection. It gets none again, so it must end. */
    onIndexKeyChanged?: ((error: Error) => void) | undefined;
  } & Pick<DbOptions, "onBroken" | "onEvents" | "onAnnounced"> = {},
): Promise<Database> {
  const pooled = config.DATABASE_DIRECT_URL !== "";
  const named = config.DATABASE_NAMED_STATEMENTS;
  // A replica that lags behind a rotation of the index key serves nothing yet. The process goes on.
  const replica_fence = indexKeyFence();
  const fence = indexKeyFence(onIndexKeyChanged);
  const named_statements = named === "auto" ? !pooled : named === "true";
  const shared = {
    named_statements,
    fence: {
      ...fence,
      require(index_key_id: string) {
        fence.require(index_key_id);
        replica_fence.require(index_key_id);
      },
    },
    ...report,
  };
  // A pool connects when it is used, so a command that never uses the sandbox's costs nothing.
  const openAll = (
    { owner, service, jobs, direct, replicas: hosts = [] }: Connections,
    split: boolean,
    forSandbox: Pick<DbOptions, "onConnected"> = {},
  ) => {
    // Change notifications need a session, which the pooler does not give.
    const listener = direct && openDb({ ...shared, connection: direct, pool_size: 1 });
    const openPool = (options: Pick<DbOptions, "connection" | "pool_size" | "along_indexes" | "onConnected">): Db => {
      const pool = openDb({ ...shared, ...options, pooled });
      return listener === undefined ? pool : { ...pool, connect: listener.connect };
    };
    const open = (pool_size: number, more: typeof forSandbox = {}): Pools => {
      const tenants = openPool({ connection: service, pool_size, ...more });
      const jobs_size = Math.max(FEWEST_CONNECTIONS, Math.ceil(pool_size / 2));
      return {
        db: split ? openPool({ connection: jobs, pool_size: jobs_size, ...more }) : tenants,
        tenants,
        queue: openPool({ connection: jobs, pool_size: QUEUE_CONNECTIONS, along_indexes: true, ...more }),
      };
    };
    const production = open(config.DATABASE_POOL_SIZE);
    const sandbox = open(config.SANDBOX_POOL_SIZE, forSandbox);
    const pools = new Set([production, sandbox].flatMap(({ db, tenants, queue }) => [db, tenants, queue]));
    const { db, tenants } = production;
    const replicas = hosts.map(({ name, ...connections }): ReplicaPools => {
      const opened = (connection: Connection, pool_size: number, more: Partial<DbOptions> = {}) => {
        const pool = openDb({ named_statements, fence: replica_fence, pooled, connection, pool_size, ...more });
        pools.add(pool);
        return pool;
      };
      const both = (pool_size: number) => {
        const tenants = opened(connections.service, pool_size);
        const jobs_size = Math.max(FEWEST_CONNECTIONS, Math.ceil(pool_size / 2));
        return { tenants, db: split ? opened(connections.jobs, jobs_size) : tenants };
      };
      return {
        name,
        production: both(config.DATABASE_POOL_SIZE),
        sandbox: both(config.SANDBOX_POOL_SIZE),
        watch: opened(connections.jobs, 1, { silent_after_ms: REPLICA_SILENT_AFTER_MS }),
      };
    });
    return {
      ...production,
      sandbox,
      replicas,
      openOwner: ({ rotates = false } = {}) =>
        openDb({
          ...shared,
          ...(rotates && { fence: null }),
          connection: rotates ? { ...owner, application_name: ROTATION_NAME } : owner,
          pool_size: OWNER_CONNECTIONS,
        }),
      async requireOne(own: Db) {
        const others = {
          DATABASE_URL: tenants,
          DATABASE_JOBS_URL: split && db,
          DATABASE_DIRECT_URL: split && listener,
        };
        const first = split ? "DATABASE_OWNER_URL" : "DATABASE_DIRECT_URL";
        if (config.DATABASE_URL === "" || (!split && !pooled)) return;
        for (const [setting, other] of Object.entries(others))
          if (other && !(await isSameDatabase(own, other)))
            throw new WrongSetting(`${setting} and ${first} lead to different databases. Set them to the same one.`);
      },
      roles: async () => (split ? { service: await loadRole(tenants), jobs: await loadRole(db) } : undefined),
      close: async () => {
        await Promise.all([...pools].map((pool) => pool.close()));
        await listener?.close();
      },
    };
  };
  if (config.DATABASE_URL !== "") {
    const ssl = { mode: config.PGSSLMODE, root_certificate_file: config.PGSSLROOTCERT };
    const service = connectionTo(config.DATABASE_URL, ssl);
    const split = config.DATABASE_JOBS_URL !== "";
    const direct = pooled ? connectionTo(config.DATABASE_DIRECT_URL, ssl) : undefined;
    const connections: Connections = {
      replicas: replicaConnections(config, ssl),
      owner: split ? connectionTo(config.DATABASE_OWNER_URL, ssl) : (direct ?? service),
      ...(direct && { direct }),
      service,
      jobs: split ? connectionTo(config.DATABASE_JOBS_URL, ssl) : service,
    };
    return { ...openAll(connections, split), embedded: false, revive: async () => {} };
  }
  const embedded = await openEmbeddedPostgres({
    data_dir: config.DATA_DIR,
    ...(log && { log }),
  });
  const opened = openAll({ ...embedded, owner: embedded.connection }, true, {
    // The database is on this machine and belongs to this user. Its processes for the sandbox let production's go first.
    onConnected: (process_id) => void lowerSessionPriority(process_id),
  });
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

function replicaConnections(config: Config, ssl: SslSettings): ReplicaConnection[] {
  const { READ_DATABASE_URL: url, DATABASE_JOBS_URL: jobs_url } = config;
  if (url === "") return [];
  const jobs = connectionsTo(jobs_url === "" ? url : withLoginOf(url, jobs_url), ssl);
  return connectionsTo(url, ssl).map(({ name, connection: service }, place) => ({
    name,
    service,
    jobs: jobs[place]!.connection,
  }));
}
