import { execFileSync } from "node:child_process";

/**
 * Ends what a campaign started when somebody interrupts it. Services and databases lead process groups of their own, so
 * a signal to the campaign's group does not reach them. The tally has every stage that ended.
 */
export function endWithChildren(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      for (const pid of descendants(process.pid)) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It has ended by itself.
        }
      }
      process.exit(130);
    });
  }
}

function descendants(root: number): number[] {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const found = new Set([root]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const [pid, parent] of rows) if (pid !== undefined && found.has(parent ?? 0)) found.add(pid);
  }
  found.delete(root);
  return [...found];
}
