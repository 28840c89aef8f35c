import { existsSync, readdirSync } from "node:fs";
import { readlink } from "node:fs/promises";
import { getPriority, setPriority } from "node:os";

/** The scheduler then prefers production's requests whenever both have work. */
const NICER_BY = 10;
const NICEST = 19;
/** Node's pool has four threads unless UV_THREADPOOL_SIZE says otherwise. Each round finds some of them. */
const ROUNDS = 20;
const ASKED_AT_ONCE = 32;

/** A link to the thread that follows it. */
const OWN_THREAD = "/proc/thread-self";

/** Lowers the priority of every thread of this process. Threads that start later inherit it. */
export function lowerProcessPriority(): void {
  // On Linux each thread has its own priority.
  const folder = "/proc/self/task";
  const threads = existsSync(folder) ? readdirSync(folder) : ["0"];
  for (const thread of threads) lower(Number(thread));
}

/**
 * Lowers the priority of the threads that hash passwords, so that a flood of guesses does not take the processor from the
 * thread that serves requests. They also write the log and look up names, which can wait as well. Only on Linux, where
 * threads have priorities.
 */
export async function lowerPoolPriority(): Promise<void> {
  if (!existsSync(OWN_THREAD)) return;
  const threads = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    // A thread of the pool follows the link, so it names that thread and never the main one.
    const links = await Promise.all(Array.from({ length: ASKED_AT_ONCE }, () => readlink(OWN_THREAD)));
    for (const link of links) threads.add(link.replace(/^.*\//, ""));
  }
  for (const thread of threads) lower(Number(thread));
}

function lower(id: number): void {
  try {
    setPriority(id, Math.min(NICEST, getPriority(id) + NICER_BY));
  } catch {
    // The thread just ended, or a container forbids it. Then all share the processor evenly.
  }
}
