import { execFile, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { findOrInstall } from "../../scripts/debian-package.ts";
import { findPostgres15 } from "../../scripts/system-postgres.ts";
import { until } from "../until.ts";

/** A PostgreSQL whose log pgBackRest archives, and servers that are restored from its backups. */
export type BackedUpPostgres = {
  database_url: string;
  /** Runs a script of deploy/pgbackrest, as an operator does. */
  run(script: "full-backup.sh" | "incremental-backup.sh"): Promise<void>;
  /** Stops the server and restores it in another folder, as it was at a moment. Returns the address and the time it took. */
  restore(moment: string): Promise<{ database_url: string; took_ms: number; bytes: number }>;
  stop(): Promise<void>;
};

const DEPLOY = fileURLToPath(new URL("../../deploy/pgbackrest/", import.meta.url));
/** PostgreSQL refuses to run as root, so it runs as the user `nobody`. */
const NOBODY = 65534;
const READY_WITHIN_MS = 120_000;
const running = promisify(execFile);

export async function startBackedUpPostgres(): Promise<BackedUpPostgres> {
  const bin_dir = findPostgres15();
  if (bin_dir === undefined || findOrInstall(["/usr/bin/pgbackrest"], "pgbackrest") === undefined)
    throw new Error("install Debian's packages postgresql-15 and pgbackrest");
  const program = (name: string) => join(bin_dir, name);
  const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const folder = mkdtempSync(join(tmpdir(), "pestle-recovery-"));
  const make = (name: string) => {
    const made = join(folder, name);
    mkdirSync(made, { mode: 0o700 });
    if ("uid" in account) chownSync(made, NOBODY, NOBODY);
    return made;
  };
  chmodSync(folder, 0o711);
  const [data, restored, socket] = [make("data"), make("restored"), make("socket")];
  const paths = {
    "repo1-path": make("repo"),
    "log-path": make("log"),
    "lock-path": make("lock"),
    "spool-path": make("spool"),
  };
  const server = { "pg1-path": data, "pg1-socket-path": socket, "pg1-user": "pestle" };
  const config = join(folder, "pgbackrest.conf");
  writeFileSync(config, withValues("pgbackrest.conf", { ...paths, ...server, "repo1-cipher-pass": "campaign" }));
  const env = { PATH: `${bin_dir}:${process.env["PATH"]}`, PGBACKREST_CONFIG: config, TZ: "UTC" };
  const options = { ...account, cwd: socket, env };
  await running(
    program("initdb"),
    ["-D", data, "-U", "pestle", "--encoding=UTF8", "--no-locale", "--auth=trust"],
    options,
  );
  writeFileSync(join(data, "postgresql.auto.conf"), withValues("postgresql.conf", {}));

  let child = start(data);
  function start(of: string) {
    return spawn(program("postgres"), ["-D", of, "-k", socket, "-c", "listen_addresses="], {
      ...options,
      stdio: "ignore",
    });
  }
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGINT");
    await gone;
  };
  const url = (database: string) => `postgresql://pestle@/${database}?host=${encodeURIComponent(socket)}`;
  const script = async (name: string, ...args: string[]) => {
    await running(join(DEPLOY, name), args, options);
  };
  await ready(url("postgres"));
  await ask(url("postgres"), "create database pestle");
  return {
    database_url: url("pestle"),
    run: (name) => script(name),
    async restore(moment) {
      await stop();
      const begin_ms = Date.now();
      await script("restore.sh", moment, restored);
      child = start(restored);
      await ready(url("pestle"));
      const took_ms = Date.now() - begin_ms;
      const [size] = await ask(url("pestle"), "select pg_database_size(current_database())::float8 as bytes");
      return { database_url: url("pestle"), took_ms, bytes: Number(size!["bytes"]) };
    },
    async stop() {
      await stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

/** A file of deploy/pgbackrest with the paths of this machine. */
function withValues(name: string, values: Record<string, string>): string {
  let text = readFileSync(join(DEPLOY, name), "utf8");
  for (const [key, value] of Object.entries(values))
    text = text.replace(new RegExp(`^${key}=.*$`, "m"), `${key}=${value}`);
  return text;
}

async function ask(connectionString: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

/** It accepts writes: a restored server has replayed its log and is a primary. */
const ready = (connectionString: string) =>
  until(
    "PostgreSQL accepts writes",
    () =>
      ask(connectionString, "select pg_is_in_recovery() as replays").then(
        ([row]) => row?.["replays"] === false,
        () => false,
      ),
    { deadline_ms: READY_WITHIN_MS, pause_ms: 50 },
  );
