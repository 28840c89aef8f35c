import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Demo } from "../../server/src/seed/demo-file.ts";
import { ask } from "../ask.ts";
import { issue, read, tokenOf } from "../client.ts";
import { newDataFolder } from "../data-folder.ts";
import { postmasterPid } from "../postmaster.ts";
import {
  type From,
  killGroup,
  killServer,
  removeDataDir,
  type ServerProcess,
  spawnServer,
  startServer,
  stopServer,
} from "../server-process.ts";
import { until } from "../until.ts";
import type { OpenWorkload } from "./workload.ts";

export type RunningKind = "server" | "database" | "both";
/** What kills of each kind showed: `kills`, `slowest_recovery_ms`, and what the workload checked. */
export type KillTally = { kinds: Record<string, Record<string, number>>; faults: string[] };
type Counted = {
  kills: number;
  /** Acknowledged writes that the campaign read back; after a first start, credentials that it used. */
  checked: number;
  lost: number;
  doubled: number;
  slowest_recovery_ms: number;
};
export type KillOptions = { count: number; random: () => number; from: From };

const EARLIEST_KILL_MS = 100;
const LATEST_KILL_MS = 1_100;
const FIRST_START_WINDOW_MS = 3_000;
const RECOVERY_DEADLINE_MS = 120_000;

/** Kills a busy service at random times. After each kill, checks that every acknowledged write still exists. */
export async function killWhileRunning(
  kind: RunningKind,
  open: OpenWorkload,
  { count, random, from }: KillOptions,
): Promise<KillTally> {
  const data_dir = await newDataFolder("kills", from);
  const tally = noKill();
  const unexpected: string[] = [];
  const workload = open({ data_dir, random, unexpected });
  let server: ServerProcess | undefined;
  try {
    server = await startServer({ data_dir, from });
    await workload.enter(server.demo);
    for (; tally.kills < count; tally.kills++) {
      let site: Demo | undefined = server.demo;
      const writers = workload.write(() => site);
      await delay(EARLIEST_KILL_MS + random() * (LATEST_KILL_MS - EARLIEST_KILL_MS));
      const aimed = await workload.aim?.(tally.kills);

      const killed_at_ms = Date.now();
      if (kind === "database") {
        const old_pid = postmasterPid(data_dir)!;
        process.kill(old_pid, "SIGKILL");
        await aimed?.();
        await outliveDatabase(server, data_dir, old_pid);
      } else {
        // Another process may take its ports at once, so the writers must stop calling them.
        site = undefined;
        if (kind === "both") process.kill(postmasterPid(data_dir)!, "SIGKILL");
        await killServer(server);
        await aimed?.();
        server = await startServer({ data_dir, from, deadline_ms: RECOVERY_DEADLINE_MS });
        site = server.demo;
      }
      await workload.enter(server.demo);
      tally.slowest_recovery_ms = Math.max(tally.slowest_recovery_ms, Date.now() - killed_at_ms);

      await writers.stop();
      const { checked, lost } = await workload.check(server.demo);
      tally.checked += checked;
      tally.lost += lost;
    }
    const { lost, doubled } = await workload.checkAll(server.demo);
    tally.lost += lost;
    tally.doubled += doubled;
    const { code } = await stopServer(server);
    if (code !== 0) unexpected.push(`the service exited with ${code}: ${server.errors().trim()}`);
    return told(kind, { ...tally, ...workload.seen() }, unexpected);
  } finally {
    if (server !== undefined) await killServer(server);
    await removeDataDir(data_dir);
  }
}

const noKill = (): Counted => ({ kills: 0, checked: 0, lost: 0, doubled: 0, slowest_recovery_ms: 0 });

function told(kind: string, counted: Counted & Record<string, number>, unexpected: readonly string[]): KillTally {
  const faults = [...unexpected];
  if (counted.lost > 0) faults.push(`${counted.lost} times: an acknowledged write is lost`);
  if (counted.doubled > 0) faults.push(`${counted.doubled} times: a write was made twice`);
  return { kinds: { [kind]: counted }, faults };
}

/** The service must notice, restart its database and serve requests again, without a restart of its own. */
async function outliveDatabase(server: ServerProcess, data_dir: string, old_pid: number): Promise<void> {
  const ready = async () => {
    if (server.ended() !== undefined)
      throw new Error(`the service exited together with its database: ${server.errors().trim()}`);
    const pid = postmasterPid(data_dir);
    if (pid === undefined || pid === old_pid) return false;
    return (await ask(`${server.demo.base_url}/readyz`))?.status === 200;
  };
  await until("the service is ready again", ready, { deadline_ms: RECOVERY_DEADLINE_MS });
}

/**
 * Kills a service during its first start. A plain start must then work, and the credentials that it prints must be
 * valid.
 */
export async function killFirstStarts({ count, random, from }: KillOptions): Promise<KillTally> {
  const tally = noKill();
  const unexpected: string[] = [];
  for (; tally.kills < count; tally.kills++) {
    const data_dir = mkdtempSync(join(tmpdir(), "pestle-kills-"));
    const first = spawnServer({ data_dir, from });
    let second: ServerProcess | undefined;
    try {
      await delay(random() * FIRST_START_WINDOW_MS);
      // An init system kills the whole group. The kernel's OOM killer takes one process and leaves initdb behind.
      if (random() < 0.5) killGroup(first);
      else first.child.kill("SIGKILL");
      await until("the killed server is gone", first.ended);

      const begun_ms = Date.now();
      second = await startServer({ data_dir, from, deadline_ms: RECOVERY_DEADLINE_MS });
      tally.slowest_recovery_ms = Math.max(tally.slowest_recovery_ms, Date.now() - begun_ms);
      for (const partner of [...second.demo.partners.keys()]) {
        const issued = await issue(second.demo, second.demo.partners[partner]!);
        const answer = issued?.status === 200 ? await read(second.demo, tokenOf(issued)) : issued;
        tally.checked++;
        if (answer?.status !== 200) tally.lost++;
      }
      const { code } = await stopServer(second);
      if (code !== 0) unexpected.push(`the service exited with ${code}: ${second.errors().trim()}`);
    } finally {
      await killServer(second ?? first);
      await removeDataDir(data_dir);
    }
  }
  return told("first_start", tally, unexpected);
}
