import { createHash } from "node:crypto";
import pg from "pg";
import { StatusRefusal } from "../domain/values/refusals.ts";
import { type IndexKeyFence, indexKeyFence } from "./index-key-fence.ts";

/** A named statement: PostgreSQL plans it once per connection. */
export type Statement<Params extends readonly unknown[], Row> = {
  readonly name: string;
  readonly text: string;
  /** The statement writes or requeues events, so the delivery loop wakes after the commit. */
  readonly writes_events?: boolean;
  /** If the row's `announced` column is not null, it holds a change, and the statement notifies all processes of it. */
  readonly announces?: boolean;
  readonly _types?: (params: Params) => Row;
};

/** Writes a statement: sql<[account_id: string], AccountRow>`select …`. Pass values as $1, $2, …, never spliced in. */
export function sql<Params extends readonly unknown[], Row = never>(
  text: TemplateStringsArray,
): Statement<Params, Row> {
  const [whole] = text;
  if (text.length !== 1 || whole === undefined) throw new Error("sql`` takes no substitutions: use $1, $2, …");
  return statementOf(whole);
}

/** Every statement of the loaded modules, by name. The tests read them. */
export const statements = new Map<string, string>();

/** For SQL built from constants, never from request data. */
export function statementOf<Params extends readonly unknown[], Row = never>(text: string): Statement<Params, Row> {
  const name = createHash("sha256").update(text).digest("hex").slice(0, 24);
  statements.set(name, text);
  return { name, text, writes_events: /\binsert into webhook_event\b/.test(text) };
}

export type Queryable = {
  rows<Params extends readonly unknown[], Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]>;
  /** The first row, or undefined. */
  row<Params extends readonly unknown[], Row>(
    statement: Statement<Params, Row>,
    params: Params,
  ): Promise<Row | undefined>;
  /** The number of rows written. */
  run<Params extends readonly unknown[]>(statement: Statement<Params, never>, params: Params): Promise<number>;
  /** For text that is not a constant (migrations, backups). Not a named statement. */
  raw(text: string, params?: readonly unknown[]): Promise<{ rows: Record<string, unknown>[]; count: number }>;
};

/** A pool or an open transaction. Code that receives one need not know which. */
export type Database = Queryable & {
  readonly in_transaction: boolean;
  /** Opens a transaction. Inside one, the work joins it and commits or rolls back with it. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>, mode?: "read committed" | "repeatable read"): Promise<Result>;
};

export type Tx = Database & { readonly in_transaction: true };

export type Db = Database & {
  /**
   * The same database for one account: the row-level policies show and accept rows of this account alone. The setting
   * lasts for one transaction, so that no connection remembers an account.
   */
  of(account_id: string): Database;
  /** A separate connection outside the pool, for LISTEN. The caller ends it. */
  connect(): Promise<pg.Client>;
  /** Connections that open from now on must find this index key in the database (ADR 0052). */
  requireIndexKey(index_key_id: string): void;
  close(): Promise<void>;
};

export type DbOptions = {
  connection: pg.ClientConfig;
  pool_size: number;
  named_statements: boolean;
  /** Called when a connection breaks, so that the supervisor checks an embedded database. */
  onBroken?: (error: Error) => void;
  /**
   * Forces index plans and disables JIT. For tables that are empty most of the time and full a moment later: a plan made
   * while the table was empty would read all of it.
   */
  along_indexes?: boolean;
  /** Called after each commit that may have written events, so that no use case can forget it. */
  onEvents?: () => void;
  /** Called after each commit with the change it announced, so that this process need not wait for the notification. */
  onAnnounced?: (change: string) => void;
  /** How long a statement may go unanswered before we treat the database as unreachable. */
  silent_after_ms?: number;
  /** What each connection passes before it serves anything. Null for the rotation of the index key itself. */
  fence?: IndexKeyFence | null;
};

/** Callbacks about the statements that were sent. */
type Watcher = Pick<DbOptions, "onEvents" | "onAnnounced"> & {
  onRaw?: () => void;
  onSilent?: (error: Error) => void;
};
/** The driver accepts a timeout per query, but its types omit it. */
type LimitedQuery = pg.QueryConfig & { query_timeout?: number };

const STATEMENT_TIMEOUT_MS = 15_000;
/**
 * By then the database has canceled the statement itself, or it is unreachable. A machine that lost power closes no
 * connection, and the operating system would wait a quarter of an hour for it.
 */
const SILENT_AFTER_MS = STATEMENT_TIMEOUT_MS + 5_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Our statements are short: compiling one takes longer than running it. */
const NO_COMPILER = "set jit = off";
const NO_SCANS = ["enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin"].map(
  (name) => `set ${name} = off`,
);
/**
 * PostgreSQL plans a named statement once per connection and keeps the plan until it analyzes the table. A plan for an
 * empty table may search by the wrong index, because all indexes cost the same then, and reads every row once the table
 * is full. So a connection plans again after this many uses, and each time its uses have doubled: no plan is for a
 * table much smaller than the present one.
 */
