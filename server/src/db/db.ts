import { createHash } from "node:crypto";
import pg from "pg";
import type { Span } from "../domain/operations/span.ts";
import { OutOfReach, StatusRefusal } from "../domain/values/refusals.ts";
import { type IndexKeyFence, indexKeyFence } from "./index-key-fence.ts";

/** A named statement: PostgreSQL plans it once per connection. */
export type Statement<Params extends readonly unknown[], Row> = {
  readonly name: string;
  readonly text: string;
  /** The statement writes or requeues events, so the delivery loop wakes after the commit. */
  readonly writes_events?: boolean;
  /** It only reads rows, so a replica may answer it (ADR 0090). */
  readonly only_reads?: boolean;
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
  return { name, text, writes_events: /\binsert into webhook_event\b/.test(text), only_reads: onlyReads(text) };
}

/** Words of statements that write, lock or notify. A literal that contains one only costs a read of the primary. */
const EFFECTS =
  /\b(insert|update|delete|merge|truncate|lock|for (key )?share|nextval|setval|set_config|pg_\w*(notify|lock)\w*)\b/;
/** Tables that PostgreSQL does not replicate. */
export const UNLOGGED = ["rate_lease", "request_log", "server_process"];
const NOT_REPLICATED = new RegExp(`\\b(${UNLOGGED.join("|")})\\b`);
const onlyReads = (text: string) =>
  /^\s*(select|with)\b/.test(text) && !EFFECTS.test(text) && !NOT_REPLICATED.test(text);

/** For rows that outlive the request, such as cached copies: only the primary may answer. */
export const fromPrimary = <Params extends readonly unknown[], Row>(
  statement: Statement<Params, Row>,
): Statement<Params, Row> => ({ ...statement, only_reads: false });

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
  /** The same database; events that its statements write carry this trace (ADR 0088). */
  inTrace(traceparent: string): Database;
  /** The span whose children its statements are (`traced-database.ts`). */
  readonly span?: Span;
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

/** How to reach the database. */
export type Connection = pg.ClientConfig & {
  /** The same database on other machines, to try if this one is out of reach or accepts no writes. */
  others?: readonly pg.ClientConfig[];
  /** A server that accepts no writes, such as a replica, counts as out of reach. */
  writable?: boolean;
};

