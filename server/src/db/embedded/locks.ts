import { randomBytes } from "node:crypto";
import { link, readFile, rename, stat, unlink } from "node:fs/promises";
import { type Layout, lockFiles } from "./layout.ts";
import { isAlive, isPostmaster } from "./process.ts";
import { ignoreCodes } from "./scratch.ts";

const HALF_WRITTEN_AGE_MS = 2_000;

/** The process id of the postgres that serves the cluster, if it is alive. */
export async function livePostmaster(layout: Layout): Promise<number | undefined> {
  const content = await read(lockFiles(layout).cluster_lock);
  const pid = content === undefined ? undefined : lockHolder(content);
  return pid !== undefined && (await isPostmaster(pid, layout.cluster)) ? pid : undefined;
}

/**
 * Removes lock files that would block postgres forever: those whose process id now belongs to another program, and those
 * left empty by a kill between creating and writing them. Keeps the lock of a dead process, because postgres uses it to
 * check whether old backends still hold the shared memory.
 */
export async function clearStaleLocks(layout: Layout): Promise<void> {
  for (const file of Object.values(lockFiles(layout))) {
    const content = await read(file);
    if (content !== undefined && (await isStale(file, content, layout.cluster))) await discard(file, content);
  }
}

async function isStale(file: string, content: string, cluster: string): Promise<boolean> {
  const pid = lockHolder(content);
  if (pid !== undefined) return isAlive(pid) && !(await isPostmaster(pid, cluster));
  const found = await stat(file).catch(ignoreCodes("ENOENT"));
  return found !== undefined && Math.abs(Date.now() - found.mtimeMs) > HALF_WRITTEN_AGE_MS;
}

/** The first line is the process id, negative in single-user mode. */
function lockHolder(content: string): number | undefined {
  const pid = Math.abs(Number.parseInt(content, 10));
  return pid > 0 ? pid : undefined;
}

/** Moves the file aside, then checks it again: if another process had written a valid one, puts it back. */
async function discard(file: string, stale: string): Promise<void> {
  const aside = `${file}.${randomBytes(4).toString("hex")}`;
  const taken = await rename(file, aside).then(() => true, ignoreCodes("ENOENT"));
  if (!taken) return;
  if ((await read(aside)) !== stale) await link(aside, file).catch(ignoreCodes("EEXIST"));
  await unlink(aside);
}

function read(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(ignoreCodes("ENOENT"));
}
