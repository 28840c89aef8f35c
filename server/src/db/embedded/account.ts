import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";

/** The user PostgreSQL runs as, if not this process's user. */
export type Account = { uid: number; gid: number };

/** PostgreSQL refuses to run as root, so root runs it as nobody. */
export const NOBODY: Account = { uid: 65534, gid: 65534 };

export const READ_AND_ENTER = 0o5;
const ENTER = 0o1;

/** Whether the mode bits grant `rights` (4 read, 2 write, 1 execute or enter) to the account. */
export function grants(account: Account, stats: Stats, rights: number): boolean {
  const shift = stats.uid === account.uid ? 6 : stats.gid === account.gid ? 3 : 0;
  return ((stats.mode >> shift) & rights) === rights;
}

/** Whether the account can reach and enter `folder` (an absolute path without symbolic links). */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  if (!grants(account, await stat(folder), ENTER)) return false;
  const parent = dirname(folder);
  return parent === folder || canEnter(account, parent);
}
