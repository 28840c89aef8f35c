import type { Database, Db, Queryable } from "../../../db/db.ts";
import { migrationState } from "../../../db/migrate.ts";
import { countConnections, lockIndexKey } from "../../../db/operations/blind-columns.ts";
import {
  type DistributionState,
  distribute,
  distributionCounts,
  distributionState,
  type Host,
  listWorkers,
  type Progress,
  undistribute,
} from "../../../db/operations/distribution.ts";
import { addExtension, loadServer, type ServerFacts } from "../../../db/operations/servers.ts";
import { AdminRefusal } from "../../accounts/admin-refusal.ts";

/** Opens the database of the same name on another server. The caller closes it. */
export type OpenWorker = (host: Host) => Db;
export type Spread = { coordinator: Host | undefined; workers: readonly Host[]; shards: number | undefined };

/**
 * Spreads the tables over the workers, or goes on where an interrupted run stopped. Checks everything first, so a refusal
 * changes nothing.
 */
export async function spread(
  db: Database,
  { coordinator, workers, shards }: Spread,
  openWorker: OpenWorker,
  progress: Progress,
): Promise<void> {
  const state = await distributionState(db);
  if (state === "gathering") throw new AdminRefusal(UNFINISHED_UNDO);
  if (state === "spread") {
    const servers = (await listWorkers(db)).map(named).join(", ");
    throw new AdminRefusal(
      `The tables are already spread over ${servers}. To add a server, run \`pestle distribute --rebalance --worker HOST:PORT\`.`,
    );
  }
  if (coordinator === undefined)
    throw new AdminRefusal(
      "DATABASE_URL names no host that the workers can reach. Give the database's address with --coordinator HOST:PORT.",
    );
  if (workers.length === 0) throw new AdminRefusal("Name at least one server with --worker HOST:PORT.");
  // An interrupted run has taken off what the migrations would look for.
  if (state === "none" && (await migrationState(db)).pending.length > 0)
    throw new AdminRefusal("The database is older than this build. Run `pestle migrate` first.");
  const known = state === "none" ? [] : await listWorkers(db);
  await requireWorkers(db, workers, openWorker, known);
  await alone(db, async () => {
    await addExtensions(workers, openWorker);
    await distribute(db, { coordinator, workers, ...(shards !== undefined && { shards }), progress }).catch(explain);
  });
}

/** Brings the tables back to one server. */
export async function gather(db: Database, progress: Progress): Promise<void> {
  const state = await distributionState(db);
  if (state === "none") throw new AdminRefusal("The tables are on one server already.");
  if (state === "spreading")
    throw new AdminRefusal("A run of `pestle distribute` was interrupted. Run it again first, with the same servers.");
  await alone(db, () => undistribute(db, progress));
}

const UNFINISHED_UNDO =
  "A run of `pestle distribute --undo` was interrupted. Run `pestle distribute --undo` again first.";

/** What a run has done and what it has not. */
export async function describeSpread(
  db: Queryable,
): Promise<{ state: DistributionState; workers: string[]; tables_placed: number; tables: number; rules_off: number }> {
  const state = await distributionState(db);
  if (state === "none") return { state, workers: [], tables_placed: 0, tables: 0, rules_off: 0 };
  const workers = (await listWorkers(db)).map(named);
  const { tables, of, off } = await distributionCounts(db);
  return { state, workers, tables_placed: tables, tables: of, rules_off: off };
}

export const named = ({ host, port }: Host): string => `${host}:${port}`;

/** No process of the service may have a connection: constraints and policies are off until the end. */
async function alone(db: Database, work: () => Promise<void>): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.raw("set local idle_in_transaction_session_timeout = 0");
    const locked = await lockIndexKey(tx);
    const connections = await countConnections(tx);
    if (!locked || connections > 0)
      throw new AdminRefusal(
        `Pestle has ${connections} open ${connections === 1 ? "connection" : "connections"} to this database. Stop all of its processes and commands, also on other machines, and run this again. Nothing was changed.`,
      );
    await work();
  });
}

/** Servers that can take accounts. `known` already do. */
export async function requireWorkers(
  db: Database,
  workers: readonly Host[],
  openWorker: OpenWorker,
  known: readonly Host[],
): Promise<void> {
  const own = await requireExtension("This database", db);
  const names = known.map(named);
  for (const host of workers) await requireWorker(host, own, openWorker, names.includes(named(host)));
}

export async function addExtensions(workers: readonly Host[], openWorker: OpenWorker): Promise<void> {
  for (const host of workers) await onWorker(host, openWorker, addExtension);
}

async function requireExtension(what: string, db: Database): Promise<ServerFacts> {
  const facts = await loadServer(db);
  if (facts.citus === null)
    throw new AdminRefusal(`${what} is on a PostgreSQL without the extension Citus. Install it on that machine.`);
  if (!facts.preloaded)
    throw new AdminRefusal(
      `${what} is on a PostgreSQL that does not load Citus. Add it to shared_preload_libraries and restart PostgreSQL.`,
    );
  if (!facts.superuser)
    throw new AdminRefusal(
      `${what} can be spread by a superuser only. Set DATABASE_OWNER_URL to a role with SUPERUSER for this command.`,
    );
  return facts;
}

async function requireWorker(host: Host, own: ServerFacts, openWorker: OpenWorker, known: boolean): Promise<void> {
  const what = `The worker ${named(host)}`;
  try {
    const facts = await onWorker(host, openWorker, (db) => requireExtension(what, db));
    if (facts.version !== own.version)
      throw new AdminRefusal(
        `${what} has PostgreSQL ${facts.server_version}, and this database ${own.server_version}. Use the same version.`,
      );
    if (facts.citus !== own.citus)
      throw new AdminRefusal(`${what} has Citus ${facts.citus}, and this database ${own.citus}. Use the same version.`);
    if (!known && facts.tables > 0)
      throw new AdminRefusal(
        `The database ${own.database} of the worker ${named(host)} has ${facts.tables} tables. Use an empty one.`,
      );
  } catch (error) {
    if (error instanceof AdminRefusal) throw error;
    const { code } = error as { code?: string };
    const remedy = REMEDIES[code ?? ""] ?? "Check its address, listen_addresses and pg_hba.conf.";
    throw new AdminRefusal(`Cannot use the worker ${named(host)}. ${remedy.replace("{database}", own.database)}`, {
      cause: error,
    });
  }
}

async function onWorker<Result>(
  host: Host,
  openWorker: OpenWorker,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  const db = openWorker(host);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** By the code that PostgreSQL answers. */
const REMEDIES: Readonly<Record<string, string>> = {
  "3D000": "It has no database {database}. Create one there with createdb.",
  "28P01": "It refuses the password of DATABASE_OWNER_URL. Create the role there with the same password.",
  "28000": "It refuses the role of DATABASE_OWNER_URL. Create the role there, and allow it in pg_hba.conf.",
};

/** Citus says in its own words why servers do not reach each other. */
function explain(error: unknown): never {
  const { message = "" } = error as { message?: string };
  if (!/connection to the remote node|authentication/i.test(message)) throw error;
  throw new AdminRefusal(
    "The servers do not reach each other. Each of them needs the password of the others in the .pgpass of its user, or in pg_dist_authinfo. Then run this again.",
    { cause: error },
  );
}
