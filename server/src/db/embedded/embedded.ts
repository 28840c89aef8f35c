import { setTimeout as delay } from "node:timers/promises";
import { type Binaries, findBinaries } from "./binaries.ts";
import { prepareCluster } from "./cluster.ts";
import { findLayout, type Layout, NAME, PORT, prepareSocketFolder, recordBase } from "./layout.ts";
import { clearStaleLocks, livePostmaster } from "./locks.ts";
import { closeCluster, isOpen, loadPasswords, type Passwords, ROLES, reopen } from "./passwords.ts";
import { type Postmaster, spawnPostmaster } from "./postmaster.ts";
import { type Connection, countClients, probe } from "./probe.ts";
import { isPostmaster } from "./process.ts";
import { EmbeddedUnavailable } from "./unavailable.ts";

export { EmbeddedUnavailable };

export type EmbeddedPostgres = {
  /** Settings for the driver, as the owner of the tables; `host` is the Unix socket folder. */
  connection: Connection;
  /** The same as the roles that serve requests. */
  service: Connection;
  jobs: Connection;
  /**
   * Makes sure postgres is running and answering: adopts a live one, or else starts it. Several processes can call it at
   * once, also after postgres was killed; calls within one process share one attempt.
   */
  ensureRunning(): Promise<void>;
  /**
   * Stops postgres unless a client is connected, and returns whether it is stopped. The caller must close its own
   * connections first.
   */
  stopIfUnused(): Promise<boolean>;
};

type Log = (message: string) => void;

const POLL_MS = 20;
const RESTART_PAUSE_MS = 100;
const SILENCE_LIMIT_MS = 30_000;
const RECOVERY_LIMIT_MS = 300_000;
const STOP_LIMIT_MS = 10_000;
const LEAVING_CLIENT_GRACE_MS = 250;

/** Temporary: backends briefly outlive a killed postmaster, or another process is starting it too. */
const PASSING_FAILURE = /lock file .* (already exists|is empty)|pre-existing shared memory block/;

/** Creates the cluster in the data folder on first use, and makes sure it is running. */
export async function openEmbeddedPostgres(options: { data_dir: string; log?: Log }): Promise<EmbeddedPostgres> {
  const { data_dir, log = () => undefined } = options;
  const layout = await findLayout(data_dir);
  const prepare = async () => {
    const binaries = await findBinaries(layout.account, layout.data_dir);
    await prepareCluster(layout, binaries, log);
    await recordBase(layout);
    const { passwords, created } = await loadPasswords(layout);
    if (created && !(await isOpen(layout))) await reopen(layout);
    return { binaries, passwords };
  };
  const { binaries, passwords } = await prepare().catch(explain(layout));
  const connectionOf = (role: keyof Passwords): Connection => ({
    host: layout.socket_dir,
    port: PORT,
    user: ROLES[role],
    database: NAME,
    password: passwords[role],
  });
  const connection = connectionOf("owner");
  let attempt: Promise<void> | undefined;
  const ensureRunning = () => {
    attempt ??= start(layout, binaries, connection, log)
      .catch(explain(layout))
      .finally(() => {
        attempt = undefined;
      });
    return attempt;
  };
  const stopIfUnused = async () => {
    await attempt?.catch(() => undefined);
    return stop(layout, connection, log);
  };
  await ensureRunning();
  // A new cluster, or one that 0.1.0 created.
  if (await isOpen(layout)) await closeCluster(layout, connection, passwords);
  return { connection, service: connectionOf("service"), jobs: connectionOf("jobs"), ensureRunning, stopIfUnused };
}

async function start(layout: Layout, binaries: Binaries, connection: Connection, log: Log): Promise<void> {
  const begun = Date.now();
  let heard = begun;
  let postmaster: Postmaster | undefined;
  for (;;) {
    const answer = await probe(connection);
    if (answer === "ready") {
      if (postmaster) log(`PostgreSQL is running in ${layout.cluster}`);
      return;
    }
    if (answer === "starting") heard = Date.now();
    const end = postmaster?.ended();
    const failure = end && (await postmaster?.tellingLine());
    if (failure !== undefined && end?.code && !PASSING_FAILURE.test(failure)) throw startFailure(failure, layout);
    if (Date.now() - heard > SILENCE_LIMIT_MS || Date.now() - begun > RECOVERY_LIMIT_MS) {
      throw startFailure(failure ?? (await postmaster?.tellingLine()) ?? "it does not answer", layout);
    }
    if (answer === "absent" && (!postmaster || end) && (await livePostmaster(layout)) === undefined) {
      if (end) await delay(RESTART_PAUSE_MS);
      await prepareSocketFolder(layout);
      await clearStaleLocks(layout);
      postmaster = await spawnPostmaster(layout, binaries);
    }
    await delay(POLL_MS);
  }
}

/** Requests a fast shutdown. No client was connected a moment ago, and a new client can start postgres again. */
async function stop(layout: Layout, connection: Connection, log: Log): Promise<boolean> {
  const begun = Date.now();
  let told: number | undefined;
  for (;;) {
    const stopping = told !== undefined && (await isPostmaster(told, layout.cluster));
    const pid = stopping ? told : await livePostmaster(layout);
    if (pid === undefined) break;
    if (pid !== told) {
      const clients = await countClients(connection);
      if (clients === 0) {
        told = pid;
        askToStop(pid);
      } else if (clients !== undefined && Date.now() - begun > LEAVING_CLIENT_GRACE_MS) return false;
    }
    if (Date.now() - begun > STOP_LIMIT_MS) return false;
    await delay(POLL_MS);
  }
  log("PostgreSQL stopped");
  return true;
}

function askToStop(pid: number): void {
  try {
    process.kill(pid, "SIGINT");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function startFailure(line: string, layout: Layout): Error {
  return new Error(`PostgreSQL did not start: ${line} (see ${layout.log_file})`);
}

/** A container can forbid root to switch users. */
function explain(layout: Layout): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (!layout.account || error.code !== "EPERM") throw error;
    const reason = "PostgreSQL refuses to run as root, and root cannot switch to another user here";
    throw new EmbeddedUnavailable(reason, { remedy: "run as an ordinary user", cause: error });
  };
}