export type DbOptions = {
  connection: Connection;
  pool_size: number;
  named_statements: boolean;
  /**
   * The connections go through a pooler in transaction mode, so nothing lasts longer than a transaction: each begins with the
   * settings, the account and the check of the index key.
   */
  pooled?: boolean;
  /** Called for each new connection of the pool, with the id of the database's process that serves it. */
  onConnected?: (process_id: number) => void;
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
  /** The connection is of no use anymore. */
  onLost?: (error: Error) => void;
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
/**
 * Whether Citus spreads the accounts of this database over several servers (ADR 0097). Otherwise every plan is for all values,
 * because planning our statements takes longer than running them. Citus needs the account to know the server.
 */
const settle = (named_statements: boolean) =>
  `select s.spread${
    named_statements
      ? ", case when not s.spread then set_config('plan_cache_mode', 'force_generic_plan', false) end"
      : ""
  } from (select to_regclass('pg_dist_partition') is not null as spread) s`;
const NO_SCANS = { enable_seqscan: "off", enable_bitmapscan: "off", enable_hashjoin: "off", enable_mergejoin: "off" };
/**
 * PostgreSQL plans a named statement once per connection and keeps the plan until it analyzes the table. A plan for an
 * empty table may search by the wrong index, because all indexes cost the same then, and reads every row once the table
 * is full. So a connection plans again after the pool has been used this often, and each time the uses have doubled: no
 * plan is for a table much smaller than the present one, also if its connection rested while others filled the table.
 */
const FIRST_REPLAN = 64;
/** By then autovacuum has analyzed each table that grows. */
const LAST_REPLAN = 1_048_576;

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
    pooled = false,
    onBroken,
    silent_after_ms: query_timeout = SILENT_AFTER_MS,
    fence = indexKeyFence(),
  } = options;
  const limited = (text: string): LimitedQuery => ({ text, query_timeout });
  const { others = [], writable = false, ...first } = connection;
  const hosts = takeTurns([first, ...others]);
  const clientConfig = (): pg.ClientConfig => ({
    // The rotation of the index key must not take an idle connection of the pooler for one of a process.
    application_name: pooled ? "pestle pooled" : "pestle",
    ...hosts.current(),
    ...(first.application_name !== undefined && { application_name: first.application_name }),
    types,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // PgBouncer refuses these at the start of a connection.
    ...(!pooled && {
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    }),
    keepAlive: true,
  });
  const settings = {
    // Our statements are short: compiling one takes longer than running it.
    jit: "off",
    ...(options.along_indexes && NO_SCANS),
  };
  const pooledEntry = (account_id: string, index_key_id: string, ...more: string[]) => {
    const local = Object.entries({
      ...settings,
      statement_timeout: String(STATEMENT_TIMEOUT_MS),
      idle_in_transaction_session_timeout: String(STATEMENT_TIMEOUT_MS),
    }).map(([name, value]) => `set_config('${name}', '${value}', true)`);
    return `select ${[...local, enterText(account_id), `require_index_key(${index_key_id})`, ...more].join(", ")}`;
  };
  const POOLED_ENTRY = pooledEntry("$1", "$2");
  /** Known with the first connection. */
  let spread = false;
  /** What goes ahead of a statement outside a transaction, in the same round trip. */
  const entryOf = ({ account_id, traceparent }: Scope): Entry | undefined => {
    if (traceparent !== undefined) return { text: entryText({ account_id, traceparent }), values: [] };
    if (pooled) return { text: POOLED_ENTRY, values: [account_id ?? "", fence?.required() ?? null] };
    if (account_id === undefined) return undefined;
    return { ...(named_statements && { name: ENTER }), text: ENTER_TEXT, values: [account_id] };
  };
  /** The same for a transaction, as text; empty if there is nothing to set. */
  const entryText = ({ account_id, traceparent }: Scope): string => {
    const literal = (value: string | undefined) => (value === undefined ? "null" : pg.escapeLiteral(value));
    const trace = traceparent === undefined ? [] : [traceText(literal(traceparent))];
    // Citus passes this form on to the other servers.
    const local = spread && account_id !== undefined ? `; set local ${ACCOUNT_SETTING} = ${literal(account_id)}` : "";
    if (pooled) return pooledEntry(literal(account_id ?? ""), literal(fence?.required()), ...trace) + local;
    const parts = [...(account_id === undefined ? [] : [enterText(literal(account_id))]), ...trace];
    return parts.length === 0 ? "" : `select ${parts.join(", ")}${local}`;
  };
  /** The pool makes its connections with this, so that each goes to the host that is used now. */
  class PoolClient extends pg.Client {
    constructor() {
      super(clientConfig());
    }
  }
  const requireWritable = async (client: pg.ClientBase) => {
    if (!writable) return;
    const { rows } = await client.query(limited(ACCEPTS_WRITES));
    if (!rows[0].writes) throw Object.assign(new Error("The server accepts no writes."), { code: READ_ONLY });
  };
  /** Tries the hosts in turn, beginning with the one that worked last. */
  const onSomeHost = async <Opened>(open: () => Promise<Opened>): Promise<Opened> => {
    for (let tries = 1; ; tries++) {
      const place = hosts.place();
      try {
        return await open();
      } catch (error) {
        // If all connections are in use, another host does not help.
        if (!isOutOfReach(error) || ALL_IN_USE.test((error as Error).message)) throw error;
        hosts.leave(place);
        if (tries === hosts.count) throw error;
      }
    }
  };
  const pool = new pg.Pool({
    Client: PoolClient,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    max: pool_size,
    idleTimeoutMillis: 60_000,
    // By default PostgreSQL replans some named statements on every execution. Ours all start with a key, so a new plan
    // costs more than it gains.
    onConnect: async (client: pg.ClientBase) => {
      options.onConnected?.((client as pg.Client & { processID: number }).processID);
      await requireWritable(client);
      if (pooled) {
        spread = isSpread(await client.query(limited(settle(false))));
        return;
      }
      const set = Object.entries(settings).map(([name, value]) => `set ${name} = ${value}`);
      set.push(settle(named_statements));
      spread = isSpread(
        fence === null ? await client.query(limited(set.join("; "))) : await fence.enter(client, set, query_timeout),
      );
      // Prepared once here, so that a statement of an account only binds it.
      if (named_statements) await client.query({ ...limited(ENTER_TEXT), name: ENTER, values: [""] });
    },
  });
  // Without a listener, a broken idle connection would crash the process.
  pool.on("error", (error) => onBroken?.(error));
  pool.on("connect", neverUnheard);
  /** How often the pool was used when a connection planned its statements. */
  const planned = new WeakMap<pg.ClientBase, number>();
  let uses = 0;
  if (named_statements && !pooled) {
    pool.on("acquire", (client) => {
      uses += 1;
      const before = planned.get(client);
      if (before === undefined) planned.set(client, uses);
      // The statements of the new owner queue behind it. They report a broken connection.
      else if (before < LAST_REPLAN && uses >= Math.max(FIRST_REPLAN, 2 * before)) {
        planned.set(client, uses);
        client.query(limited("discard plans")).catch(() => {});
      }
    });
  }

  /** A connection of the pool. If there is none, nothing was sent. */
  const checkedOut = () =>
    onSomeHost(() => pool.connect()).catch((error) => {
      throw unavailable(error, onBroken, "nothing");
    });

  /**
   * One statement outside a transaction. `pool.query` would close the connection after every error, also after a lost race,
   * and a new connection costs a password check.
   */
  const alone = async (query: LimitedQuery, scope: Scope, announces: boolean): Promise<pg.QueryResult> => {
    const client = await checkedOut();
    let broken: Error | undefined;
    try {
      if (spread && (scope.account_id !== undefined || announces))
        return await enclosed(client, query, scope, announces);
      const entry = entryOf(scope);
      if (entry === undefined) return await client.query(query);
      return await new Promise((resolve, reject) => {
        client.query(new EnteringQuery(entry, query, resolve, reject));
      });
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || isReadOnly(error)) broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  };

  /** The same as a transaction of several servers: settings and notices leave the coordinator in a transaction only. */
  const enclosed = async (client: pg.PoolClient, query: LimitedQuery, scope: Scope, announces: boolean) => {
    try {
      await client.query(limited(["begin", entryText(scope)].filter((text) => text !== "").join("; ")));
      const result = await client.query(query);
      if (announces) await notifyAll(client, result);
      await client.query(limited("commit"));
      return result;
    } catch (error) {
      if (error instanceof pg.DatabaseError) await client.query(limited("rollback"));
      throw error;
    }
  };
  /** The processes listen on the coordinator, and a statement of an account can notify the account's server instead. */
  const notifyAll = async (client: pg.PoolClient, { rows }: pg.QueryResult) => {
    for (const { announced } of rows)
      if (announced !== null) await client.query({ ...limited(NOTIFY_TEXT), values: [announced] });
  };

  const queryable = (target: pg.Pool | pg.PoolClient, watcher: Watcher, scope: Scope = NO_SCOPE): Queryable => {
    const send = async (query: LimitedQuery, announces = false) => {
      try {
        if (target === pool) return await alone(query, scope, announces);
        const result = await target.query(query);
        if (spread && announces) await notifyAll(target as pg.PoolClient, result);
        return result;
      } catch (error) {
        if (isSilence(error) || isReadOnly(error)) watcher.onLost?.(error as Error);
        // A transaction that has not reached its commit saves nothing.
        const saved = target !== pool || isReadOnly(error) ? "nothing" : "unknown";
        throw unavailable(fence?.refusalOf(error) ?? error, onBroken, saved);
      }
    };
    const named = async (statement: Statement<never, unknown>, params: readonly unknown[]) => {
      const { name, text } = statement;
      const values = params as unknown[];
      const result = await send(
        { ...(named_statements && { name }), text, values, query_timeout },
        statement.announces,
      );
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

  const database = (scope: Scope = NO_SCOPE): Database => ({
    ...queryable(pool, options, scope),
    in_transaction: false,
    inTrace: (traceparent) => database({ ...scope, traceparent }),
    async transaction(work, mode = "read committed") {
      const client = await checkedOut();
      let broken: Error | undefined;
      let has_events = false;
      let unlimited = false;
      let committing = false;
      const announced: string[] = [];
      const watcher: Watcher = {
        onEvents: () => {
          has_events = true;
        },
        onAnnounced: (change) => announced.push(change),
        onRaw: () => {
          unlimited = true;
        },
        onLost: rememberBroken,
      };
      client.on("error", rememberBroken);
      try {
        const begin = `begin isolation level ${mode}`;
        const entry = entryText(scope);
        await client.query(limited(entry === "" ? begin : `${begin}; ${entry}`));
        const tx: Tx = {
          ...queryable(client, watcher),
          in_transaction: true,
          inTrace: () => tx,
          transaction: (joined) => joined(tx),
        };
        const result = await work(tx);
        committing = true;
        await client.query(unlimited ? "commit" : limited("commit"));
        if (has_events) options.onEvents?.();
        for (const change of announced) options.onAnnounced?.(change);
        return result;
      } catch (error) {
        if (isSilence(error) || isReadOnly(error)) rememberBroken(error as Error);
        // Already timed out; a ROLLBACK would hang too.
        if (broken === undefined) await client.query(limited("rollback")).catch(rememberBroken);
        throw unavailable(fence?.refusalOf(error) ?? error, onBroken, committing ? "unknown" : "nothing");
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
    of: (account_id) => database({ account_id }),
    connect: () =>
      onSomeHost(async () => {
        const client = new pg.Client({ ...clientConfig(), statement_timeout: 0 });
        neverUnheard(client);
        await client.connect();
        try {
          await requireWritable(client);
          await fence?.enter(client, [], query_timeout);
        } catch (error) {
          await client.end().catch(() => {});
          throw error;
        }
        return client;
      }),
    requireIndexKey: (index_key_id) => fence?.require(index_key_id),
    close: () => pool.end(),
  };
}

/** Which of several values is used now. */
function takeTurns<Value>(values: readonly [Value, ...Value[]]) {
  let place = 0;
  return {
    count: values.length,
    place: () => place,
    current: () => values[place]!,
    /** Goes on to the next one, unless another caller has done so. */
    leave(from: number) {
      if (place === from) place = (place + 1) % values.length;
    },
  };
}

/** The setting that the row-level policies compare with `account_id`. */
export const ACCOUNT_SETTING = "pestle.account_id";
const ENTER = "pestle_enter_account";
const enterText = (value: string) => `set_config('${ACCOUNT_SETTING}', ${value}, true)`;
const ENTER_TEXT = `select ${enterText("$1")}`;
/** The default of `webhook_event.traceparent` reads it. */
const TRACE_SETTING = "pestle.traceparent";
const traceText = (value: string) => `set_config('${TRACE_SETTING}', ${value}, true)`;

const isSpread = (answers: pg.QueryResult | pg.QueryResult[]): boolean =>
  [answers].flat().some(({ rows }) => rows.some((row) => row?.spread === true));
/** All processes listen on it. */
export const CHANNEL = "pestle_changes";
const NOTIFY_TEXT = `select pg_notify('${CHANNEL}', $1)`;

/** What a transaction is for. Both are settings that end with it. */
type Scope = { account_id?: string | undefined; traceparent?: string | undefined };
const NO_SCOPE: Scope = {};

/** A statement that prepares the transaction of the next one. */
type Entry = { name?: string; text: string; values: (string | null)[] };

/**
 * A statement and its entry, in one round trip. Both go out before one Sync, which makes them one transaction: the settings
 * of the entry end with it.
 */
class EnteringQuery extends pg.Query {
  readonly #entry: Entry;
  #entered = false;
  readonly query_timeout: number | undefined;

  constructor(
    entry: Entry,
    { query_timeout, ...query }: LimitedQuery,
    resolve: (result: pg.QueryResult) => void,
    reject: (error: Error) => void,
  ) {
    super({ ...query, queryMode: "extended" } as pg.QueryConfig, (error, result) =>
      error ? reject(error) : resolve(result),
    );
    this.#entry = entry;
    this.query_timeout = query_timeout;
  }

  override submit = (connection: pg.Connection) => {
    const { name, text, values } = this.#entry;
    connection.stream.cork();
    try {
      // A name is that of a statement that the connection has prepared.
      if (name === undefined) connection.parse({ name: "", text, types: [] }, true);
      connection.bind({ portal: "", statement: name ?? "", values } as pg.BindConfig, true);
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
const READ_ONLY = "25006";
const isReadOnly = (error: unknown) => (error as { code?: unknown }).code === READ_ONLY;
const ACCEPTS_WRITES = "select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writes";
const SOCKET_ERRORS = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);
// The driver sets no code on these.
const SILENCE = "Query read timeout";
const isSilence = (error: unknown): error is Error => error instanceof Error && error.message === SILENCE;
const DRIVER_TROUBLE =
  /Connection terminated|timeout expired|timeout exceeded when trying to connect|connection timeout|Client has encountered a connection error/i;

const ALL_IN_USE = /timeout exceeded when trying to connect/;

function isOutOfReach(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof StatusRefusal) return false;
  const code = (error as { code?: string }).code ?? "";
  return OUT_OF_REACH.test(code) || SOCKET_ERRORS.has(code) || DRIVER_TROUBLE.test(error.message) || isSilence(error);
}

/** The database canceled the statement after STATEMENT_TIMEOUT_MS, or an administrator did. It saved nothing. */
const CANCELED = "57014";
const SLOW_RETRY_AFTER_S = 5;

/** An unreachable database, or one that is too slow, is a 503 with Retry-After, never the caller's error. */
function unavailable(error: unknown, onBroken: DbOptions["onBroken"], saved: OutOfReach["saved"]): unknown {
  if (error instanceof pg.DatabaseError && error.code === CANCELED) {
    onBroken?.(error);
    return new StatusRefusal(503, SLOW_RETRY_AFTER_S);
  }
  if (!isOutOfReach(error)) return error;
  onBroken?.(error);
  return new OutOfReach(saved);
}