const FIRST_REPLAN = 64;
/** By then autovacuum has analyzed each table that grows. */
const LAST_REPLAN = 65_536;
const BUSY_RETRY_AFTER_S = 1;

// Our bigint values stay below 2^53, and a date is a calendar date, not an instant in some time zone.
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === pg.types.builtins.INT8) return Number;
    if (oid === pg.types.builtins.DATE) return String;
    return pg.types.getTypeParser(oid, format as "text");
  }) as pg.CustomTypesConfig["getTypeParser"],
};

export function openDb(options: DbOptions): Db {
  const {
    connection,
    pool_size,
    named_statements,
    onBroken,
    silent_after_ms: query_timeout = SILENT_AFTER_MS,
    fence = indexKeyFence(),
  } = options;
  const limited = (text: string): LimitedQuery => ({ text, query_timeout });
  const clientConfig: pg.ClientConfig = {
    application_name: "pestle",
    ...connection,
    types,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
  };
  const pool = new pg.Pool({
    ...clientConfig,
    max: pool_size,
    idleTimeoutMillis: 60_000,
    // By default PostgreSQL replans some named statements on every execution. Ours all start with a key, so a new plan
    // costs more than it gains.
    onConnect: async (client: pg.ClientBase) => {
      const settings = [
        NO_COMPILER,
        ...(named_statements ? ["set plan_cache_mode = force_generic_plan"] : []),
        ...(options.along_indexes ? NO_SCANS : []),
      ];
      if (fence === null) await client.query(limited(settings.join("; ")));
      else await fence.enter(client, settings, query_timeout);
      // Prepared once here, so that a statement of an account only binds it.
      if (named_statements) await client.query({ ...limited(enterText("$1")), name: ENTER, values: [""] });
    },
  });
  // Without a listener, a broken idle connection would crash the process.
  pool.on("error", (error) => onBroken?.(error));
  pool.on("connect", neverUnheard);
  const uses = new WeakMap<pg.ClientBase, number>();
  if (named_statements) {
    pool.on("acquire", (client) => {
      const count = (uses.get(client) ?? 0) + 1;
      uses.set(client, count);
      // The statements of the new owner queue behind it. They report a broken connection.
      if (isReplan(count)) client.query(limited("discard plans")).catch(() => {});
    });
  }

  /**
   * One statement outside a transaction. `pool.query` would close the connection after every error, also after a lost race,
   * and a new connection costs a password check.
   */
  const alone = async (query: LimitedQuery, account_id: string | undefined): Promise<pg.QueryResult> => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      if (account_id === undefined) return await client.query(query);
      return await new Promise((resolve, reject) => {
        client.query(new AccountQuery(account_id, named_statements, query, resolve, reject));
      });
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  };

  const queryable = (target: pg.Pool | pg.PoolClient, watcher: Watcher, account_id?: string): Queryable => {
    const send = async (query: LimitedQuery) => {
      try {
        if (target !== pool) return await target.query(query);
        return await alone(query, account_id);
      } catch (error) {
        if (isSilence(error)) watcher.onSilent?.(error);
        throw unavailable(error, onBroken);
      }
    };
    const named = async (statement: Statement<never, unknown>, params: readonly unknown[]) => {
      const { name, text } = statement;
      const values = params as unknown[];
      const result = await send({ ...(named_statements && { name }), text, values, query_timeout });
      if (statement.writes_events) watcher.onEvents?.();
      if (statement.announces) {
        for (const { announced } of result.rows) if (announced !== null) watcher.onAnnounced?.(announced);
      }
      return result;
    };
    return {
      rows: async (statement, params) => (await named(statement as Statement<never, unknown>, params)).rows,
      row: async (statement, params) => (await named(statement as Statement<never, unknown>, params)).rows[0],
      run: async (statement, params) => (await named(statement as Statement<never, unknown>, params)).rowCount ?? 0,
      raw: async (text, params = []) => {
        // No timeout, because the caller may have lifted the limits, as a backup does.
        watcher.onRaw?.();
        const result = await send({ text, values: params as unknown[] });
        return { rows: result.rows ?? [], count: result.rowCount ?? 0 };
      },
    };
  };

  const database = (account_id?: string): Database => ({
    ...queryable(pool, options, account_id),
    in_transaction: false,
    async transaction(work, mode = "read committed") {
      const client = await pool.connect().catch((error) => {
        throw unavailable(error, onBroken);
      });
      let broken: Error | undefined;
      let has_events = false;
      let unlimited = false;
      const announced: string[] = [];
      const watcher: Watcher = {
        onEvents: () => {
          has_events = true;
        },
        onAnnounced: (change) => announced.push(change),
        onRaw: () => {
          unlimited = true;
        },
        onSilent: rememberBroken,
      };
      client.on("error", rememberBroken);
      try {
        const begin = `begin isolation level ${mode}`;
        await client.query(limited(account_id === undefined ? begin : `${begin}; ${enterAccount(account_id)}`));
        const tx: Tx = {
          ...queryable(client, watcher),
          in_transaction: true,
          transaction: (joined) => joined(tx),
        };
        const result = await work(tx);
        await client.query(unlimited ? "commit" : limited("commit"));
        if (has_events) options.onEvents?.();
        for (const change of announced) options.onAnnounced?.(change);
        return result;
      } catch (error) {
        if (isSilence(error)) rememberBroken(error);
        // Already timed out; a ROLLBACK would hang too.
        if (broken === undefined) await client.query(limited("rollback")).catch(rememberBroken);
        throw unavailable(error, onBroken);
      } finally {
        client.off("error", rememberBroken);
        client.release(broken);
      }
      function rememberBroken(error: Error) {
        broken = error;
      }
    },
  });

  return {
    ...database(),
    of: (account_id) => database(account_id),
    async connect() {
      const client = new pg.Client({ ...clientConfig, statement_timeout: 0 });
      neverUnheard(client);
      await client.connect();
      try {
        await fence?.enter(client, [], query_timeout);
      } catch (error) {
        await client.end().catch(() => {});
        throw error;
      }
      return client;
    },
    requireIndexKey: (index_key_id) => fence?.require(index_key_id),
    close: () => pool.end(),
  };
}

