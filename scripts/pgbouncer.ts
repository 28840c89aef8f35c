import { spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findOrInstall } from "./debian-package.ts";
import { memoryFolder } from "./memory-folder.ts";

const PORT = 6432;
/** PgBouncer refuses to run as root. */
const NOBODY = 65534;
const READY_WITHIN_MS = 60_000;
/** Fewer than the pools of a service, so that its statements go over many connections of the pooler. */
const CONNECTIONS = 4;

export const findPgbouncer = () => findOrInstall(["/usr/sbin/pgbouncer"], "pgbouncer");

/** PgBouncer in transaction mode before the cluster in this folder of sockets, for the roles with these passwords. */
export async function startPgbouncer(
  program: string,
  cluster: { host: string; port: number; passwords: Readonly<Record<string, string>> },
): Promise<{ host: string; port: number; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(memoryFolder(), "pestle-pooler-"));
  const users = Object.entries(cluster.passwords).map(([role, password]) => `"${role}" "${password}"\n`);
  const lines = [
    "[databases]",
    `* = host=${cluster.host} port=${cluster.port}`,
    "[pgbouncer]",
    `unix_socket_dir = ${folder}`,
    `listen_port = ${PORT}`,
    "auth_type = trust",
    `auth_file = ${join(folder, "users.txt")}`,
    "pool_mode = transaction",
    `default_pool_size = ${CONNECTIONS}`,
    "max_client_conn = 1000",
  ];
  writeFileSync(join(folder, "users.txt"), users.join(""));
  writeFileSync(join(folder, "pgbouncer.ini"), `${lines.join("\n")}\n`);
  const as_root = process.getuid?.() === 0;
  if (as_root) for (const file of [folder, join(folder, "users.txt")]) chownSync(file, NOBODY, NOBODY);
  let said = "";
  const child = spawn(program, [join(folder, "pgbouncer.ini")], {
    stdio: ["ignore", "ignore", "pipe"],
    ...(as_root && { uid: NOBODY, gid: NOBODY }),
  });
  child.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!existsSync(join(folder, `.s.PGSQL.${PORT}`))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`PgBouncer did not start: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    host: folder,
    port: PORT,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
