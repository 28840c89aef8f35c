import { existsSync, readdirSync } from "node:fs";
import { readlink, writeFile } from "node:fs/promises";
import { getPriority, setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";

/** The scheduler then prefers production's requests whenever both have work. */
export const NICER_BY = 10;
const NICEST = 19;
/** Node's pool has four threads unless UV_THREADPOOL_SIZE says otherwise. Each round finds some of them. */
const ROUNDS = 20;
const ASKED_AT_ONCE = 32;

const TRIES = 10;
const BETWEEN_TRIES_MS = 400;

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

/**
 * Lowers the priority of another process of this user, such as one of the embedded database for one connection. Each of
 * those is a session of its own, and where Linux shares the processor among sessions, the priority of a process counts
 * within its session alone. So the session's priority drops as well.
 */
export async function lowerSessionPriority(id: number): Promise<void> {
  lower(id);
  for (let tries = 1; tries <= TRIES; tries++) {
    try {
      return await writeFile(`/proc/${id}/autogroup`, String(NICER_BY), { flag: "r+" });
    } catch (error) {
      // Linux accepts ten such changes a second from users other than root.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      await delay(Math.random() * tries * BETWEEN_TRIES_MS, undefined, { ref: false });
    }
  }
}

function lower(id: number): void {
  try {
    setPriority(id, Math.min(NICEST, getPriority(id) + NICER_BY));
  } catch {
    // The thread just ended, or a container forbids it. Then all share the processor evenly.
  }
}
