import pg from "pg";

/** "starting" includes shutting down: in both cases the server refuses connections for now. */
type Answer = "ready" | "starting" | "absent";

export type Connection = { host: string; port: number; user: string; database: string; password: string };

const ANSWER_LIMIT_MS = 5_000;
const PROBE = "pestle-probe";
const STOPPER = "pestle-stop";
const CANNOT_CONNECT_NOW = "57P03";
const WILL_PASS = /^(08|53|57)/;

/** Checks whether the server accepts connections. Throws only for errors that waiting cannot fix. */
export async function probe(connection: Connection): Promise<Answer> {
  try {
    await ask(connection, PROBE, "select 1");
    return "ready";
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) return "absent";
    if (error.code === CANNOT_CONNECT_NOW) return "starting";
    if (WILL_PASS.test(error.code ?? "")) return "absent";
    throw new Error(`PostgreSQL refuses the connection: ${error.message}`);
  }
}

/** The number of connected clients, or undefined if the server does not answer. Processes that want to stop it do not count. */
export async function countClients(connection: Connection): Promise<number | undefined> {
  const text = `select count(*)::int as clients from pg_stat_activity
    where backend_type in ('client backend', 'walsender') and application_name <> '${STOPPER}'`;
  const rows = await ask(connection, STOPPER, text).catch(() => undefined);
  return rows?.[0]?.clients;
}

async function ask(connection: Connection, application_name: string, text: string): Promise<{ clients?: number }[]> {
  const limits = { connectionTimeoutMillis: ANSWER_LIMIT_MS, query_timeout: ANSWER_LIMIT_MS };
  const client = new pg.Client({ ...connection, ...limits, application_name, ssl: false });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return (await client.query<{ clients?: number }>(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
