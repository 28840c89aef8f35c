import { readdirSync, readFileSync } from "node:fs";

/** Linux reports processor time to programs in hundredths of a second, on every architecture. */
const TICK_MS = 10;

/** Starts to count a process's time. The returned function reads the milliseconds since then. */
export function cpuUsedFrom(pid: number): () => number | null {
  const before_ms = cpuOf_ms(pid);
  return () => {
    const now_ms = cpuOf_ms(pid);
    return before_ms === null || now_ms === null ? null : now_ms - before_ms;
  };
}

type Used = { parent: number; ticks: number };

/**
 * Processor time in milliseconds of a process and its descendants, including the ended ones: a parent's counters
 * contain the children that it waited for. Null on systems without /proc.
 */
function cpuOf_ms(pid: number): number | null {
  const all = new Map<number, Used>();
  for (const name of entriesOf("/proc")) {
    const used = /^\d+$/.test(name) ? usedBy(name) : undefined;
    if (used !== undefined) all.set(Number(name), used);
  }
  if (!all.has(pid)) return null;
  let ticks = 0;
  for (const [one, used] of all) if (descends(all, one, pid)) ticks += used.ticks;
  return ticks * TICK_MS;
}

function descends(all: ReadonlyMap<number, Used>, from: number, ancestor: number): boolean {
  for (let one = from; one > 1; one = all.get(one)?.parent ?? 0) if (one === ancestor) return true;
  return false;
}

function usedBy(pid: string): Used | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may contain spaces. After it: state, parent, and from the twelfth utime, stime, cutime, cstime.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { parent: Number(fields[1]), ticks: fields.slice(11, 15).reduce((sum, one) => sum + Number(one), 0) };
  } catch {
    // It ended meanwhile.
    return undefined;
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** What a process holds in memory. Null on systems without /proc. */
export function residentBytes(pid: number): number | null {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}