const isReplan = (uses: number) => uses >= FIRST_REPLAN && uses <= LAST_REPLAN && Number.isInteger(Math.log2(uses));

/** The setting that the row-level policies compare with `account_id`. */
export const ACCOUNT_SETTING = "pestle.account_id";
const ENTER = "pestle_enter_account";
const enterText = (value: string) => `select set_config('${ACCOUNT_SETTING}', ${value}, true)`;
const enterAccount = (account_id: string) => enterText(pg.escapeLiteral(account_id));

/**
 * One statement of one account, in one round trip. The setting and the statement go out before one Sync, which makes
 * them one transaction: the setting ends with it.
 */
class AccountQuery extends pg.Query {
  readonly #account_id: string;
  readonly #named: boolean;
  #entered = false;
  readonly query_timeout: number | undefined;

  constructor(
    account_id: string,
    named: boolean,
    { query_timeout, ...query }: LimitedQuery,
    resolve: (result: pg.QueryResult) => void,
    reject: (error: Error) => void,
  ) {
    super({ ...query, queryMode: "extended" } as pg.QueryConfig, (error, result) =>
      error ? reject(error) : resolve(result),
    );
    this.#account_id = account_id;
    this.#named = named;
    this.query_timeout = query_timeout;
  }

  override submit = (connection: pg.Connection) => {
    const statement = this.#named ? ENTER : "";
    connection.stream.cork();
    try {
      if (!this.#named) connection.parse({ name: "", text: enterText("$1"), types: [] }, true);
      connection.bind({ portal: "", statement, values: [this.#account_id] } as pg.BindConfig, true);
      connection.execute({ portal: "", rows: "" }, true);
      return pg.Query.prototype.submit.call(this, connection);
    } finally {
      connection.stream.uncork();
    }
  };

  handleDataRow(message: unknown) {
    if (this.#entered) inherited.handleDataRow.call(this, message);
  }

  handleCommandComplete(message: unknown, connection: pg.Connection) {
    if (this.#entered) inherited.handleCommandComplete.call(this, message, connection);
    this.#entered = true;
  }
}
/** The driver calls these, but its types omit them. */
const inherited = pg.Query.prototype as unknown as {
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
};

/**
 * An answer and the end of its connection may arrive in one packet. The connection then breaks before its new owner has
 * added a listener, and an error event without a listener crashes the process. The owner gets the error with its next
 * query.
 */
function neverUnheard(client: pg.ClientBase): void {
  client.on("error", () => {});
}

/** 08: connection, 53: resources, 57P0x: shutdown or startup, 25P03: idle in transaction, 25006: read-only after a failover. */
const OUT_OF_REACH = /^(08|53|57P0|25P03|25006)/;
const SOCKET_ERRORS = new Set(["ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH"]);
// The driver sets no code on these.
const SILENCE = "Query read timeout";
const isSilence = (error: unknown): error is Error => error instanceof Error && error.message === SILENCE;
const DRIVER_TROUBLE =
  /Connection terminated|timeout exceeded when trying to connect|connection timeout|Client has encountered a connection error/i;

/** An unreachable database is a 503 with Retry-After, never the caller's error. */
function unavailable(error: unknown, onBroken: DbOptions["onBroken"]): unknown {
  if (!(error instanceof Error) || error instanceof StatusRefusal) return error;
  const code = (error as { code?: string }).code ?? "";
  if (!OUT_OF_REACH.test(code) && !SOCKET_ERRORS.has(code) && !DRIVER_TROUBLE.test(error.message) && !isSilence(error))
    return error;
  onBroken?.(error);
  return new StatusRefusal(503, BUSY_RETRY_AFTER_S);
}
