import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isAlive } from "./process.ts";

const own = new Set<string>();

/**
 * Builds a folder next to its destination and renames it when complete, so that a kill at any moment leaves either
 * nothing or the complete folder. If two processes build the same one, the first to finish wins.
 */
export async function buildFolder(destination: string, mark: string, fill: (folder: string) => Promise<void>) {
  const prefix = `${basename(destination)}.${mark}-`;
  const parent = dirname(destination);
  await removeAbandoned(parent, prefix);
  const name = `${prefix}${process.pid}-${randomBytes(4).toString("hex")}`;
  const folder = join(parent, name);
  own.add(name);
  try {
    await mkdir(folder, { mode: 0o700 });
    await fill(folder);
    await rename(folder, destination).catch(ignoreCodes("ENOTEMPTY", "EEXIST"));
    await syncFolder(parent);
  } finally {
    await remove(folder);
    own.delete(name);
  }
}

export function ignoreCodes(...codes: string[]): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (!codes.includes(error.code ?? "")) throw error;
    return undefined;
  };
}

/**
 * The name contains the process id of the builder. In a container the id of the last run repeats, so a name with our id
 * that we did not create is abandoned too.
 */
export async function removeAbandoned(parent: string, prefix: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix) || own.has(name)) continue;
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    if (pid === process.pid || !isAlive(pid)) await remove(join(parent, name));
  }
}

/** A child of a killed process can briefly keep writing here. The next start removes what it adds. */
async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 }).catch(() => undefined);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}
