import { chown, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { type Layout, NAME } from "./layout.ts";
import { run } from "./process.ts";
import { buildFolder, removeAbandoned } from "./scratch.ts";

/**
 * Allows only local connections; the first start sets passwords before it hands out a connection (`closeCluster`). Sorts
 * text by code point, the same on every machine and release.
 */
const INITDB_OPTIONS = [
  `--username=${NAME}`,
  "--encoding=UTF8",
  "--locale=C",
  "--locale-provider=builtin",
  "--builtin-locale=C.UTF-8",
  "--auth-local=trust",
  "--auth-host=reject",
  "--no-instructions",
];

/** Makes sure the cluster and its database exist. */
export async function prepareCluster(
  layout: Layout,
  binaries: Binaries,
  log: (message: string) => void,
): Promise<void> {
  const { account, cluster } = layout;
  if (await isCluster(cluster)) {
    await removeAbandoned(dirname(cluster), "postgres.init-");
    return;
  }
  log(`creating a PostgreSQL cluster in ${cluster}`);
  await buildFolder(cluster, "init", async (folder) => {
    if (account) await chown(folder, account.uid, account.gid);
    await run(binaries.initdb, [...INITDB_OPTIONS, "-D", folder], account);
    // Single-user mode would assign an oid from the system range, so we give one.
    const single_user = ["--single", "-D", folder, "-c", "exit_on_error=on", "postgres"];
    await run(binaries.postgres, single_user, account, `create database ${NAME} oid 16384\n`);
  });
  if (!(await isCluster(cluster))) throw new Error(`${cluster} exists but is not a PostgreSQL data folder: move it`);
}

async function isCluster(folder: string): Promise<boolean> {
  try {
    await stat(join(folder, "PG_VERSION"));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    if (code !== "EACCES") throw error;
    throw new Error(`${folder} belongs to another user: run as that user or choose another DATA_DIR`);
  }
}
