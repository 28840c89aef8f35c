import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";
import { findOrInstall } from "./debian-package.ts";

export type SystemPostgres = {
  /** Address of the server with `{database}` in place of the name. */
  url: string;
  socket_dir: string;
  bin_dir: string;
  pid: number;
  stop(): Promise<void>;
};

/** PostgreSQL refuses to run as root, so it runs as the user `nobody`. */
const NOBODY = 65534;
const READY_WITHIN_MS = 60_000;

/** The oldest supported version, from the system's packages. */
export const findPostgres15 = () => binFolder(findOrInstall(["/usr/lib/postgresql/15/bin/postgres"], "postgresql-15"));

/** Any system PostgreSQL that has pgbench, newest first. */
export function findPgbench(): string | undefined {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const installed = versions.map((version) => join(root, version, "bin/pgbench")).filter((file) => existsSync(file));
  return binFolder(installed[0] ?? findOrInstall(["/usr/lib/postgresql/15/bin/pgbench"], "postgresql-15"));
}

/** A temporary cluster on a unix socket, with PostgreSQL's durable defaults except for `settings`. */
export async function startSystemPostgres(
  bin_dir: string,
  settings: readonly string[] = [],
  parent = tmpdir(),
  port = 5432,
): Promise<SystemPostgres> {
  const folder = mkdtempSync(join(parent, "pestle-pg-"));
  const asRoot = process.getuid?.() === 0;
  if (asRoot) chownSync(folder, NOBODY, NOBODY);
  chmodSync(folder, 0o700);
  const account = asRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const data = join(folder, "data");
  const made = spawnSync(
    join(bin_dir, "initdb"),
    ["-D", data, "-U", "pestle", "--encoding=UTF8", "--no-locale", "--auth=trust"],
    {
      ...account,
      cwd: folder,
      encoding: "utf8",
    },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const server = spawn(
    join(bin_dir, "postgres"),
    [
      "-D",
      data,
      "-k",
      folder,
      ...["listen_addresses=", `port=${port}`, "max_connections=200", ...settings].flatMap((one) => ["-c", one]),
    ],
    {
      ...account,
      cwd: folder,
      stdio: "ignore",
    },
  );
  const url = `postgresql://pestle@/{database}?host=${encodeURIComponent(folder)}&port=${port}`;
  await ready(url.replace("{database}", "postgres"));
  return {
    url,
    socket_dir: folder,
    bin_dir,
    pid: server.pid ?? 0,
    async stop() {
      const gone = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGINT");
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const binFolder = (file: string | undefined) => (file === undefined ? undefined : dirname(file));

async function ready(connectionString: string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const client = new pg.Client({ connectionString });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
