import { setTimeout as delay } from "node:timers/promises";
import { openDb } from "../../server/src/db/db.ts";
import { intakeToken, partnerToken } from "../client.ts";
import { brokenInvariants } from "../invariants/in-database.ts";
import { EVENTS_PER_JOURNEY, journey, liftLimits, register, type Tokens } from "../journeys.ts";
import { type ServerPair, startPair } from "../server-pair.ts";
import type { From } from "../server-process.ts";
import { until } from "../until.ts";
import { judgeReceivers } from "../webhook-ledger.ts";
import { openReceiver, type Receiver } from "../webhook-receivers.ts";
import { startCluster } from "./cluster.ts";
import { compareServers } from "./cluster-check.ts";
import { type Fault, failovers, otherFaults } from "./cluster-faults.ts";
import { followFeed, judgeFeed, replayFeed } from "./feed-reader.ts";
import { judgeJourneys, storedOrders } from "./journey-ledger.ts";
import { runJourneys } from "./journey-load.ts";

export type FailoverOptions = {
  from: From;
  /** Number of failovers of this stage. */
  failovers: number;
  /** The number of the first one, so that stages after each other run every kind. */
  first: number;
  random: () => number;
  onProgress?: (line: string) => void;
};
export type FailoverTally = {
  failovers: number;
  /** Number of faults of each kind. */
  kinds: Record<string, number>;
  /** The longest time without a write around a fault of each kind. */
  longest_outage_ms: Record<string, number>;
  /** Acknowledged orders, each checked. */
  orders: number;
  events: number;
  arrived: number;
  faults: string[];
};

const CLIENTS = 6;
const RECEIVERS = 2;
const WRITES_BACK_WITHIN_MS = 30_000;
const CATCH_UP_DEADLINE_MS = 180_000;
/** Faults hit a busy service, some time after the last one. */
const BUSY_MS = 1_500;

/**
 * Journeys at two processes on a cluster of three servers, whose primary fails again and again. Then checks what clients, receivers
 * and a reader of the feed got, and the rows of all three servers.
 */
export async function campaignFailover(options: FailoverOptions): Promise<FailoverTally> {
  const { from, random, onProgress = () => {} } = options;
  const cluster = await startCluster();
  const receivers: Receiver[] = [];
  let pair: ServerPair | undefined;
  const tally: FailoverTally = {
    failovers: 0,
    kinds: {},
    longest_outage_ms: {},
    orders: 0,
    events: 0,
    arrived: 0,
    faults: [],
  };
  const { database_url } = cluster;
  const db = openDb({ connection: { connectionString: database_url }, pool_size: 2, named_statements: false });
  try {
    pair = await startPair({ database_url, master_key: "0".repeat(64), from, pool_size: 8 });
    const { sites } = pair;
    const demo = sites()[0]!;
    const { account_id, client_secret } = demo.partners[0]!;
    await liftLimits(db, account_id);
    const tokens: Tokens = { partner: await partnerToken(demo), intake: await intakeToken(demo) };
    for (let number = 0; number < RECEIVERS; number++) {
      const receiver = await openReceiver("well", client_secret, random);
      receivers.push(receiver);
      await register(demo, tokens.partner, receiver);
    }
    const before = (await storedOrders(db, account_id)).map(({ order_number }) => order_number);
    const reader = followFeed(sites, tokens.partner);
    const load = runJourneys(CLIENTS, (number, onWritten) => journey(sites, tokens, number, random, onWritten));

    const suffer = async (kind: string, fault: Fault) => {
      const leader = await cluster.healthy();
      await load.written();
      await delay(random() * BUSY_MS);
      const since_ms = Date.now();
      await fault(cluster, leader, random);
      const next = await cluster.healthy();
      await load.written();
      const outage_ms = load.longestGap(since_ms);
      tally.kinds[kind] = (tally.kinds[kind] ?? 0) + 1;
      tally.longest_outage_ms[kind] = Math.max(tally.longest_outage_ms[kind] ?? 0, outage_ms);
      if (outage_ms > WRITES_BACK_WITHIN_MS) tally.faults.push(`${kind}: no write succeeded for ${outage_ms} ms`);
      onProgress(`${kind.padEnd(16)} primary ${leader.name} → ${next.name}  no write for ${outage_ms} ms`);
      return next !== leader;
    };
    const primary = Object.entries<Fault>(failovers);
    const others = Object.entries<Fault>(otherFaults);
    for (let number = options.first; tally.failovers < options.failovers; number++) {
      const [kind, fault] = primary[number % primary.length]!;
      if (await suffer(kind, fault)) tally.failovers += 1;
      await suffer(...others[number % others.length]!);
    }

    const journeys = await load.stop();
    tally.orders = journeys.length;
    const expected = journeys.length * EVENTS_PER_JOURNEY;
    await until("everything arrived", () => receivers.every(({ bodies }) => bodies.size >= expected), {
      deadline_ms: CATCH_UP_DEADLINE_MS,
      pause_ms: 100,
    }).catch((error: Error) => tally.faults.push(error.message));
    const followed = await reader.finish();
    const replayed = await replayFeed(sites, tokens.partner);
    tally.events = replayed.length;
    tally.arrived = receivers.reduce((sum, { bodies }) => sum + bodies.size, 0);
    tally.faults.push(
      ...judgeFeed(followed, replayed),
      ...judgeJourneys(journeys, before, await storedOrders(db, account_id)),
      ...judgeReceivers(journeys, receivers, new Set(replayed)),
      ...(await brokenInvariants(db, "failover", account_id)),
      ...pair.fallen(),
    );
    await pair.stop();
    pair = undefined;
    tally.faults.push(...(await compareServers(cluster)));
    return tally;
  } finally {
    await db.close();
    await pair?.stop();
    for (const receiver of receivers) await receiver.close();
    await cluster.stop();
  }
}
