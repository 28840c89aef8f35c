import { createHash } from "node:crypto";
import {
  access,
  chmod,
  chown,
  constants,
  lstat,
  mkdir,
  readFile,
  realpath,
  rename,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Account, canEnter, grants, NOBODY } from "./account.ts";
import { ignoreCodes } from "./scratch.ts";
import { EmbeddedUnavailable } from "./unavailable.ts";

/** The folders, and the user PostgreSQL runs as (undefined: this process's user). */
export type Layout = {
  account: Account | undefined;
  data_dir: string;
  /** Contains the cluster; the data folder itself unless PostgreSQL cannot reach it. */
  base: string;
  cluster: string;
  socket_dir: string;
  log_file: string;
};

/** The superuser and the database share this name. */
export const NAME = "pestle";
export const PORT = 5432;
const SOCKET_NAME = `.s.PGSQL.${PORT}`;
const SOCKET_PATH_LIMIT_BYTES = 100;
const ROOT_BASE = "/var/lib/pestle";
const LOCATION_FILE = "postgres.location";

export async function findLayout(wanted_dir: string): Promise<Layout> {
  const is_root = process.getuid?.() === 0;
  try {
    await mkdir(wanted_dir, { recursive: true, mode: is_root ? 0o711 : 0o700 });
    await access(wanted_dir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const reason = `${wanted_dir} is not writable`;
    throw new EmbeddedUnavailable(reason, { remedy: "set DATA_DIR to a writable folder", cause });
  }
  const data_dir = await realpath(wanted_dir);
  const recorded = await recordedBase(data_dir);
  let base = recorded ?? data_dir;
  let account: Account | undefined;
  if (is_root) {
    account = await clusterOwner(base);
    if (recorded === undefined && !(await admit(account, data_dir))) {
      base = await baseElsewhere(data_dir);
      account = await clusterOwner(base);
    }
  }
  const cluster = join(base, "postgres");
  return {
    account,
    data_dir,
    base,
    cluster,
    socket_dir: await socketFolder(base),
    log_file: join(data_dir, "postgres.log"),
  };
}

/** An existing cluster keeps its owner, so root can run one that an ordinary user created. */
async function clusterOwner(base: string): Promise<Account> {
  const found = await stat(join(base, "postgres")).catch(ignoreCodes("ENOENT"));
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : NOBODY;
}

/** The data folder keeps its owner. The account can pass through it but cannot read its other files. */
async function admit(account: Account, data_dir: string): Promise<boolean> {
  if (!grants(account, await stat(data_dir), 0o1)) await chmod(data_dir, 0o711).catch(ignoreCodes("EPERM", "EROFS"));
  return canEnter(account, data_dir);
}

async function baseElsewhere(data_dir: string): Promise<string> {
  if (await stat(join(data_dir, "postgres")).catch(ignoreCodes("ENOENT"))) {
    throw new Error(
      `PostgreSQL cannot reach its files in ${data_dir}: give others execute permission on the folders above (chmod o+x)`,
    );
  }
  const base = join(ROOT_BASE, digest(data_dir));
  try {
    await mkdir(base, { recursive: true });
    for (const folder of [ROOT_BASE, base]) await chmod(folder, 0o711);
  } catch (cause) {
    const reason = `PostgreSQL can use neither ${data_dir} nor ${ROOT_BASE}`;
    throw new EmbeddedUnavailable(reason, {
      remedy: "give others execute permission on the folders above DATA_DIR",
      cause,
    });
  }
  return base;
}

/** Written after the cluster exists: so a record without a cluster means lost data, not an interrupted first start. */
export async function recordBase(layout: Layout): Promise<void> {
  if (layout.base === layout.data_dir) return;
  const file = join(layout.data_dir, LOCATION_FILE);
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${layout.base}\n`, { flush: true });
  await rename(draft, file);
}

async function recordedBase(data_dir: string): Promise<string | undefined> {
  const file = join(data_dir, LOCATION_FILE);
  const base = (await readFile(file, "utf8").catch(ignoreCodes("ENOENT")))?.trim();
  if (!base) return undefined;
  if (await stat(join(base, "postgres")).catch(ignoreCodes("ENOENT", "ENOTDIR"))) return base;
  throw new Error(
    `the database that ${file} points to is missing: restore it, or delete that file to start with an empty one`,
  );
}

/** Every process must find the same folder, so use /tmp rather than each process's TMPDIR. */
async function socketFolder(base: string): Promise<string> {
  const folder = join(base, "socket");
  if (Buffer.byteLength(join(folder, SOCKET_NAME)) <= SOCKET_PATH_LIMIT_BYTES) return folder;
  const shared = await access("/tmp", constants.W_OK | constants.X_OK).then(() => "/tmp", tmpdir);
  return join(await realpath(shared), `pestle-${digest(base)}`);
}

/** The roles have passwords; the folder is a second lock. It must belong to the account and be closed to all other users. */
export async function prepareSocketFolder({ socket_dir, account }: Layout): Promise<void> {
  await mkdir(socket_dir, { mode: 0o700 }).catch(ignoreCodes("EEXIST"));
  const found = await lstat(socket_dir);
  const uid = account?.uid ?? process.getuid?.();
  const handed_over = account !== undefined && found.uid === 0;
  if (!found.isDirectory() || (found.uid !== uid && !handed_over)) {
    throw new Error(`${socket_dir} is not a folder owned by the user PostgreSQL runs as: remove it`);
  }
  if (handed_over) await chown(socket_dir, account.uid, account.gid);
  await chmod(socket_dir, 0o700);
}

export function lockFiles({ cluster, socket_dir }: Layout): { cluster_lock: string; socket_lock: string } {
  return { cluster_lock: join(cluster, "postmaster.pid"), socket_lock: join(socket_dir, `${SOCKET_NAME}.lock`) };
}

function digest(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 16);
}
