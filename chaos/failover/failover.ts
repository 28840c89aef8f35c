import { openDb } from "../../server/src/db/db.ts";
import { type BusyTally, whileBusy } from "../busy/busy-service.ts";
import { type ServerPair, startPair } from "../server-pair.ts";
import type { From } from "../server-process.ts";
import { startCluster } from "./cluster.ts";
import { compareServers } from "./cluster-check.ts";
import { type Fault, failovers, otherFaults } from "./cluster-faults.ts";

export type FailoverOptions = {
  from: From;
  /** Number of failovers of this stage. */
  failovers: number;
  /** The number of the first one, so that stages after each other run every kind. */
  first: number;
  random: () => number;
  onProgress?: (line: string) => void;
};
export type FailoverTally = BusyTally & { failovers: number };

const WRITES_BACK_WITHIN_MS = 30_000;

/**
 * Journeys at two processes on a cluster of three servers, whose primary fails again and again. Then checks what clients, receivers
 * and a reader of the feed got, and the rows of all three servers.
 */
export async function campaignFailover(options: FailoverOptions): Promise<FailoverTally> {
  const { from, random, onProgress = () => {} } = options;
  const cluster = await startCluster({
    synchronous: true,
    onStuck: onProgress,
  });
  let pair: ServerPair | undefined;
  let changed = 0;
  const { database_url } = cluster;
  const db = openDb({ connection: { connectionString: database_url }, pool_size: 2, named_statements: false });
  try {
    pair = await startPair({ database_url, master_key: "0".repeat(64), from, pool_size: 8 });
    const given = {
      campaign: "failover",
      writes_return_within_ms: WRITES_BACK_WITHIN_MS,
      ...pair,
      db,
      random,
    } as const;
    const tally = await whileBusy(given, async ({ suffer }) => {
      const injure = async (kind: string, fault: Fault) => {
        const leader = await cluster.healthy();
        let next = leader;
        const outage_ms = await suffer(kind, async () => {
          await fault(cluster, leader, random);
          next = await cluster.healthy();
        });
        onProgress(`${kind.padEnd(16)} primary ${leader.name} → ${next.name}  no write for ${outage_ms} ms`);
        return next !== leader;
      };
      const primary = Object.entries<Fault>(failovers);
      const others = Object.entries<Fault>(otherFaults);
      for (let number = options.first; changed < options.failovers; number++) {
        if (await injure(...primary[number % primary.length]!)) changed += 1;
        await injure(...others[number % others.length]!);
      }
    });
    await pair.stop();
    pair = undefined;
    tally.faults.push(...(await compareServers(cluster)));
    return { ...tally, failovers: changed };
  } finally {
    await db.close();
    await pair?.stop();
    await cluster.stop();
  }
}
