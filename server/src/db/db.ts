import { createHash } from "node:crypto";
import pg from "pg";
import { StatusRefusal } from "../domain/values/refusals.ts";

/** A statement with a name of its own, so that PostgreSQL plans it once per connection. */
export type Statement<Params extends readonly unknown[], Row> = {
  readonly name: string;
  readonly text: string;
  /** It writes events or queues them again: the delivery loop is woken after the commit. */
  readonly writes_events?: boolean;
  /** It notifies all processes of a change where the column `announced` of its row is not null: that is the change. */
  readonly announces?: boolean;
  readonly _types?: (params: Params) => Row;
};

/** Writes a statement: sql<[account_id: string], AccountRow>`select …`. Parameters are $1, $2, …, never spliced. */
export function sql<Params extends readonly unknown[], Row = never>(
  text: TemplateStringsArray,
): Statement<Params, Row> {
  const [whole] = text;
  if (text.length !== 1 || whole === undefined) throw new Error("sql`` takes no substitutions: use $1, $2, …");
  return statementOf(whole);
}

/** Every statement of the loaded modules, by name: the tests read them. */
export const statements = new Map<string, string>();

/** For texts that are put together from constants, and never from anything that was sent. */
export function statementOf<Params extends readonly unknown[], Row = never>(text: string): Statement<Params, Row> {
  const name = createHash("sha256").update(text).digest("hex").slice(0, 24);
  statements.set(name, text);
  return { name, text, writes_events: /\binsert into webhook_event\b/.test(text) };
}

export type Queryable = {
  rows<Params extends readonly unknown[], Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]>;
  /** The first row, if there is one. */
  row<Params extends readonly unknown[], Row>(
    statement: Statement<Params, Row>,
    params: Params,
  ): Promise<Row | undefined>;
  /** How many rows were touched. */
  run<Params extends readonly unknown[]>(statement: Statement<Params, never>, params: Params): Promise<number>;
  /** For text that is not known beforehand (migrations, back-ups): unnamed. */
  raw(text: string, params?: readonly unknown[]): Promise<{ rows: Record<string, unknown>[]; count: number }>;
};

export type Tx = Queryable & { readonly in_transaction: true };

export type Db = Queryable & {
  transaction<Result>(work: (tx: Tx) => Promise<Result>, mode?: "read committed" | "repeatable read"): Promise<Result>;
  /** A connection of its own outside the pool, for listening. The caller ends it. */
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
};

export type DbOptions = {
  connection: pg.ClientConfig;
  pool_size: number;
  named_statements: boolean;
  /** Told when a connection breaks; an embedded database is then looked after. */
  onBroken?: (error: Error) => void;
  /**
   * Plans go along the indexes, and nothing is compiled. For tables that are empty most of the time and full a moment
   * later: a plan that was made while one was empty would read all of it.
   */
  along_indexes?: boolean;
  /** Told after each commit that may have written events, so that no use case can forget to. */
  onEvents?: () => void;
  /** Told after each commit of what was announced with it: this process need not wait until it hears of it. */
  onAnnounced?: (change: string) => void;
  /** How long a database may say nothing to a statement before it counts as out of reach. */
  silent_after_ms?: number;
};

/** What is to be known of the statements that were sent. */
type Watcher = Pick<DbOptions, "onEvents" | "onAnnounced"> & {
  onRaw?: () => void;
  onSilent?: (error: Error) => void;
};
/** The driver takes a limit with each query, which its types do not know. */
type LimitedQuery = pg.QueryConfig & { query_timeout?: number };

const STATEMENT_TIMEOUT_MS = 15_000;
/**
 * By then the database has ended the statement itself and said so, or it is gone without a word: a machine that was
 * switched off closes no connection, and the system would wait a quarter of an hour for it.
 */
const SILENT_AFTER_MS = STATEMENT_TIMEOUT_MS + 5_000;
const CONNECT_TIMEOUT_MS = 5_000;
const NO_SCANS = ["enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin", "jit"].map(
  (name) => `set ${name} = off`,
);
const BUSY_RETRY_AFTER_S = 1;

// Whole numbers of 64 bits stay below 2^53 here, and a date is a calendar date, not an instant in some zone.
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
    // A named statement is planned once. Left to itself PostgreSQL plans some of ours anew every time, which costs more
    // than it gains: each starts with a key.
    ...(named_statements && {
      onConnect: async (client: pg.ClientBase) => {
        const settings = ["set plan_cache_mode = force_generic_plan", ...(options.along_indexes ? NO_SCANS : [])];
        await client.query(limited(settings.join("; ")));
      },
    }),
  });
  // An idle connection that breaks (the database was killed) must not end the process.
  pool.on("error", (error) => onBroken?.(error));
  pool.on("connect", neverUnheard);

  const queryable = (target: pg.Pool | pg.PoolClient, watcher: Watcher): Queryable => {
    const send = async (query: LimitedQuery) => {
      try {
        return await target.query(query);
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
        // Whoever sends this may have lifted the limits: a back-up takes as long as it takes.
        watcher.onRaw?.();
        const result = await send({ text, values: params as unknown[] });
        return { rows: result.rows ?? [], count: result.rowCount ?? 0 };
      },
    };
  };

  return {
    ...queryable(pool, options),
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
        await client.query(limited(`begin isolation level ${mode}`));
        const result = await work({ ...queryable(client, watcher), in_transaction: true });
        await client.query(unlimited ? "commit" : limited("commit"));
        if (has_events) options.onEvents?.();
        for (const change of announced) options.onAnnounced?.(change);
        return result;
      } catch (error) {
        if (isSilence(error)) rememberBroken(error);
        // To one that says nothing any more there is nothing more to say.
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
    async connect() {
      const client = new pg.Client({ ...clientConfig, statement_timeout: 0 });
      neverUnheard(client);
      await client.connect();
      return client;
    },
    close: () => pool.end(),
  };
}

/**
 * An answer and the end of its connection may arrive in one piece. Then the connection breaks when it was handed to
 * somebody who cannot have begun to listen, and an error that nobody hears would end the process. Whoever has it is
 * told with the next thing they ask.
 */
function neverUnheard(client: pg.ClientBase): void {
  client.on("error", () => {});
}

/** 08: connection, 53: resources, 57P0x: shut down or starting, 25P03/25006: a server that is being moved or cut us off. */
const OUT_OF_REACH = /^(08|53|57P0|25P03|25006)/;
const SOCKET_ERRORS = new Set(["ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH"]);
// The driver gives these no code.
const SILENCE = "Query read timeout";
const isSilence = (error: unknown): error is Error => error instanceof Error && error.message === SILENCE;
const DRIVER_TROUBLE =
  /Connection terminated|timeout exceeded when trying to connect|connection timeout|Client has encountered a connection error/i;

/** A database out of reach is 503 and "try again", never a fault of the request. */
function unavailable(error: unknown, onBroken: DbOptions["onBroken"]): unknown {
  if (!(error instanceof Error) || error instanceof StatusRefusal) return error;
  const code = (error as { code?: string }).code ?? "";
  if (!OUT_OF_REACH.test(code) && !SOCKET_ERRORS.has(code) && !DRIVER_TROUBLE.test(error.message) && !isSilence(error))
    return error;
  onBroken?.(error);
  return new StatusRefusal(503, BUSY_RETRY_AFTER_S);
}
