import { spawn } from "node:child_process";
import { once } from "node:events";

/** The partner's system, as certify started it. */
export type PartnerSystem = {
  /** Rejects if it ends by itself, because the day cannot go on without it. */
  readonly ended: Promise<never>;
  stop(): Promise<void>;
};

const STOP_WITHIN_MS = 5_000;

/** Starts a command in a shell. What it prints goes to standard error, so that the report stays alone on standard output. */
export function startPartnerSystem(
  command: string,
  env: NodeJS.ProcessEnv,
  fail: (code: number | null) => Error,
): PartnerSystem {
  // Its own group, because the shell starts the program as a child.
  const child = spawn(command, { shell: true, detached: true, env, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(process.stderr, { end: false });
  const exited = once(child, "exit") as Promise<[number | null]>;
  // The shell exits at once. The program that it started keeps the streams open until it has cleaned up.
  const closed = once(child, "close");
  let stopping = false;
  const ended = exited.then(([code]) => {
    if (stopping) return new Promise<never>(() => {});
    throw fail(code);
  });
  // The caller sees it while it waits for the day. At any other time it must not end this process.
  ended.catch(() => {});
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, name);
    } catch {
      // It has ended.
    }
  };
  return {
    ended,
    async stop() {
      stopping = true;
      signal("SIGTERM");
      const late = setTimeout(() => signal("SIGKILL"), STOP_WITHIN_MS);
      await closed.catch(() => {});
      clearTimeout(late);
    },
  };
}
