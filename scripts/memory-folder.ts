import { accessSync, constants, readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** Where Linux keeps files in memory. */
const SHARED_MEMORY = "/dev/shm";
/** More than a run of the tests writes. A container may offer much less. */
const NEEDED_BYTES = 2 * 1024 ** 3;

/**
 * The folder for temporary databases, in memory if the system has room there. A test file copies a database of about a
 * thousand files and drops it, and a disk's file system spends more time on that than PostgreSQL.
 */
export function memoryFolder(): string {
  try {
    accessSync(SHARED_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    // Some tests run a copy of PostgreSQL from there, which a container may forbid.
    const runsPrograms = !/^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m.test(readFileSync("/proc/mounts", "utf8"));
    return runsPrograms && bavail * bsize >= NEEDED_BYTES ? SHARED_MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
