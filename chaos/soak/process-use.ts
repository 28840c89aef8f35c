import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";

export type ProcessUse = { resident_bytes: number; descriptors: number };

/** Memory and open files of a service's processes, by what they are. From the system, so that the service need not answer. */
export function useOfProcesses(group: number): Record<string, ProcessUse> {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,pgid=,rss=,args="], { encoding: "utf8" }).split("\n");
  const found: Record<string, ProcessUse> = {};
  for (const row of rows) {
    const [pid, of, kib, ...args] = row.trim().split(/\s+/);
    if (Number(of) !== group || pid === undefined) continue;
    const sandbox = args.some((arg) => arg.includes("sandbox-process"));
    if (!sandbox && Number(pid) !== group) continue;
    found[sandbox ? "sandbox" : "main"] = { resident_bytes: Number(kib) * 1024, descriptors: descriptorsOf(pid) };
  }
  return found;
}

function descriptorsOf(pid: string): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}
